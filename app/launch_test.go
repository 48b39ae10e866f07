package app

import (
	"bytes"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
)

// ran is a launch as most are: node runs a script of a package.
func ran(change func(*pin.LaunchForm)) pin.LaunchForm {
	sum := strings.Repeat("ab", 32)
	f := pin.LaunchForm{
		Executable: pin.LaunchFile{Path: "/usr/bin/node", SHA256: sum},
		Script:     &pin.LaunchFile{Path: "/srv/index.js", SHA256: sum},
		Package:    &pin.LaunchPackage{Manager: "npm", Name: "weather", Version: "1.0.0"},
		Dir:        "/home/u", Variables: []string{"HOME", "PATH"},
	}
	if change != nil {
		change(&f)
	}
	return f
}

func otherScript(f *pin.LaunchForm) {
	f.Script = &pin.LaunchFile{Path: f.Script.Path, SHA256: strings.Repeat("cd", 32)}
}

func newVersion(f *pin.LaunchForm) {
	f.Package = &pin.LaunchPackage{Manager: "npm", Name: "weather", Version: "2.0.0"}
}

func preloads(f *pin.LaunchForm) {
	f.Loaders = []pin.LaunchLoader{{Name: "NODE_OPTIONS", Hash: "aa"}}
	f.Variables = append(f.Variables, "NODE_OPTIONS")
}

// pending is what is known about it before it runs.
func pending(f *pin.LaunchForm) {
	f.Package = &pin.LaunchPackage{Manager: "npm", Pending: true}
	f.Answers = &pin.LaunchAnswers{Pending: true}
}

func (s *server) launch(final bool, change func(*pin.LaunchForm)) *control.LaunchState {
	s.p.t.Helper()
	return s.reportLaunch(control.LaunchReport{Form: ran(change), Final: final})
}

func (s *server) reportLaunch(r control.LaunchReport) *control.LaunchState {
	s.p.t.Helper()
	state, err := s.p.Launch(s, r)
	if err != nil {
		s.p.t.Fatal(err)
	}
	return state.Launch
}

func wantVerdict(t testing.TB, s *control.LaunchState, want control.LaunchVerdict) {
	t.Helper()
	if s == nil || s.Verdict != want {
		t.Fatalf("verdict %+v, want %q", s, want)
	}
}

func (p *place) set(key, value string) {
	p.t.Helper()
	if _, err := p.SetSetting(person, control.SettingQuery{Key: key, Value: value, Decided: true}); err != nil {
		p.t.Fatal(err)
	}
}

// met is a server whose first launch and only tool were allowed.
func (p *place) met() *server {
	p.t.Helper()
	w := p.wrap("weather")
	wantVerdict(p.t, w.launch(false, pending), control.LaunchGo)
	w.launch(true, nil)
	w.report(tool("a", "one"))
	p.approveAll(p.item())
	return w
}

func TestWhatAWrapperMayDoWithALaunch(t *testing.T) {
	allowed := []pin.LaunchForm{ran(nil)}
	for name, test := range map[string]struct {
		mode    string
		allowed []pin.LaunchForm
		final   bool
		change  func(*pin.LaunchForm)
		want    control.LaunchVerdict
	}{
		"off looks at nothing":                                  {"off", allowed, true, preloads, control.LaunchGo},
		"the same launch goes":                                  {"notify", allowed, true, nil, control.LaunchGo},
		"the same launch goes under block":                      {"block", allowed, true, nil, control.LaunchGo},
		"notify lets a changed script run":                      {"notify", allowed, false, otherScript, control.LaunchGo},
		"block does not":                                        {"block", allowed, false, otherScript, control.LaunchHold},
		"notify lets a new version run":                         {"notify", allowed, true, newVersion, control.LaunchGo},
		"block holds a new version":                             {"block", allowed, true, newVersion, control.LaunchHold},
		"a variable that loads code is held under notify":       {"notify", allowed, false, preloads, control.LaunchHold},
		"another executable is held under notify":               {"notify", allowed, false, func(f *pin.LaunchForm) { f.Executable.Path = "/tmp/node" }, control.LaunchHold},
		"another folder goes under notify":                      {"notify", allowed, false, func(f *pin.LaunchForm) { f.Dir = "/tmp" }, control.LaunchGo},
		"another folder goes under block too":                   {"block", allowed, false, func(f *pin.LaunchForm) { f.Dir = "/tmp" }, control.LaunchGo},
		"what only a running server shows is waited for":        {"block", allowed, false, pending, control.LaunchWait},
		"and not under notify":                                  {"notify", allowed, false, pending, control.LaunchGo},
		"what answers is confirmed beside the first calls":      {"block", allowed, false, func(f *pin.LaunchForm) { f.Answers = &pin.LaunchAnswers{Pending: true} }, control.LaunchGo},
		"a file that nobody has read is no reason to let calls": {"block", allowed, false, func(f *pin.LaunchForm) { f.Executable.SHA256 = "" }, control.LaunchWait},
		"what was taken back is held":                           {"notify", nil, true, nil, control.LaunchHold},
		"an unknown mode is notify's grave half at least":       {"", allowed, false, preloads, control.LaunchHold},
	} {
		l := review.LaunchStanding{Mode: test.mode, Known: true, Allowed: test.allowed}
		if got := l.Verdict(&review.Launched{Form: ran(test.change), Final: test.final}); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
		if l.Known = false; test.mode != "off" && l.Verdict(nil) != "" {
			t.Errorf("%s: a verdict before a report", name)
		}
	}
}

func TestALaunchBelongsToTheFirstReviewAndIsTakenByAnyChoiceOfIt(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("weather")
	state := w.launch(true, nil)
	wantVerdict(t, state, control.LaunchGo)
	if !state.First || len(state.Key) == 0 {
		t.Fatalf("%+v", state)
	}
	p.quiet() // a launch alone is nothing to decide on
	w.report(tool("a", "one"), tool("b", "two"))
	it := p.item()
	if it.Kind != "new_server" || states(it) != "launch=new tool:a=new tool:b=new" {
		t.Fatalf("item %+v", it)
	}
	if d := p.approve(it, "tool:a"); strings.Join(d.Approved, " ") != "launch tool:a" {
		t.Fatalf("%+v", d)
	}
	again := p.wrap("weather")
	wantVerdict(t, again.launch(true, nil), control.LaunchGo)
	if again.Last(t).Launch.First {
		t.Error("it is taken for new still")
	}
}

func TestARejectionOfANewServerSaysNothingOfItsLaunch(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("weather")
	w.launch(true, nil)
	w.report(tool("a", "one"))
	it := p.item()
	if d := p.reject(it); strings.Join(d.Rejected, " ") != "tool:a" {
		t.Fatalf("%+v", d)
	}
	p.quiet()
	p.approveAll(it) // reconsidered by its code
	wantVerdict(t, p.wrap("weather").launch(true, nil), control.LaunchGo)
}

func TestALaunchTrustedOnFirstUseIsPinnedLikeAnyOther(t *testing.T) {
	p := newPlace(t)
	p.set("pins.first_use", "trust-clean")
	w := p.wrap("weather")
	w.launch(true, nil)
	w.report(tool("a", "one"))
	p.quiet()
	if got := p.records("drift"); len(got) != 0 {
		t.Errorf("nothing came back: %+v", got)
	}
	servers, err := p.Servers()
	if err != nil || len(servers) != 1 {
		t.Fatal(servers, err)
	}
	for _, item := range servers[0].Items {
		if item.Approved != "trusted on first use, never read" {
			t.Errorf("%+v", item)
		}
	}
	w.launch(true, otherScript)
	if it := p.item(); it.Kind != "launch" {
		t.Fatalf("a changed launch was trusted: %+v", it)
	}
}

func TestAChangedLaunchWaitsAndLeavesWithItsChange(t *testing.T) {
	p := newPlace(t)
	p.met()
	w := p.wrap("weather")
	wantVerdict(t, w.launch(false, pending), control.LaunchGo)
	p.quiet()
	wantVerdict(t, w.launch(true, otherScript), control.LaunchGo)
	it := p.item()
	if it.Kind != "launch" || it.Severity != "review" || it.Title != "Same command, another program: weather (script)" {
		t.Fatalf("%+v", it)
	}
	wantVerdict(t, w.launch(true, nil), control.LaunchGo)
	p.quiet()
	w.launch(true, otherScript)
	if again := p.item(); again.Code != it.Code && again.Digest != it.Digest {
		t.Fatalf("%+v, then %+v", it, again)
	}
	p.reject(p.item())
	wantVerdict(t, w.Last(t).Launch, control.LaunchHold)
	wantVerdict(t, p.wrap("weather").launch(true, otherScript), control.LaunchHold)
}

func TestAGraveLaunchIsHeldUntilItIsAllowedAndTheOldOneGoesOn(t *testing.T) {
	p := newPlace(t)
	old := p.met()
	w := p.wrap("weather")
	form := func(f *pin.LaunchForm) { pending(f); preloads(f) }
	state := w.launch(false, form)
	wantVerdict(t, state, control.LaunchHold)
	it := p.item()
	if it.Kind != "launch" || it.Severity != "high" || state.Code != it.Code {
		t.Fatalf("%+v, %+v", it, state)
	}
	if v := old.Last(t).Launch; v.Verdict == control.LaunchHold {
		t.Error("a wrapper whose launch is allowed is held because of another one")
	}
	p.approve(it)
	wantVerdict(t, w.Last(t).Launch, control.LaunchGo)
	wantVerdict(t, w.launch(true, preloads), control.LaunchGo)
	p.quiet()
}

// A program that ends before it can be examined is still reported: otherwise a short script would never be noticed. Facts that could not be
// examined count as unchanged.
func TestALaunchThatEndedUnseenIsComparedAsFarAsItIsKnown(t *testing.T) {
	p := newPlace(t)
	p.met()
	w := p.wrap("weather")
	w.reportLaunch(control.LaunchReport{Form: ran(pending), Ended: true})
	p.quiet()
	w.reportLaunch(control.LaunchReport{Form: ran(func(f *pin.LaunchForm) { pending(f); otherScript(f) }), Ended: true})
	if it := p.item(); it.Kind != "launch" || !strings.Contains(it.Title, "(script)") {
		t.Fatalf("%+v", it)
	}
	// Nothing is filled in for a launch that was never allowed.
	n := p.wrap("notes", "npx", "notes")
	n.reportLaunch(control.LaunchReport{Form: ran(pending), Ended: true})
	n.report(tool("a", "one"))
	for _, it := range p.inboxNow() {
		if it.Server == "notes" && states(it) != "tool:a=new" {
			t.Errorf("%+v", it)
		}
	}
}

func TestALaunchThatIsNotWholeIsNotPinned(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("weather")
	_, err := p.Launch(w, control.LaunchReport{Form: ran(pending), Final: true})
	wantError(t, err, control.CodeBadRequest)
}

func TestLaunchesOutliveTheHub(t *testing.T) {
	home := newHome(t)
	p := open(t, home, nil)
	w := p.met()
	w.launch(true, otherScript)
	waits := p.item()
	key := w.Last(t).Launch.Key
	p.Close()

	p = open(t, home, nil)
	w = p.wrap("weather")
	if v := w.Last(t).Launch; v == nil || v.Verdict != "" || v.First || !bytes.Equal(v.Key, key) {
		t.Fatalf("before it has reported: %+v", v)
	}
	if it := p.item(); it.Code != waits.Code {
		t.Fatalf("%+v, then %+v", waits, it)
	}
	wantVerdict(t, w.launch(true, preloads), control.LaunchHold)
	other := p.wrap("notes", "npx", "notes")
	if bytes.Equal(other.Last(t).Launch.Key, key) {
		t.Error("two servers share a key: equal values would look alike")
	}
}

func TestABlockedLaunchIsNotStartedAgain(t *testing.T) {
	p := newPlace(t)
	w := p.met()
	if _, err := p.Block(person, control.Block{Server: "weather", Items: []string{"launch"}}); err != nil {
		t.Fatal(err)
	}
	wantVerdict(t, w.Last(t).Launch, control.LaunchHold)
	wantVerdict(t, p.wrap("weather").launch(false, pending), control.LaunchHold)
	p.approve(p.item())
	wantVerdict(t, w.Last(t).Launch, control.LaunchGo)
}

func TestUnderBlockFoldersKeepNothingFromRunning(t *testing.T) {
	p := newPlace(t)
	p.met()
	p.set("pins.launch", "block")
	elsewhere := func(f *pin.LaunchForm) { f.Dir, f.Variables = "/srv", []string{"PATH", "MORE"} }
	for _, client := range []string{"cursor", "other"} { // the first circumstances of each
		wantVerdict(t, p.wrapFor(client, "weather").launch(true, elsewhere), control.LaunchGo)
		p.quiet()
	}
	again := func(f *pin.LaunchForm) { elsewhere(f); f.Dir = "/tmp" }
	wantVerdict(t, p.wrapFor("cursor", "weather").launch(true, again), control.LaunchGo)
	p.quiet() // it starts servers in its project
	wantVerdict(t, p.wrapFor("other", "weather").launch(true, again), control.LaunchGo)
	if it := p.item(); it.Severity != "review" || it.Title != "Same program, other surroundings: weather (folder)" || !it.Runs {
		t.Fatalf("%+v", it)
	}
}

// What npx ends up running is only known when it runs. Once that is pending, it is not run again before the decision.
func TestUnderBlockAStartThatEndedUpWithAChangeIsNotMadeAgain(t *testing.T) {
	p := newPlace(t)
	p.met()
	p.set("pins.launch", "block")
	w := p.wrap("weather")
	wantVerdict(t, w.launch(false, pending), control.LaunchWait)
	wantVerdict(t, w.launch(true, newVersion), control.LaunchHold)
	it := p.item()
	second := p.wrap("weather") // a client starts a server twice
	state := second.launch(false, pending)
	wantVerdict(t, state, control.LaunchHold)
	if state.Code != it.Code {
		t.Errorf("held under %q, not under %s", state.Code, it.Code)
	}
	p.approve(it)
	wantVerdict(t, second.Last(t).Launch, control.LaunchWait)

	w = p.wrap("weather")
	w.launch(true, func(f *pin.LaunchForm) { newVersion(f); f.Package.Version = "3.0.0" })
	p.reject(p.item())
	wantVerdict(t, p.wrap("weather").launch(false, pending), control.LaunchWait) // checked again: the person rejected what it was
}

func TestAfterARestartAnItemStaysUntilEveryWrapperHasReported(t *testing.T) {
	home := newHome(t)
	p := open(t, home, nil)
	p.met()
	p.wrap("weather").launch(true, otherScript)
	waits := p.item()
	p.Close()

	p = open(t, home, nil)
	first, second := p.wrap("weather"), p.wrap("weather")
	first.launch(true, nil)
	if it := p.item(); it.Code != waits.Code {
		t.Fatalf("%+v, then %+v", waits, it)
	}
	second.launch(true, otherScript)
	if it := p.item(); it.Code != waits.Code {
		t.Fatalf("%+v, then %+v", waits, it)
	}
	second.launch(true, nil)
	p.quiet()
}

func TestTwoClientsThatTakeTurnsAreNoDrift(t *testing.T) {
	p := newPlace(t)
	w := p.met()
	before := len(p.records("drift"))
	for i := range 6 {
		p.Unregister(w)
		w = p.wrapFor([]string{"other", "claude"}[i%2], "weather")
		elsewhere := func(f *pin.LaunchForm) { f.Variables = append(f.Variables, []string{"LANG", "TERM"}[i%2]) }
		wantVerdict(t, w.launch(true, elsewhere), control.LaunchGo)
		w.report(tool("a", "one"))
		for _, it := range p.inboxNow() { // each is a pending change the first time
			p.approveAll(it)
			before = len(p.records("drift"))
		}
	}
	if got := p.records("drift")[before:]; len(got) > 0 {
		t.Fatalf("nothing changed, and the timeline says %q", got[0].Summary)
	}
}

// A proxy differs from network to network: another one is taken without a question, and shown from then on.
func TestAnotherProxyInFrontOfARemoteServerIsShownAndNoQuestion(t *testing.T) {
	p := newPlace(t)
	p.set("pins.launch", "block")
	w := p.wrapAs("claude", control.ServerRef{Transport: "url", URL: "https://tracker.example/mcp", Name: "tracker"})
	through := func(proxy string) *control.LaunchState {
		t.Helper()
		return w.reportLaunch(control.LaunchReport{Form: pin.LaunchForm{Address: &pin.LaunchAddress{Class: "proxied", Proxy: proxy, Transport: "http"}}, Final: true})
	}
	shown := func() string {
		t.Helper()
		d, err := p.ServerWhole("tracker")
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range d.Items {
			if it.Item == "launch" {
				return string(it.State) + " " + string(it.Definition)
			}
		}
		return ""
	}
	wantVerdict(t, through("office.example:3128"), control.LaunchGo)
	w.report(tool("a", "one"))
	p.approveAll(p.item())
	for _, proxy := range []string{"office.example:3128", "home.example:8080", "office.example:3128", ""} {
		wantVerdict(t, through(proxy), control.LaunchGo)
		p.quiet()
		if got := shown(); !strings.HasPrefix(got, "approved ") || !strings.Contains(got, proxy) {
			t.Errorf("through %q it is shown as %s", proxy, got)
		}
	}
}
