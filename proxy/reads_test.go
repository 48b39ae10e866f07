package proxy

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// kinds returns the records of a kind, oldest first.
func (g *gatekeeper) kinds(kind vocab.RecordKind) (records []control.Record) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, r := range g.records {
		if r.Kind == kind {
			records = append(records, r)
		}
	}
	return records
}

func TestWhatARecordKeepsOfWhatWasReadIsCleanedAndMaskedAndShort(t *testing.T) {
	long := "doc://" + strings.Repeat("é ", 600)
	for name, want := range map[string]string{
		"file:///home/a/notes.txt": "file:///home/a/notes.txt",
		"doc://x?api_key=sk-proj-NqVwYS81VP7Hb1DX8pPd5khxE3pyIgKpaUnArl63XykWZeiN&page=2": "doc://x?api_key=***&page=2",
		"postgres://ada:hunter2hunter2@db.example/orders":                                 "",
		"doc://a\u202e\u200b\x1b[31m\nb":                                                  "doc://a[31m b",
		long:                                                                              "",
	} {
		got := namedIn(name)
		if want != "" && got != want || strings.Contains(got, "hunter2") || utf8.RuneCountInString(got) > maxNamed {
			t.Errorf("%q is kept as %q", name, got)
		}
	}
	if key := "ghp_NCiia3anXn9k3ksu9mI4ROnl89Sm995ytbxA"; strings.Contains(namedIn(strings.Repeat("x", maxNamed-20)+" "+key), "ghp_NCi") {
		t.Error("the beginning of a secret at the edge is kept")
	}
}

func TestOneRecordForEachReadWhateverBecameOfIt(t *testing.T) {
	r := ready(t, func(r *rig) {
		r.server.capabilities = `{"tools":{},"resources":{}}`
		r.server.resources = []string{`{"uri":"doc://1","name":"One"}`}
	})
	answering(r, func(id string) []string { return []string{result(id, "fine")} })
	r.send(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"doc://1"}}`)
	line := r.answerTo("1")
	r.records("the read", func(rec control.Record) bool {
		return rec.Kind == "resource_read" && rec.Status == "ok" && string(rec.Detail) == `{"uri":"doc://1"}` && rec.Bytes == int64(len(line)+1) && rec.Tool == ""
	})
	r.send(`{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"doc://1"}}`)
	r.answerTo("2")
	r.quiet("a subscription reads nothing")
	if got := r.gate.kinds("resource_read"); len(got) != 1 {
		t.Errorf("%d records of one read", len(got))
	}
	r.server.declare(func(s *server) {
		s.handle = func(line string) (string, bool) { return "", strings.Contains(line, "doc://2") } // it never answers
	})
	r.send(`{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"doc://2"}}`)
	r.eventually("it is asked", func() bool { return r.server.got(`doc://2`) })
	r.s.AnswerAll("exit status 3")
	r.answerTo("3")
	if got := r.gate.kinds("resource_read"); len(got) != 2 || got[1].Status != "error" {
		t.Errorf("%+v", got)
	}
}

func TestEveryOutcomeOfWhatAServerAsksForIsOneRecord(t *testing.T) {
	for name, c := range map[string]struct {
		method, params, answer string
		kind                   vocab.RecordKind
		status                 vocab.Status
		action                 string
	}{
		"sampling, answered":       {"sampling/createMessage", plainPrompt, `"result":{"role":"assistant","content":{"type":"text","text":"private"},"model":"m"}`, "sampling", "ok", ""},
		"sampling, an error":       {"sampling/createMessage", plainPrompt, `"error":{"code":-1,"message":"private"}`, "sampling", "error", "error"},
		"elicitation, accepted":    {"elicitation/create", cityForm, `"result":{"action":"accept","content":{"city":"private"}}`, "elicitation", "ok", ""},
		"elicitation, declined":    {"elicitation/create", cityForm, `"result":{"action":"decline"}`, "elicitation", "error", "decline"},
		"elicitation, cancelled":   {"elicitation/create", cityForm, `"result":{"action":"cancel"}`, "elicitation", "error", "cancel"},
		"elicitation, an odd word": {"elicitation/create", cityForm, `"result":{"action":"private"}`, "elicitation", "ok", ""},
		"elicitation, unreadable":  {"elicitation/create", cityForm, `"result":{"action":"decline","action":"accept"}`, "elicitation", "error", "unreadable"},
		"elicitation, refused":     {"elicitation/create", passwordForm, "", "elicitation", "blocked", ""},
		"sampling, refused":        {"sampling/createMessage", poisonPrompt, "", "sampling", "blocked", ""},
		"roots have none":          {"roots/list", `{}`, `"result":{"roots":[]}`, "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := ready(t)
			line := askLine(`"q"`, c.method, c.params)
			r.server.write(line)
			if c.answer != "" {
				r.eventually("the client is asked", func() bool { return strings.Contains(r.next(), `"id":"q"`) })
				r.send(`{"jsonrpc":"2.0","id":"q",` + c.answer + `}`)
			} else {
				theServerWasTold(r, `"q"`)
			}
			if c.kind == "" {
				r.eventually("the server has it", func() bool { return r.server.got(`"roots":[]`) })
				if got := append(r.gate.kinds("sampling"), r.gate.kinds("elicitation")...); len(got) != 0 {
					t.Errorf("%+v", got)
				}
				return
			}
			r.eventually("there is a record", func() bool { return len(r.gate.kinds(c.kind)) > 0 })
			got := r.gate.kinds(c.kind)
			var detail struct{ Action string }
			_ = json.Unmarshal(got[0].Detail, &detail)
			if len(got) != 1 || got[0].Status != c.status || detail.Action != c.action || got[0].Bytes != int64(len(line)+1) || strings.Contains(fmt.Sprintf("%+v %s", got, got[0].Detail), "private") {
				t.Errorf("%+v %s", got, got[0].Detail)
			}
			if c.status == "blocked" && got[0].Code != "NT3R" {
				t.Errorf("it does not name its item: %+v", got[0])
			}
		})
	}
}

func TestAServerThatAsksWithoutEndIsKeptByCount(t *testing.T) {
	r := newRig(t, approveNone)
	r.initialize()
	const asks = 5000
	for i := range asks {
		r.server.write(askLine(fmt.Sprint(i), "sampling/createMessage", plainPrompt))
	}
	r.eventually("all are refused", func() bool { return r.server.got(fmt.Sprintf(`"id":%d,"error"`, asks-1)) })
	var (
		total, bytes int64
		records      []control.Record
	)
	r.eventually("all are in the timeline, while the session goes on", func() bool {
		records, total, bytes = r.gate.kinds("sampling"), 0, 0
		for _, rec := range records {
			var detail struct{ Calls int64 }
			_ = json.Unmarshal(rec.Detail, &detail)
			total, bytes = total+max(detail.Calls, 1), bytes+rec.Bytes
		}
		return total >= asks
	})
	if total != asks || len(records) > askBurst+int(patience/time.Second) {
		t.Errorf("%d requests are kept in %d records, which count %d of %d bytes", asks, len(records), total, bytes)
	}
}

func TestWhatAServerAskedAndNobodyAnsweredIsARecordAtTheEnd(t *testing.T) {
	r := ready(t)
	r.server.declare(func(s *server) { s.leaves = true })
	r.server.write(askLine("7", "sampling/createMessage", plainPrompt))
	r.eventually("the client is asked", func() bool { return strings.Contains(r.next(), `"id":7`) })
	r.in.Close()
	<-r.ended
	records := r.gate.kinds("sampling")
	if len(records) != 1 || records[0].Status != "error" || string(records[0].Detail) != `{"action":"unanswered"}` {
		t.Errorf("%+v", records)
	}
}
