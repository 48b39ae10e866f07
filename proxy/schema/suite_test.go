package schema

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// suite is the JSON-Schema-Test-Suite (github.com/json-schema-org/JSON-Schema-Test-Suite at 44401e0c), without its optional tests, and without the
// files about formats, vocabularies of one's own and remote references, none of which an output schema can have here.
func suite(t testing.TB) map[string][]suiteCase {
	t.Helper()
	all := map[string][]suiteCase{}
	for _, dialect := range []string{"draft4", "draft6", "draft7", "draft2019-09", "draft2020-12"} {
		raw, err := os.ReadFile(filepath.Join("testdata", "suite", dialect+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var cases []suiteCase
		if err := json.Unmarshal(raw, &cases); err != nil {
			t.Fatal(err)
		}
		for i := range cases {
			cases[i].Schema = declared(t, dialect, cases[i].Schema)
		}
		all[dialect] = cases
	}
	return all
}

type suiteCase struct {
	Keyword, Description string
	Schema               json.RawMessage
	Tests                []struct {
		Description string
		Data        json.RawMessage
		Valid       bool
	}
}

// declared is a schema as a server would declare it: an object that names its dialect.
func declared(t testing.TB, dialect string, schema json.RawMessage) json.RawMessage {
	t.Helper()
	address := map[string]string{"draft4": "http://json-schema.org/draft-04/schema#", "draft6": "http://json-schema.org/draft-06/schema#", "draft7": "http://json-schema.org/draft-07/schema#",
		"draft2019-09": "https://json-schema.org/draft/2019-09/schema", "draft2020-12": "https://json-schema.org/draft/2020-12/schema"}[dialect]
	s := string(schema)
	switch {
	case s == "true" || s == "false":
		return json.RawMessage(`{"$schema":"` + address + `","allOf":[` + s + `]}`)
	case strings.Contains(s, `"$schema"`):
		return schema
	case s == "{}":
		return json.RawMessage(`{"$schema":"` + address + `"}`)
	default:
		return json.RawMessage(`{"$schema":"` + address + `",` + s[1:])
	}
}

// generous limits for tests that are about something else.
var generous = Limits{MaxBytes: 8 << 20, MaxDepth: 64}

func TestTheOfficialSuiteHolds(t *testing.T) {
	for dialect, cases := range suite(t) {
		for _, c := range cases {
			t.Run(dialect+"/"+c.Keyword+"/"+c.Description, func(t *testing.T) {
				s, err := Compile(c.Schema)
				if err != nil {
					t.Fatalf("%s: %v", c.Schema, err)
				}
				for _, test := range c.Tests {
					if v := s.Validate(test.Data, generous); (v == nil) != test.Valid {
						t.Errorf("%s: %s with %s: %+v", test.Description, c.Schema, test.Data, v)
					}
				}
			})
		}
	}
}
