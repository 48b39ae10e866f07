package app

import (
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// unread is a tool whose definition has no one reading, as a wrapper reports it.
func unread(definition string) pin.Item {
	return pin.Item{Kind: pin.Tool, Name: "what a wrapper says counts for nothing", Unread: []byte(definition)}
}

const (
	halfEcho   = `{"name":"echo","description":"x\ud800","inputSchema":{"type":"object"}}`
	doubleEcho = `{"name":"echo","inputSchema":{"properties":{"x":{},"X":{}}}}`
)

func TestAnItemWithoutOneReadingWaitsByItsNameAndNobodyCanAllowIt(t *testing.T) {
	for name, definition := range map[string]string{"half of a surrogate pair": halfEcho, "two keys": doubleEcho} {
		for _, fresh := range []bool{true, false} {
			p := newPlace(t)
			w := p.wrap("weather")
			state, kind := vocab.PartNew, vocab.ItemNewServer
			echo, other := tool("echo", "Says it again."), tool("other", "Another.")
			if !fresh {
				state, kind = vocab.PartChanged, vocab.ItemChanged
				w.report(echo, other)
				p.approve(p.item())
			}
			s := w.report(unread(definition), other)
			wantState(t, s, "tool:echo", state)
			it := p.item()
			if it.Kind != kind || it.Severity != vocab.SeverityHigh || served(s, echo) || len(s.Items["tool:echo"].Approved) != 0 || s.Items["tool:echo"].Code != it.Code {
				t.Errorf("%s: item %+v, state %+v", name, it, s)
			}
			detail, err := p.Item(it.Code)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range detail.Details {
				if d.Item == "tool:echo" && (len(d.Findings) != 1 || d.Findings[0].Rule != inspect.NoReading || d.Definition != nil || len(d.Changes) != 0) {
					t.Errorf("%s: shown as %+v", name, d)
				}
			}
			e := wantError(t, errOf(p.Decide(person, control.Decide{Code: it.Code, Digest: it.Digest, Items: []string{"tool:echo"}})), control.CodeBadRequest)
			if !strings.Contains(e.Message, "read in two ways") {
				t.Errorf("%s: %s", name, e.Message)
			}
			p.approveAll(it)
			it = p.item()
			if s = w.Last(t); states(it) != "tool:echo="+string(state) || len(s.Items["tool:echo"].Approved) != 0 {
				t.Errorf("%s: after everything was allowed: %s, %+v", name, states(it), s.Items["tool:echo"])
			}
			if fresh {
				continue
			}
			// The approved version works again once it is declared again; a rejected one is no longer pending.
			if s = w.report(echo, other); !served(s, echo) {
				t.Errorf("%s: declared as allowed: %+v", name, s)
			}
			p.quiet()
			w.report(unread(definition), other)
			p.reject(p.item())
			p.quiet()
			wantState(t, w.Last(t), "tool:echo", vocab.PartRejected)
			if other := unread(strings.Replace(definition, "{", "{ ", 1)); w.report(other).Items["tool:echo"].State != vocab.PartChanged {
				t.Errorf("%s: other bytes of it do not wait", name)
			}
		}
	}
}
