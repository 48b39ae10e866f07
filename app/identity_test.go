package app

import (
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
)

func TestTrustNeverFollowsTheName(t *testing.T) {
	p := newPlace(t)
	w := p.wrap("weather", "npx", "weather")
	a := tool("a", "one")
	w.report(a)
	p.approve(p.item())
	if s := p.wrap("weather", "npx", "weather-evil").report(a); s.Open || served(s, a) {
		t.Fatalf("another command under the same name is open: %+v", s)
	}
	if s := p.wrap("something else", "npx", "weather").Last(t); !served(s, a) {
		t.Fatalf("the same command under another name is not: %+v", s)
	}
	wantError(t, errOf(p.Block(person, control.Block{Server: "weather"})), control.CodeBadRequest)
}

func TestASecretOfTheCommandIsNowhereInTheHome(t *testing.T) {
	home := newHome(t)
	p := open(t, home, nil)
	const secret = "hunter2hunter2"
	w := p.wrap("weather", "srv", "--token", secret)
	w.report(tool("a", "one"))
	p.Stderr(w, control.Stderr{Chunk: []byte("starting with hunter2")})
	p.Stderr(w, control.Stderr{Chunk: []byte("hunter2 now\n")})
	p.Records(w, control.Records{Records: []control.Record{{ID: "1", Kind: "guard_problem", Status: "error", Summary: "said " + secret, Detail: []byte(`{"x":"` + secret + `"}`)}}})
	if _, err := p.Item(p.item().Code); err != nil {
		t.Fatal(err)
	}
	p.Unregister(w)
	p.Close()
	for name, raw := range filesOf(t, home.Dir) {
		if strings.Contains(raw, secret) {
			t.Errorf("%s holds the secret", name)
		}
	}
}

func TestAnEntryIsRememberedUnderEveryNameItsServerHad(t *testing.T) {
	for name, again := range map[string]func(p *place, first *server){
		"the first has ended": func(p *place, first *server) { p.Unregister(first); p.Unregister(p.wrap("second", "npx", "weather")) },
		"the first runs on":   func(p *place, _ *server) { p.wrap("second", "npx", "weather") },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			first := p.wrap("first", "npx", "weather")
			first.report(tool("a", "one"))
			p.approve(p.item())
			again(p, first)
			for _, entry := range []string{"first", "second"} {
				p.at.pass(time.Minute)
				w := p.wrap(entry, "npx", "weather", "--more-"+entry)
				w.report(tool("a", "one"))
				d, err := p.Item(p.item().Code)
				if err != nil || d.Before == nil || strings.Join(d.Before.Command, " ") != "npx weather" {
					t.Fatalf("%s: before it ran %+v, %v", entry, d.Before, err)
				}
				p.reject(p.item())
			}
		})
	}
}
