package mask

import "testing"

func TestSecretsOfARequestAreMaskedWhole(t *testing.T) {
	for raw, want := range map[string]string{
		`{"name":"read","arguments":{"z":"1","password":"correct horse, battery","a":2}}`:        `{"name":"read","arguments":{"z":"1","password":"***","a":2}}`,
		`{"api_key":["one two",{"x":"three four"}],"n":12345678901234567890,"t":true,"no":null}`: `{"api_key":["***",{"x":"***"}],"n":12345678901234567890,"t":true,"no":null}`,
		`{"text":"use ghp_abcdefghijklmnopqrstuvwxyz012345 <b>","token":""}`:                     `{"text":"use *** <b>","token":""}`,
		`{"url":"https://ada:hunter2@notes.example/x"}`:                                          `{"url":"https://***@notes.example/x"}`,
		`{"q":"a word of the environment, please"}`:                                              `{"q":"***, please"}`,
		``:  ``,
		`{`: ``,
	} {
		if got := string(Params([]byte(raw), []string{"a word of the environment"})); got != want {
			t.Errorf("%s is shown as %s", raw, got)
		}
	}
}
