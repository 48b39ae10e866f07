package wrappers

import (
	"encoding/json"
	"testing"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

func TestKnownSecretsAreMaskedInWhatACallSaid(t *testing.T) {
	secrets := []string{"correct horse battery staple"}
	for name, c := range map[string]struct{ detail, rest string }{
		"beside other facts": {`{"check":"inspect","payload":{"arguments":"{\"x\":\"correct horse battery staple\"}","response":"fine"}}`, `{"check":"inspect"}`},
		"alone":              {`{"payload":{"arguments":"{\"x\":\"correct horse battery staple\"}","response":"fine"}}`, ``},
	} {
		rest, kept := vocab.SplitPayload(maskPayload(json.RawMessage(c.detail), secrets, maskDetail))
		if kept == nil || kept.Arguments != `{"x":"***"}` || kept.Response != "fine" || string(rest) != c.rest {
			t.Errorf("%s: kept %+v beside %s", name, kept, rest)
		}
	}
	for secret, written := range map[string]string{"hunter/2+hunter/2": `{"a":"hunter\/2\u002bhunter\/2"}`, `pass"word\x`: `{"a":"pass\"word\\x"}`, "\\u0041 passphrase": `{"a":"\\u0041 passphrase"}`} {
		detail, _ := json.Marshal(map[string]any{"payload": vocab.Payload{Response: written}})
		if _, kept := vocab.SplitPayload(maskPayload(detail, []string{secret}, maskDetail)); kept == nil || kept.Response != `{"a":"***"}` {
			t.Errorf("%s is kept as %+v", written, kept)
		}
	}
	called := []control.Record{{Kind: vocab.RecordCall, Status: vocab.StatusBlocked, Tool: "find correct horse battery staple"}}
	if sent, _ := Caused(&office.Wrapper{Secrets: secrets}, "notes", called); len(sent) != 1 || sent[0].Tool != "find ***" {
		t.Errorf("what was called is kept as %+v", sent)
	}
	plain := json.RawMessage(`{"check":"inspect","rules":["a"]}`)
	if got := maskPayload(plain, secrets, maskDetail); string(got) != string(plain) {
		t.Errorf("a detail without payload became %s", got)
	}
}
