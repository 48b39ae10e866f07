package app

import (
	"slices"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
)

const (
	askCity     = `{"message":"Which city?","requestedSchema":{"type":"object","properties":{"city":{"type":"string"}}}}`
	askPassword = `{"message":"Sign in","requestedSchema":{"type":"object","properties":{"password":{"type":"string"}}}}`
	askContext  = `{"messages":[],"maxTokens":1,"includeContext":"allServers"}`
)

func (s *server) asks(t *testing.T, method, params string) string {
	t.Helper()
	kept, err := s.p.Interaction(s, control.Interaction{Method: method, Params: []byte(params)})
	if err != nil {
		t.Fatal(err)
	}
	return kept.Code
}

// mayAsk says whether a wrapper that was told this state lets the request through.
func mayAsk(t *testing.T, s control.State, method, params string) bool {
	t.Helper()
	digest, err := pin.RequestDigest(method, []byte(params))
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(s.Asks, func(a control.Allowed) bool {
		return a.Kind == inspect.AskKind(method) && slices.Contains(a.Requests, digest)
	})
}

func TestARefusedQuestionWaitsWithWhatWasAskedAndWhatWasFound(t *testing.T) {
	p := newPlace(t)
	w := mailServer(t, p)
	code := w.asks(t, "elicitation/create", askPassword)
	it := p.item()
	if it.Code != code || it.Kind != "interaction" || it.Severity != "high" || it.Server != "mail" || states(it) != "interaction:elicitation=new" {
		t.Fatalf("item %+v", it)
	}
	if strings.Contains(it.Title, "Sign in") || it.Parts[0].Findings[0].Rule != inspect.AsksForSecret {
		t.Errorf("title %q, findings %+v", it.Title, it.Parts[0].Findings)
	}
	detail, err := p.Item(code)
	if err != nil {
		t.Fatal(err)
	}
	if d := detail.Details[0]; string(d.Definition) != askPassword || len(d.Changes) != 1 || len(d.Findings) == 0 {
		t.Errorf("detail %+v", d)
	}
	if again := w.asks(t, "elicitation/create", askPassword); again != code {
		t.Errorf("the same question again: %s", again)
	}
	second := w.asks(t, "sampling/createMessage", askContext)
	it = p.item()
	if second == code || it.Code != second || states(it) != "interaction:elicitation=new interaction:sampling=new" {
		t.Errorf("with another kind: %+v", it)
	}
}

func TestAnApprovedQuestionPassesWordForWordAndNoOtherDoes(t *testing.T) {
	p := newPlace(t)
	w := mailServer(t, p)
	w.asks(t, "elicitation/create", askPassword)
	it := p.item()
	// What has findings passes only where the person says so.
	if d := p.approve(it); len(d.Approved) != 0 || d.Next != it.Code {
		t.Fatalf("decided %+v", d)
	}
	if d := p.approve(it, "interaction:elicitation"); !slices.Equal(d.Approved, []string{"interaction:elicitation"}) || d.Server != "mail" {
		t.Fatalf("decided %+v", d)
	}
	p.quiet()
	s := w.last(t)
	if !mayAsk(t, s, "elicitation/create", askPassword) || mayAsk(t, s, "elicitation/create", askCity) || s.Asks[0].All {
		t.Errorf("told %+v", s.Asks)
	}
	if got := p.records("approval"); len(got) < 2 || got[len(got)-1].Code != it.Code {
		t.Errorf("recorded %+v", got)
	}
	// Blocking the server takes it back.
	if _, err := p.Block(person, control.Block{Server: "mail"}); err != nil {
		t.Fatal(err)
	}
	if s := w.last(t); len(s.Asks) != 0 {
		t.Errorf("after the block %+v", s.Asks)
	}
}

func TestARejectedQuestionStaysRefusedUnderItsCodeAndCanStillBeAllowed(t *testing.T) {
	p := newPlace(t)
	w := mailServer(t, p)
	code := w.asks(t, "elicitation/create", askPassword)
	it := p.item()
	p.reject(it)
	p.quiet()
	if again := w.asks(t, "elicitation/create", askPassword); again != code {
		t.Errorf("asked again, it waits under %s", again)
	}
	p.quiet()
	if mayAsk(t, w.last(t), "elicitation/create", askPassword) {
		t.Error("it passes")
	}
	p.approveAll(it)
	if !mayAsk(t, w.last(t), "elicitation/create", askPassword) {
		t.Error("reconsidered, it does not pass")
	}
}

func TestWithAskTheFirstOfAKindIsDecidedForItsKindUnlessItIsGrave(t *testing.T) {
	p := newPlace(t)
	w := mailServer(t, p)
	if _, err := p.SetSetting(person, control.SettingQuery{Key: "interaction.policy", Value: "ask"}); err != nil {
		t.Fatal(err)
	}
	w.asks(t, "elicitation/create", askCity)
	it := p.item()
	if it.Severity != "review" {
		t.Errorf("severity %s", it.Severity)
	}
	p.approve(it)
	if s := w.last(t); len(s.Asks) != 1 || !s.Asks[0].All || s.Asks[0].Kind != "elicitation" {
		t.Errorf("told %+v", s.Asks)
	}
	w.asks(t, "sampling/createMessage", askContext)
	p.approveAll(p.item())
	s := w.last(t)
	if len(s.Asks) != 2 || s.Asks[0].Kind != "sampling" || s.Asks[0].All || !mayAsk(t, s, "sampling/createMessage", askContext) {
		t.Errorf("a grave one opened its kind: %+v", s.Asks)
	}
	// A kind that was rejected is not asked about again in other words.
	first := w.asks(t, "roots/list", `{}`)
	p.reject(p.item())
	if again := w.asks(t, "roots/list", `{"x":1}`); again != first {
		t.Errorf("it waits again under %s", again)
	}
	p.quiet()
}

func TestWhatAServerMayAskSurvivesARestartOfTheHub(t *testing.T) {
	home := newHome(t)
	p := open(t, home, nil)
	w := mailServer(t, p)
	w.asks(t, "elicitation/create", askPassword)
	p.approveAll(p.item())
	p.Close()
	p = open(t, home, nil)
	if s := p.wrap("mail").last(t); !mayAsk(t, s, "elicitation/create", askPassword) {
		t.Errorf("told %+v", s.Asks)
	}
}

func TestAQuestionThatCannotBeShownIsNoItem(t *testing.T) {
	p := newPlace(t)
	w := mailServer(t, p)
	for name, params := range map[string]string{"no JSON": `{`, "two readings": `{"a":1,"a":2}`, "no object": `[1]`, "huge": `{"a":"` + strings.Repeat("x", control.MaxInteraction) + `"}`} {
		if _, err := p.Interaction(w, control.Interaction{Method: "elicitation/create", Params: []byte(params)}); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
	p.quiet()
}

func TestACriticalQuestionIsNotPushedAsideByAHarmlessOne(t *testing.T) {
	p := newPlace(t)
	w := mailServer(t, p)
	critical := control.Interaction{Method: "x/ask", Params: []byte(`{"a":1}`), Findings: []inspect.Finding{{Rule: "role_hijack", Level: inspect.Critical, Category: "threat", Title: "t", Where: "a"}}}
	kept, err := p.Interaction(w, critical)
	if err != nil {
		t.Fatal(err)
	}
	if code := w.asks(t, "x/ask", `{"a":2}`); code != kept.Code || p.item().Severity != "critical" {
		t.Errorf("code %s, item %+v", code, p.item())
	}
}

// mailServer is a server that a person has let in.
func mailServer(t *testing.T, p *place) *server {
	t.Helper()
	w := p.wrap("mail")
	w.report(tool("send", "Sends a mail."))
	p.approve(p.item())
	return w
}
