package declared

import "testing"

func TestEveryWayToNameAUserInterfacePinsIt(t *testing.T) {
	for _, meta := range []string{`{"ui":{"resourceUri":"ui://show/main"}}`, `{"ui/resourceUri":"ui://show/main"}`, `{"openai/outputTemplate":"ui://show/main"}`} {
		into := map[string]bool{}
		userInterfaces([]byte(`{"name":"show","_meta":`+meta+`}`), into)
		if !into["ui://show/main"] {
			t.Errorf("%s names none", meta)
		}
	}
}
