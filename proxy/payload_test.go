package proxy

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// keptOf is what the only record of a kind and status keeps.
func keptOf(t *testing.T, r *rig, kind vocab.RecordKind, status vocab.Status) *vocab.Payload {
	t.Helper()
	var kept *vocab.Payload
	r.records(fmt.Sprint(kind, " ", status), func(rec control.Record) bool {
		if rec.Kind != kind || rec.Status != status {
			return false
		}
		_, kept = vocab.SplitPayload(rec.Detail)
		return true
	})
	return kept
}

func keepsPayloads(r *rig) {
	r.gate.set(func(g *gatekeeper) { g.settings = map[string]string{"activity.payloads": "on"} })
}

func TestARecordKeepsWhatWasSaidOnlyIfAskedToAndWithoutSecrets(t *testing.T) {
	const key = "ghp_NCiia3anXn9k3ksu9mI4ROnl89Sm995ytbxA"
	call := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"id":"` + key + `","text":"hello"}}}`
	answered := func(id string) []string {
		return []string{`{"jsonrpc":"2.0","id":` + id + `,"result":{"content":[{"type":"text","text":"password=hunter2hunter2 and the rest"}]}}`}
	}
	t.Run("off", func(t *testing.T) {
		r := ready(t)
		answering(r, answered)
		r.send(call)
		r.answerTo("7")
		if kept := keptOf(t, r, vocab.RecordCall, vocab.StatusWarned); kept != nil {
			t.Errorf("kept without being asked to: %+v", kept)
		}
	})
	for _, mode := range []string{"detect", "off", "redact"} {
		t.Run("on, redact.mode "+mode, func(t *testing.T) {
			r := ready(t, func(r *rig) {
				r.gate.set(func(g *gatekeeper) { g.settings = map[string]string{"activity.payloads": "on", "redact.mode": mode} })
			})
			answering(r, answered)
			r.send(call)
			line := r.answerTo("7")
			if (mode == "redact") == strings.Contains(line, "hunter2") {
				t.Errorf("the client got %s", line)
			}
			status := vocab.StatusWarned // it was given a secret
			if mode == "off" {
				status = vocab.StatusOK
			}
			kept := keptOf(t, r, vocab.RecordCall, status)
			want := vocab.Payload{
				Arguments: `{"name":"echo","arguments":{"id":"[TOKEN_REDACTED]","text":"hello"}}`,
				Response:  `{"content":[{"type":"text","text":"password=[PASSWORD_REDACTED] and the rest"}]}`,
			}
			if kept == nil || kept.Response != want.Response || strings.Contains(kept.Arguments, "ghp_") || !strings.Contains(kept.Arguments, `"text":"hello"`) {
				t.Errorf("kept %+v\nwant %+v", kept, want)
			}
			r.gate.mu.Lock()
			defer r.gate.mu.Unlock()
			for _, rec := range r.gate.records {
				raw, _ := json.Marshal(rec)
				if strings.Contains(string(raw), key) || strings.Contains(string(raw), "hunter2") {
					t.Errorf("a record holds a secret: %s", raw)
				}
			}
		})
	}
}

func TestARefusedCallKeepsItsArguments(t *testing.T) {
	r := ready(t, keepsPayloads)
	r.send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"no_such_tool","arguments":{"a":1}}}`)
	r.answerTo("7")
	kept := keptOf(t, r, vocab.RecordCall, vocab.StatusBlocked)
	if kept == nil || kept.Arguments != `{"name":"no_such_tool","arguments":{"a":1}}` || kept.Response != "" {
		t.Errorf("kept %+v", kept)
	}
}

func TestWhatIsTooLongIsCutOrLeftOutAndSaysSo(t *testing.T) {
	for _, c := range []struct {
		length    int
		cut, left bool
	}{{1000, false, false}, {maxPayload + 1, true, false}, {maxMasked + 5, false, true}} {
		k := responseKept(strings.Repeat("word ", c.length/5))
		_, cut := k.Cut["response"]
		_, left := k.LeftOut["response"]
		if cut != c.cut || left != c.left || len(k.Response) > maxPayload || (k.Response == "") != left {
			t.Errorf("%d bytes: cut %v, left out %v, %d kept", c.length, cut, left, len(k.Response))
		}
	}
}

func responseKept(text string) vocab.Payload {
	r := request{texts: &texts{response: fmt.Appendf(nil, "%q", text)}}
	return r.withPayload(nil)["payload"].(vocab.Payload)
}
