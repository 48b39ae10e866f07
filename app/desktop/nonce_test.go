package desktop

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
)

// looked is a look at an item of the inbox on a clock that the test moves.
type looked struct {
	*nonces
	at    time.Time
	shown bool
	nonce string
}

const (
	lookedAt = "4F2A"
	asShown  = "digest"
)

func lookAt(word string) *looked {
	l := &looked{at: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC), shown: true}
	l.nonces = newNonces(func() bool { return l.shown })
	l.now = func() time.Time { return l.at }
	l.nonce = l.mint(itemSubject(lookedAt), asShown, word)
	return l
}

func (l *looked) decide(nonce, code, digest, typed string, needsWord bool) error {
	return l.spend(nonce, itemSubject(code), digest, typed, needsWord)
}

func codeOf(err error) int {
	var no *control.Error
	if errors.As(err, &no) {
		return no.Code
	}
	return 0
}

func TestADecisionFollowsOnALook(t *testing.T) {
	for name, c := range map[string]struct {
		word   string
		before func(*looked)
		decide func(*looked) error
		code   int // 0: it is decided
	}{
		"after the delay":                       {decide: plain},
		"just at the delay":                     {before: passes(armAfter), decide: plain},
		"before the delay":                      {before: passes(armAfter - time.Millisecond), decide: plain, code: control.CodeBadRequest},
		"too early, and then in time":           {before: passes(time.Millisecond), decide: func(l *looked) error { _ = plain(l); l.at = l.at.Add(time.Second); return plain(l) }},
		"after half an hour":                    {before: passes(nonceLife + time.Second), decide: plain, code: control.CodeStale},
		"while the window is hidden":            {before: func(l *looked) { passes(time.Second)(l); l.shown = false }, decide: plain, code: control.CodeStale},
		"after the window was hidden and shown": {before: func(l *looked) { passes(time.Second)(l); l.forget() }, decide: plain, code: control.CodeStale},
		"made while the window was minimised, at once": {before: func(l *looked) {
			l.shown = false
			l.nonce = l.mint(itemSubject(lookedAt), asShown, "")
			passes(time.Minute)(l)
			l.shown = true
		}, decide: plain, code: control.CodeBadRequest},
		"made while the window was minimised, and a second later": {before: func(l *looked) {
			l.shown = false
			l.nonce = l.mint(itemSubject(lookedAt), asShown, "")
			l.shown = true
		}, decide: func(l *looked) error { _ = plain(l); l.at = l.at.Add(time.Second); return plain(l) }},
		"made while the window was hidden, and raised": {before: func(l *looked) {
			l.shown = false
			l.nonce = l.mint(itemSubject(lookedAt), asShown, "")
			l.shown = true
			l.rearm()
			passes(time.Second)(l)
		}, decide: plain},
		"just after the window was raised": {before: func(l *looked) { passes(time.Minute)(l); l.rearm() }, decide: plain, code: control.CodeBadRequest},
		"a second after it was raised":     {before: func(l *looked) { l.rearm(); passes(time.Second)(l) }, decide: plain},
		"a second time":                    {decide: func(l *looked) error { _ = plain(l); return plain(l) }, code: control.CodeStale},
		"with another digest":              {decide: func(l *looked) error { return l.decide(l.nonce, lookedAt, "other", "", true) }, code: control.CodeStale},
		"with the right digest after a wrong one": {decide: func(l *looked) error {
			_ = l.decide(l.nonce, lookedAt, "other", "", true)
			return plain(l)
		}, code: control.CodeStale},
		"over another item":       {decide: func(l *looked) error { return l.decide(l.nonce, "77B0", asShown, "", true) }, code: control.CodeStale},
		"with a nonce made up":    {decide: func(l *looked) error { return l.decide(strings.Repeat("0", 32), lookedAt, asShown, "", true) }, code: control.CodeStale},
		"without a nonce":         {decide: func(l *looked) error { return l.decide("", lookedAt, asShown, "", true) }, code: control.CodeStale},
		"critical, untyped":       {word: "weather", decide: plain, code: control.CodeBadRequest},
		"critical, typed wrong":   {word: "weather", decide: typed("Weather"), code: control.CodeBadRequest},
		"critical, typed":         {word: "weather", decide: typed("weather")},
		"critical, typed at last": {word: "weather", decide: func(l *looked) error { _ = typed("wether")(l); return typed("weather ")(l) }},
		"critical, typed wrong again and again": {word: "1234", decide: func(l *looked) error {
			for range maxWrongWords {
				_ = typed("0000")(l)
			}
			return typed("1234")(l)
		}, code: control.CodeStale},
		"critical, kept blocked": {word: "weather", decide: func(l *looked) error { return l.decide(l.nonce, lookedAt, asShown, "", false) }},
		"the oldest of too many looks": {decide: func(l *looked) error {
			for range maxNonces {
				l.mint(itemSubject("77B0"), asShown, "")
			}
			return plain(l)
		}, code: control.CodeStale},
	} {
		t.Run(name, func(t *testing.T) {
			l := lookAt(c.word)
			if c.before == nil {
				c.before = passes(time.Second)
			}
			c.before(l)
			err := c.decide(l)
			if got := codeOf(err); got != c.code || (err == nil) != (c.code == 0) {
				t.Errorf("answered %v, want code %d", err, c.code)
			}
			var no *control.Error
			if errors.As(err, &no) && no.Code == control.CodeStale && no.See == "" {
				t.Error("does not say what to look at")
			}
		})
	}
}

func plain(l *looked) error { return l.decide(l.nonce, lookedAt, asShown, "", true) }

func typed(word string) func(*looked) error {
	return func(l *looked) error { return l.decide(l.nonce, lookedAt, asShown, word, true) }
}

func passes(d time.Duration) func(*looked) { return func(l *looked) { l.at = l.at.Add(d) } }

func TestNoncesAreNotToBeGuessed(t *testing.T) {
	n := newNonces(func() bool { return true })
	seen := map[string]bool{}
	for range 1000 {
		nonce := n.mint("a", "b", "")
		if len(nonce) != 32 || seen[nonce] {
			t.Fatalf("nonce %q", nonce)
		}
		seen[nonce] = true
	}
	if len(n.given) != maxNonces {
		t.Errorf("%d are kept", len(n.given))
	}
}

func TestTheWordToTypeIsTheNameWhereThatReadsOneWay(t *testing.T) {
	for _, name := range []string{"weather", "my-server_2.0"} {
		if got := wordFor(name); got != name {
			t.Errorf("for %q: %q", name, got)
		}
	}
	for _, name := range []string{"", "two words", "wеather", strings.Repeat("a", 25), "a\u200bb"} {
		if got := wordFor(name); len(got) != 4 || strings.Trim(got, "0123456789") != "" {
			t.Errorf("for %q: %q is not four digits", name, got)
		}
	}
}

func TestSubjectsOfFilesDoNotRunTogether(t *testing.T) {
	seen := map[string]bool{}
	for _, subject := range []string{
		fileSubject("protect", "c", "p", nil), fileSubject("protect", "c", "p", []string{""}), fileSubject("protect", "c", "p", []string{"a", "b"}),
		fileSubject("protect", "c", "p", []string{`a" "b`}), fileSubject("unprotect", "c", "p", nil), fileSubject("protect", "c p", "", nil),
	} {
		if seen[subject] {
			t.Errorf("%q twice", subject)
		}
		seen[subject] = true
	}
}
