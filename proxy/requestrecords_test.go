package proxy

import (
	"testing"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// What the timeline has of one call can be put together: its records have one request, and no other call has it.
func TestTheRecordsOfOneCallShareItsRequest(t *testing.T) {
	r := ready(t, func(r *rig) {
		r.gate.settings["redact.mode"], r.gate.settings["spotlight"] = "redact", "on"
		r.server.tools = []string{`{"name":"echo","description":"d","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"n":{"type":"number"}}}}`}
	})
	saying(r, `"result":{"content":[{"type":"text","text":"password=hunter2hunter2 and __ot"}],"structuredContent":{"n":"none"}}`)
	// One id twice is two calls.
	r.call("7", "echo")
	r.call("7", "echo")
	r.call("8", "echo")
	said := func() map[string][]string {
		all := map[string][]string{}
		for _, rec := range r.gate.allRecords() {
			if rec.Tool != "echo" {
				continue
			}
			all[rec.Request] = append(all[rec.Request], string(rec.Kind)+" "+rec.Check())
		}
		return all
	}
	r.eventually("all is recorded", func() bool {
		n := 0
		for _, all := range said() {
			n += len(all)
		}
		return n == 12
	})
	for request, all := range said() {
		if request == "" || len(all) != 4 {
			t.Errorf("%q: %q", request, all)
		}
	}
	if n := len(said()); n != 3 {
		t.Errorf("%d requests for three calls", n)
	}
}

// A held response is known to the hub by the request of its call: what a person decides about it has that, too.
func TestAHeldResponseIsKnownByTheRequestOfItsCall(t *testing.T) {
	r := ready(t)
	saying(r, textResult(poison))
	r.call("7", "echo")
	held := r.gate.heldAnswers()
	if len(held) != 1 {
		t.Fatalf("%d held", len(held))
	}
	r.records("the call", func(rec control.Record) bool {
		return rec.Kind == vocab.RecordCall && rec.Status == vocab.StatusHeld && rec.Request != "" && rec.Request == held[0].ID
	})
}
