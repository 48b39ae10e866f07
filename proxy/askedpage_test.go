package proxy

import (
	"strconv"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
)

func TestAQuestionThatNamesAPageNobodyApprovedIsRefusedWhateverTheSettings(t *testing.T) {
	for name, params := range map[string]string{
		"as the page to open":               `{"mode":"url","message":"m","url":"ui://show/main","elicitationId":"1"}`,
		"as its user interface":             `{"message":"m","_meta":{"ui":{"resourceUri":"ui://show/main"}}}`,
		"as its template":                   `{"message":"m","_meta":{"openai/outputTemplate":"ui://show/main"}}`,
		"in a place that only clients know": `{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string","x-view":" UI://show/main "}}}}`,
		"one that is declared nowhere":      `{"message":"m","_meta":{"ui":{"resourceUri":"ui://show/other"}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			approved := pin.Digest("")
			if d, err := pin.RequestDigest("elicitation/create", []byte(params)); err == nil {
				approved = d
			}
			r := newRig(t, func(i pin.Item) bool { return i.Kind == pin.Tool }, func(r *rig) { uiServer(r.server) })
			r.initialize()
			r.tools("1")
			r.gate.set(func(g *gatekeeper) {
				g.settings["interaction.policy"] = "allow"
				g.asks = []control.Allowed{{Kind: "elicitation", All: true, Requests: []pin.Digest{approved}}}
			})
			r.server.write(askLine(`"q"`, "elicitation/create", params))
			if told := theServerWasTold(r, `"q"`); !strings.Contains(told, "page (ui://)") || strings.Contains(told, "ui://s") {
				t.Errorf("the server was told %s", told)
			}
			r.records("it says why", func(rec control.Record) bool {
				return rec.Kind == "policy_decision" && rec.Status == "blocked" && strings.Contains(string(rec.Detail), "unreviewed_page")
			})
			failing(r, "tools/call", elicitError("-32042", params))
			if got := r.call("5", "echo"); !refused(got) || strings.Contains(got, "ui://s") {
				t.Errorf("as an error it was delivered: %s", got)
			}
			r.quiet("the client gets no question")
		})
	}
}

func TestAQuestionHoldsNoOtherPageThanTheApprovedOne(t *testing.T) {
	page := strings.Trim(mainPage, "[]")
	asks := func(page string) string {
		return `{"maxTokens":5,"messages":[{"role":"user","content":{"type":"resource","resource":` + page + `}}]}`
	}
	r := newRig(t, approveAll, weatherPage(true))
	r.gate.settings = map[string]string{"interaction.policy": "allow"}
	r.initialize()
	r.tools("1")
	r.server.write(askLine(`"same"`, "sampling/createMessage", asks(page)))
	if got := r.next(); !strings.Contains(got, page) {
		t.Errorf("with the approved page: %s", got)
	}
	r.server.write(askLine(`"other"`, "sampling/createMessage", asks(strings.Replace(page, "weather<", "your password<", 1))))
	if told := theServerWasTold(r, `"other"`); !strings.Contains(told, "page (ui://)") {
		t.Errorf("the server was told %s", told)
	}
	r.quiet("the client gets no other page")
}

func TestAQuestionMayNameAnApprovedPageAndSpeakOfPages(t *testing.T) {
	r := newRig(t, func(i pin.Item) bool { return true }, func(r *rig) { uiServer(r.server) })
	r.initialize()
	r.tools("1")
	for id, params := range []string{`{"message":"m","_meta":{"ui":{"resourceUri":"ui://show/main"}}}`, `{"message":"Pages have addresses that begin with ui:// here."}`} {
		line := askLine(strconv.Itoa(id), "elicitation/create", params)
		r.server.write(line)
		if got := r.next(); got != line {
			t.Errorf("got %s", got)
		}
		r.send(`{"jsonrpc":"2.0","id":` + strconv.Itoa(id) + `,"result":{"action":"decline"}}`)
	}
}

func TestAPageThatAQuestionNamesBecomesAnItemAndPassesOnceItIsApproved(t *testing.T) {
	const page, question = "ui://asked/form", `{"message":"m","_meta":{"ui":{"resourceUri":"ui://asked/form"}}}`
	r := newRig(t, func(i pin.Item) bool { return i.Kind == pin.Tool }, weatherPage(false))
	r.initialize()
	r.tools("1")
	r.server.write(askLine(`"q"`, "elicitation/create", question))
	theServerWasTold(r, `"q"`)
	r.eventually("the page is an item", func() bool { _, ok := r.declaredPage(page); return ok })
	r.gate.set(func(g *gatekeeper) {
		for _, item := range g.reports[len(g.reports)-1].Items {
			g.approved[item.Key()] = []pin.Digest{item.Digest}
		}
	})
	r.eventually("the session knows of the approval", func() bool { return r.s.view().Served["resource:"+page] })
	line := askLine(`"again"`, "elicitation/create", question)
	r.server.write(line)
	r.eventually("the question passes", func() bool { return r.next() == line })
}
