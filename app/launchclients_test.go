package app

import (
	"slices"
	"testing"

	"github.com/sallyport/sallyport/app/stage"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
)

// look is `sallyport probe` of a server that a client will start.
func (p *place) look(client, name string) *server {
	p.t.Helper()
	p.n++
	s := &server{Ears: &stage.Ears{}, p: p}
	state, err := p.Register(s, control.Peer{PID: 100 + p.n, Role: control.RoleProbe}, control.Register{
		Server: control.ServerRef{Transport: "stdio", Argv: []string{"npx", "-y", "weather"}, Name: name}, Client: client, Session: "a look", PID: 100 + p.n,
	})
	if err != nil {
		p.t.Fatal(err)
	}
	s.Push(state)
	return s
}

// with gives a launch a folder, variables, and loaders as NAME, VALUE pairs.
func with(dir string, names []string, loaders ...pin.LaunchLoader) func(*pin.LaunchForm) {
	return func(f *pin.LaunchForm) {
		f.Dir, f.Loaders = dir, loaders
		f.Variables = append([]string{"HOME", "PATH"}, names...)
		for _, l := range loaders {
			f.Variables = append(f.Variables, l.Name)
		}
	}
}

func loader(name, hash string) pin.LaunchLoader { return pin.LaunchLoader{Name: name, Hash: hash} }

func TestOneApprovalCoversEveryClientThatComesAfterALook(t *testing.T) {
	for _, mode := range []string{"notify", "block"} {
		t.Run(mode, func(t *testing.T) {
			p := newPlace(t)
			p.set("pins.launch", mode)
			w := p.look("claude-code", "weather")
			w.launch(true, with("/", nil, loader("PYTHONPATH", "of the entry")))
			w.report(tool("a", "one"))
			p.approveAll(p.item())
			p.Unregister(w)
			for _, client := range []string{"claude-code", "codex", "gemini-cli", "opencode", "claude-desktop", ""} {
				for _, dir := range []string{"/home/u/one", "/home/u/two"} {
					if dir == "/home/u/two" && !pin.StartsInProject(client) {
						continue
					}
					w := p.wrapFor(client, "weather")
					wantVerdict(t, w.launch(true, with(dir, []string{"OF_" + client}, loader("PYTHONPATH", "of the entry"))), control.LaunchGo)
					p.quiet()
					w.report(tool("a", "one"))
					p.quiet()
					p.Unregister(w)
				}
			}
		})
	}
}

func TestANewServerKeepsItsCodeWhenItsClientStartsItAfterALook(t *testing.T) {
	p := newPlace(t)
	w := p.look("claude-code", "weather")
	w.launch(true, with("/", nil))
	w.report(tool("a", "one"))
	waits := p.item()
	p.Unregister(w)
	for _, client := range []string{"claude-code", "opencode"} {
		w = p.wrapFor(client, "weather")
		w.launch(true, with("/home/u", []string{"SOMETHING"}))
		w.report(tool("a", "one"))
		if it := p.item(); it.Code != waits.Code || it.Digest != waits.Digest {
			t.Fatalf("under %s %+v, then %+v", client, waits, it)
		}
	}
}

func TestALaunchThatWaitsKeepsItsCodeWhileOnlyCircumstancesDiffer(t *testing.T) {
	p := newPlace(t)
	p.met()
	// JAVA_HOME has a value that was allowed for one client; others do not have it.
	w := p.wrapFor("cursor", "weather")
	w.launch(false, func(f *pin.LaunchForm) { pending(f); f.Loaders = []pin.LaunchLoader{loader("JAVA_HOME", "j")} })
	p.approve(p.item())
	w.launch(true, func(f *pin.LaunchForm) { f.Loaders = []pin.LaunchLoader{loader("JAVA_HOME", "j")} })
	p.quiet()
	p.Unregister(w)
	for name, change := range map[string]func(*pin.LaunchForm){"a script": otherScript, "a loader": preloads} {
		var first control.InboxItem
		for i, start := range []struct{ client, dir string }{{"claude-desktop", "/home/u"}, {"claude-desktop", "/home/u"}, {"cursor", "/srv"}, {"codex", "/elsewhere"}} {
			w := p.wrapFor(start.client, "weather")
			w.launch(true, func(f *pin.LaunchForm) {
				change(f)
				f.Dir = start.dir
				f.Variables = append(f.Variables, []string{"A", "B", "C", "D"}[:i]...)
				if start.client == "cursor" {
					f.Loaders = append(f.Loaders, loader("JAVA_HOME", "j"))
				}
			})
			it := p.item()
			if i == 0 {
				first = it
			}
			if it.Code != first.Code || it.Digest != first.Digest || it.Kind != "launch" {
				t.Fatalf("%s, start %d: %+v, then %+v", name, i, first, it)
			}
			detail, err := p.Item(it.Code)
			if err != nil || !slices.ContainsFunc(detail.Details, func(d control.PartDetail) bool { return d.Item == "launch" && len(d.Changes) > 0 }) {
				t.Fatalf("%s: %+v, %v", name, detail, err)
			}
			p.Unregister(w)
		}
		// A start as allowed withdraws it.
		p.wrap("weather").launch(true, nil)
		p.quiet()
	}
}

func TestARejectedLaunchStaysRejectedInOtherCircumstances(t *testing.T) {
	p := newPlace(t)
	p.met()
	w := p.wrap("weather")
	wantVerdict(t, w.launch(true, otherScript), control.LaunchGo)
	p.reject(p.item())
	p.Unregister(w)
	for _, start := range []struct{ client, dir string }{{"claude-desktop", "/home/u"}, {"claude-desktop", "/somewhere/else"}, {"codex", "/srv"}} {
		w := p.wrapFor(start.client, "weather")
		state := w.launch(true, func(f *pin.LaunchForm) {
			otherScript(f)
			f.Dir, f.Variables = start.dir, append(f.Variables, "MORE")
		})
		wantVerdict(t, state, control.LaunchHold)
		p.quiet()
		p.Unregister(w)
	}
}

func TestSurroundingsAreAReviewAndTheServerRunsUnderBlockToo(t *testing.T) {
	off := pin.LaunchLoader{Name: "COREPACK_ENABLE_STRICT", Hash: "o", Off: true}
	for name, change := range map[string]func(*pin.LaunchForm){
		"another folder":       with("/tmp", nil, loader("PYTHONPATH", "p")),
		"a loader that went":   with("/home/u", nil),
		"a switch that is off": with("/home/u", nil, loader("PYTHONPATH", "p"), off),
	} {
		p := newPlace(t)
		w := p.wrap("weather")
		w.launch(true, with("/home/u", nil, loader("PYTHONPATH", "p")))
		w.report(tool("a", "one"))
		p.approveAll(p.item())
		p.set("pins.launch", "block")
		again := p.wrap("weather")
		wantVerdict(t, again.launch(true, change), control.LaunchGo)
		it := p.item()
		if it.Severity != "review" || it.Launch != pin.AboutSurroundings || !it.Runs {
			t.Fatalf("%s: %+v", name, it)
		}
		// It does not delay a start: the launch of the other wrapper needs no decision.
		wantVerdict(t, p.wrap("weather").launch(false, func(f *pin.LaunchForm) { change(f); pending(f) }), control.LaunchWait)
		p.approve(it)
		p.Unregister(again)
		wantVerdict(t, p.wrap("weather").launch(true, with("/home/u", nil, loader("PYTHONPATH", "p"))), control.LaunchGo)
		p.quiet()
		wantVerdict(t, p.wrap("weather").launch(true, change), control.LaunchGo)
		p.quiet()
	}
}

func TestTheValueOfALoaderStaysAllowedWhenTheVersionItCameWithIsReplaced(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("weather")
	w.launch(true, with("/home/u", nil, loader("JAVA_HOME", "j")))
	w.report(tool("a", "one"))
	p.approveAll(p.item())
	p.Unregister(w)
	w = p.wrap("weather")
	w.launch(true, func(f *pin.LaunchForm) { with("/home/u", nil)(f); newVersion(f) })
	p.approve(p.item())
	p.Unregister(w)
	w = p.wrap("weather")
	wantVerdict(t, w.launch(true, func(f *pin.LaunchForm) { with("/home/u", nil, loader("JAVA_HOME", "j"))(f); newVersion(f) }), control.LaunchGo)
	p.quiet()
	p.Unregister(w)
	wantVerdict(t, p.wrap("weather").launch(true, func(f *pin.LaunchForm) { with("/home/u", nil, loader("JAVA_HOME", "k"))(f); newVersion(f) }), control.LaunchHold)
}

func TestOfWhatWaitsTheGravestIsShownAndALiveStartKeepsItThere(t *testing.T) {
	p := newPlace(t)
	p.met()
	script := p.wrap("weather")
	script.launch(true, otherScript)
	review := p.item()
	loads := p.wrap("weather")
	wantVerdict(t, loads.launch(true, preloads), control.LaunchHold)
	if it := p.item(); it.Severity != "high" || it.Launch != pin.AboutLoader || it.Title != "A variable that loads code: weather" {
		t.Fatalf("%+v", it)
	}
	p.wrap("weather").launch(true, nil) // neither of the two is over
	if it := p.item(); it.Launch != pin.AboutLoader {
		t.Fatalf("%+v", it)
	}
	p.Unregister(loads)
	p.wrap("weather").launch(true, nil)
	if it := p.item(); it.Launch != pin.AboutProgram || it.Digest != review.Digest {
		t.Fatalf("%+v", it)
	}
	p.Unregister(script)
	p.wrap("weather").launch(true, nil)
	p.quiet()
}

func TestALookGetsWhatTheLastWrapperOfItsClientFound(t *testing.T) {
	home := newHome(t)
	p := open(t, home, nil)
	start := func(client string, within bool, around control.Surroundings) {
		t.Helper()
		p.n++
		s := &server{Ears: &stage.Ears{}, p: p}
		state, err := p.Register(s, control.Peer{PID: 100 + p.n, Role: control.RoleWrapper, Within: func() bool { return within }}, control.Register{
			Server: control.ServerRef{Transport: "stdio", Argv: []string{"npx", "-y", "weather"}, Name: "weather"}, Client: client, Session: "s", Surroundings: &around,
		})
		if err != nil {
			t.Fatal(err)
		}
		s.Push(state)
		s.report(tool("a", "one"))
		if state.Launch.Surroundings != nil {
			t.Error("a wrapper is told what others found")
		}
		p.Unregister(s)
	}
	env := func(path string) map[string]string {
		return map[string]string{"PATH": path, "HOME": "/home/u", "API_KEY": "a secret that no list names"}
	}
	found := func(client string) *control.Surroundings {
		t.Helper()
		w := p.look(client, "weather")
		defer p.Unregister(w)
		return w.Last(t).Launch.Surroundings
	}
	if got := found("claude-desktop"); got != nil {
		t.Fatalf("before any wrapper: %+v", got)
	}
	start("claude-desktop", false, control.Surroundings{Env: env("/usr/bin"), Dir: "/"})
	start("codex", false, control.Surroundings{Env: env("/home/u/bin:/usr/bin"), Dir: "/home/u/project"})
	start("claude-desktop", true, control.Surroundings{Env: env("/tmp/planted"), Dir: "/tmp"}) // started by a wrapped server
	want := func() {
		t.Helper()
		for client, path := range map[string]string{"claude-desktop": "/usr/bin", "codex": "/home/u/bin:/usr/bin"} {
			got := found(client)
			if got == nil || got.Env["PATH"] != path || got.Env["HOME"] != "/home/u" || len(got.Env) != 2 {
				t.Errorf("%s: %+v", client, got)
			}
		}
	}
	want()
	p.Close()
	p = open(t, home, nil)
	want()
}
