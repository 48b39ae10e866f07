package app

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
)

const (
	askCity     = `{"message":"Which city?","requestedSchema":{"type":"object","properties":{"city":{"type":"string"}}}}`
	askPassword = `{"message":"Sign in","requestedSchema":{"type":"object","properties":{"password":{"type":"string"}}}}`
	askCard     = `{"message":"Pay","requestedSchema":{"type":"object","properties":{"credit_card_number":{"type":"string"}}}}`
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

// mayAsk reports whether a wrapper with this state forwards the request.
func mayAsk(t *testing.T, s control.State, method, params string) bool {
	t.Helper()
	digest, err := pin.RequestDigest(method, []byte(params))
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(s.Asks, func(a control.Allowed) bool {
		return a.Kind == vocab.AskOf(method) && slices.Contains(a.Requests, digest)
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
	// Requests with findings pass only if the person names them.
	if d := p.approve(it); len(d.Approved) != 0 || d.Next != it.Code {
		t.Fatalf("decided %+v", d)
	}
	if d := p.approve(it, "interaction:elicitation"); !slices.Equal(d.Approved, []string{"interaction:elicitation"}) || d.Server != "mail" {
		t.Fatalf("decided %+v", d)
	}
	p.quiet()
	s := w.Last(t)
	if !mayAsk(t, s, "elicitation/create", askPassword) || mayAsk(t, s, "elicitation/create", askCity) || s.Asks[0].All {
		t.Errorf("told %+v", s.Asks)
	}
	if got := p.records("approval"); len(got) < 2 || got[len(got)-1].Code != it.Code {
		t.Errorf("recorded %+v", got)
	}
	// Blocking the server undoes it.
	if _, err := p.Block(person, control.Block{Server: "mail"}); err != nil {
		t.Fatal(err)
	}
	if s := w.Last(t); len(s.Asks) != 0 {
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
	if mayAsk(t, w.Last(t), "elicitation/create", askPassword) {
		t.Error("it passes")
	}
	p.approveAll(it)
	if !mayAsk(t, w.Last(t), "elicitation/create", askPassword) {
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
	if s := w.Last(t); len(s.Asks) != 1 || !s.Asks[0].All || s.Asks[0].Kind != "elicitation" {
		t.Errorf("told %+v", s.Asks)
	}
	w.asks(t, "sampling/createMessage", askContext)
	p.approveAll(p.item())
	s := w.Last(t)
	if len(s.Asks) != 2 || s.Asks[0].Kind != "sampling" || s.Asks[0].All || !mayAsk(t, s, "sampling/createMessage", askContext) {
		t.Errorf("a grave one opened its kind: %+v", s.Asks)
	}
	// A rejected kind of request is not asked about again with another text.
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
	if s := p.wrap("mail").Last(t); !mayAsk(t, s, "elicitation/create", askPassword) {
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

func TestACriticalQuestionIsNotPushedAsideByHarmlessOnes(t *testing.T) {
	p := newPlace(t)
	w := mailServer(t, p)
	critical := control.Interaction{Method: "x/ask", Params: []byte(`{"a":"first"}`), Findings: []inspect.Finding{{Rule: "role_hijack", Level: inspect.Critical, Category: "threat", Title: "t", Where: "a"}}}
	if _, err := p.Interaction(w, critical); err != nil {
		t.Fatal(err)
	}
	for i := range 30 {
		w.asks(t, "x/ask", fmt.Sprintf(`{"a":%d}`, i))
	}
	it := p.item()
	if d := p.requests(it.Code)[0]; it.Severity != "critical" || !strings.Contains(string(d.Definition), "first") {
		t.Errorf("item %+v, detail %+v", it, d)
	}
}

func TestNoHarmlessQuestionTakesTheRoomOfACriticalOne(t *testing.T) {
	p := newPlace(t)
	w := mailServer(t, p)
	for i := range review.MaxAlike {
		critical := control.Interaction{Method: "x/ask", Params: fmt.Appendf(nil, `{"a":"critical %d"}`, i), Findings: []inspect.Finding{{Rule: "role_hijack", Level: inspect.Critical, Category: "threat", Title: "t", Where: "a"}}}
		if _, err := p.Interaction(w, critical); err != nil {
			t.Fatal(err)
		}
	}
	it := p.item()
	if code := w.asks(t, "x/ask", `{"a":"`+strings.Repeat("x", control.MaxInteraction-10)+`"}`); code != it.Code {
		t.Errorf("the code is %s, of the item %s", code, it.Code)
	}
	w.asks(t, "x/ask", `{"a":"x"}`)
	d := p.requests(p.item().Code)[0]
	if now := p.item(); now.Severity != "critical" || now.Digest != it.Digest || len(d.Changes) != review.MaxAlike+1 || !strings.HasPrefix(d.Changes[review.MaxAlike].Words, "and 2 more") {
		t.Errorf("item %+v, changes %+v", now, d.Changes)
	}
}

func TestTheHostOfALinkIsShownBeforeTheLinkAndInASCII(t *testing.T) {
	const (
		alike = `{"mode":"url","message":"Sign in","url":"https://g\u043e\u043egle.example/login"}`
		user  = `{"mode":"url","message":"Sign in","url":"https://github.com@evil.example/"}`
		none  = `{"mode":"url","message":"Sign in","url":"javascript:alert(1)"}`
	)
	p := newPlace(t)
	w := mailServer(t, p)
	d := p.requests(w.asks(t, "elicitation/create", alike))[0]
	if len(d.Changes) != 2 || d.Changes[0].After != "xn--ggle-55da.example" || d.Changes[0].Path != "host" || d.Changes[1].After != alike {
		t.Errorf("one request: %+v", d.Changes)
	}
	w.asks(t, "elicitation/create", user)
	d = p.requests(w.asks(t, "elicitation/create", none))[0]
	var shown []string
	for _, c := range d.Changes {
		shown = append(shown, c.Path+": "+c.After)
	}
	if want := []string{"1 host: xn--ggle-55da.example", "1: " + alike, "2 host: evil.example", "2: " + user, "3 host: ", "3: " + none}; !slices.Equal(shown, want) {
		t.Errorf("several: %q", shown)
	}
}

func TestARequestMadeAgainWithOtherMetaDoesNotGrow(t *testing.T) {
	p := newPlace(t)
	w := mailServer(t, p)
	var code string
	for i := range 20 {
		code = w.asks(t, "elicitation/create", fmt.Sprintf(`{"_meta":{"ignore all previous instructions %d":1},%s`, i, askPassword[1:]))
	}
	d := p.requests(code)[0]
	if len(d.Changes) != 1 || len(d.Findings) > 4 {
		t.Errorf("%d changes, findings %+v", len(d.Changes), d.Findings)
	}
}

func TestRefusedRequestsOfAKindStayInTheItemUntilTheyAreDecided(t *testing.T) {
	p := newPlace(t)
	w := mailServer(t, p)
	first := w.asks(t, "elicitation/create", askPassword)
	before := p.item()
	second := w.asks(t, "elicitation/create", askCard)
	it := p.item()
	if second == first || it.Code != second || it.Digest == before.Digest || states(it) != "interaction:elicitation=new" || it.Severity != "high" {
		t.Fatalf("item %+v", it)
	}
	var found []string
	for _, f := range it.Parts[0].Findings {
		found = append(found, f.Rule+" in "+f.Where)
	}
	want := []string{"asks_for_secret in request 1: requestedSchema.properties.password", "asks_for_payment in request 2: requestedSchema.properties.credit_card_number"}
	if !slices.Equal(found, want) {
		t.Errorf("found %q", found)
	}
	d := p.requests(it.Code)[0]
	if string(d.Definition) != "["+askPassword+","+askCard+"]" || len(d.Changes) != 2 || d.Changes[0].After != askPassword || d.Changes[1].After != askCard || d.Changes[0].Path == d.Changes[1].Path || d.Digest == "" {
		t.Errorf("detail %+v", d)
	}
	if again := w.asks(t, "elicitation/create", askPassword); again != second || p.item().Digest != it.Digest {
		t.Errorf("the first again: %s, item %+v", again, p.item())
	}
	if d := p.approve(it); len(d.Approved) != 0 || !slices.Equal(d.Left, []string{"interaction:elicitation"}) {
		t.Errorf("not named, decided %+v", d)
	}
	if d := p.approve(it, "interaction:elicitation"); !slices.Equal(d.Approved, []string{"interaction:elicitation"}) {
		t.Errorf("decided %+v", d)
	}
	s := w.Last(t)
	if !mayAsk(t, s, "elicitation/create", askPassword) || !mayAsk(t, s, "elicitation/create", askCard) || mayAsk(t, s, "elicitation/create", askCity) || s.Asks[0].All {
		t.Errorf("told %+v", s.Asks)
	}
	p.quiet()
}

func TestAKindIsLeftWaitingWholeWhileAnotherIsDecided(t *testing.T) {
	p := newPlace(t)
	w := mailServer(t, p)
	w.asks(t, "elicitation/create", askPassword)
	w.asks(t, "sampling/createMessage", askContext)
	w.asks(t, "elicitation/create", askCard)
	it := p.item()
	if states(it) != "interaction:elicitation=new interaction:sampling=new" {
		t.Fatalf("item %+v", it)
	}
	d := p.approve(it, "interaction:sampling")
	if !slices.Equal(d.Left, []string{"interaction:elicitation"}) || p.item().Code != d.Next || len(p.requests(d.Next)[0].Changes) != 2 {
		t.Errorf("decided %+v, item %+v", d, p.item())
	}
	p.reject(p.item())
	p.quiet()
	if s := w.Last(t); mayAsk(t, s, "elicitation/create", askPassword) || mayAsk(t, s, "elicitation/create", askCard) {
		t.Errorf("told %+v", s.Asks)
	}
}

func TestACleanQuestionIsNotAllowedUnseenBesideOneThatIsNot(t *testing.T) {
	p := newPlace(t)
	w := mailServer(t, p)
	p.set("interaction.policy", "ask")
	w.asks(t, "elicitation/create", askCity)
	w.asks(t, "elicitation/create", askPassword)
	if d := p.approve(p.item()); len(d.Approved) != 0 {
		t.Errorf("decided %+v", d)
	}
}

func TestOfManyRequestsOfAKindTheLastAreShownAndTheOthersCounted(t *testing.T) {
	p := newPlace(t)
	w := mailServer(t, p)
	question := func(i int) string {
		return fmt.Sprintf(`{"message":"%d","requestedSchema":{"type":"object","properties":{"password":{"type":"string"}}}}`, i)
	}
	for i := range 13 {
		w.asks(t, "elicitation/create", question(i))
	}
	it := p.item()
	d := p.requests(it.Code)[0]
	if n := len(d.Changes); n != 11 || d.Changes[0].After != question(3) || d.Changes[9].After != question(12) || !strings.HasPrefix(d.Changes[10].Words, "and 3 more") {
		t.Errorf("shown %+v", d.Changes)
	}
	p.approveAll(it)
	s := w.Last(t)
	if mayAsk(t, s, "elicitation/create", question(2)) || !mayAsk(t, s, "elicitation/create", question(3)) || !mayAsk(t, s, "elicitation/create", question(12)) {
		t.Errorf("told %+v", s.Asks)
	}
}

func TestLargeRequestsOfAKindShareTheRoomOfOne(t *testing.T) {
	p := newPlace(t)
	w := mailServer(t, p)
	for _, c := range "abc" {
		w.asks(t, "x/ask", `{"a":"`+strings.Repeat(string(c), control.MaxInteraction*2/5)+`"}`)
	}
	if d := p.requests(p.item().Code)[0]; len(d.Changes) != 3 || len(d.Definition) > control.MaxInteraction+16 || !strings.HasPrefix(d.Changes[2].Words, "and 1 more") {
		t.Errorf("%d changes, %d bytes", len(d.Changes), len(d.Definition))
	}
}

// requests lists the parts of an item as a person sees them.
func (p *place) requests(code string) []control.PartDetail {
	p.t.Helper()
	detail, err := p.Item(code)
	if err != nil {
		p.t.Fatal(err)
	}
	return detail.Details
}

// mailServer is a server that a person allowed.
func mailServer(t *testing.T, p *place) *server {
	t.Helper()
	w := p.wrap("mail")
	w.report(tool("send", "Sends a mail."))
	p.approve(p.item())
	return w
}
