// Package secrets knows what secrets look like: the forms that issuers document (catalogue), the names that precede a value, and what a
// value must look like to be secret.
//
// It does not read texts from end to end. Its caller does (package rules, for its own literals and for these in one pass) and records the
// Places where a secret may be; Look.Find examines those and returns what it Found. The work is limited by the length of the text. No text
// that this package makes contains a secret.
package secrets

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/inspect/decode"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

// How secrets are looked for (Terms.Secrets).
const (
	Precise = ""       // by their forms, and by the names before them
	Strict  = "strict" // also every long run of base64
	Off     = "off"
)

const (
	// localWork limits the bytes read at places: this many times the text's length, plus localSlack.
	localWork  = 4
	localSlack = 64 << 10
	keptSpots  = 1 << 14 // spots that stay allocated
	maxPassed  = 128     // of a rejected value: the rest of a longer one is not examined again
	minRun     = 40      // letters of base64 that may be a secret
	MinForm    = 16      // no key with a documented form is shorter, so a shorter plain name holds no secret
)

// Place is a possible place of a secret.
type Place struct {
	At      int32
	Literal int32 // index into Literals; -1: a name ends before it
}

// Found is a secret in a text.
type Found struct{ Start, End, rule int }

// Rule is the rule that found it.
func (s Found) Rule() string { return catalogue[s.rule].Name }

// Sure reports whether it is more than a run of letters that could be a secret.
func (s Found) Sure() bool { return catalogue[s.rule].kind != possibleSecret }

// Shown is how messages refer to the secret, never by itself. The last letters of a short one would be half of it.
func (s Found) Shown(text string) string {
	r, secret := &catalogue[s.rule], text[s.Start:s.End]
	said := fmt.Sprintf("%s, %d characters", r.Name, len(secret))
	if r.kind != privateKey && len(secret) >= 16 && decode.MarksOf(secret)&decode.Wide == 0 {
		said += ", ends in " + legible.Escape(secret[len(secret)-4:])
	}
	return said
}

// Under is the same secret, of which a text has an encoding between two places.
func (s Found) Under(start, end int) Found {
	s.Start, s.End = start, end
	return s
}

type Look struct {
	On     bool
	forms  *forms
	Strict bool
	spots  []Found
	named  []Found
	work   int  // bytes that can still be read in this text
	Short  bool // work was not enough, or there were too many places
}

func (l *Look) Begin(profile string) {
	l.On = profile != Off
	if l.forms == nil {
		l.forms = known()
	}
	l.Strict, l.Short = profile == Strict, false
}

// Find returns the secrets in a text, in order and without overlaps. Places must be in the order in which they were found.
func (l *Look) Find(text string, places []Place) []Found {
	l.spots, l.named = l.spots[:0], l.named[:0]
	l.work = localWork*len(text) + localSlack
	until, inOrder := 0, true
	for _, c := range places {
		if c.Literal < 0 || int(c.At) < until {
			continue
		}
		if l.work < 0 {
			l.Short = true
			break
		}
		best := Found{End: -1}
		for _, r := range l.forms.owners[c.Literal] {
			if s, ok := l.form(text, int(c.At), int(r)); ok && s.End > best.End {
				best = s
				best.rule = int(r)
			}
		}
		if best.End > 0 {
			inOrder = inOrder && best.Start >= until // the value in a manifest may precede the line that identifies it, and may be found twice
			l.spots = append(l.spots, best)
			until = best.End
		}
	}
	until = 0
	for _, c := range places {
		if c.Literal >= 0 || int(c.At) < until {
			continue
		}
		if l.work < 0 {
			l.Short = true
			break
		}
		s, ok := l.name(text, int(c.At))
		if ok {
			l.named = append(l.named, s)
		}
		if ok || s.End > int(c.At)+maxPassed {
			until = s.End
		}
	}
	if len(l.named) > 0 || !inOrder {
		l.merge()
	}
	if l.Strict {
		l.runs(text)
	}
	return l.spots
}

// merge adds values found by a name where no documented form matched.
func (l *Look) merge() {
	slices.SortFunc(l.spots, func(a, b Found) int { return a.Start - b.Start })
	forms, k := len(l.spots), 0
	for _, s := range l.named {
		for k < forms && l.spots[k].End <= s.Start {
			k++
		}
		if k == forms || l.spots[k].Start >= s.End {
			l.spots = append(l.spots, s)
		}
	}
	slices.SortFunc(l.spots, func(a, b Found) int { return a.Start - b.Start })
	kept := l.spots[:0]
	for _, s := range l.spots {
		if n := len(kept); n == 0 || kept[n-1].End <= s.Start {
			kept = append(kept, s)
		}
	}
	l.spots = kept
}

// form checks one rule at one of its literals.
func (l *Look) form(text string, at, rule int) (Found, bool) {
	r := &l.forms.rules[rule]
	if r.way != byShape {
		return finders[r.way](l, text, at)
	}
	if end := l.shaped(text, at, rule); end > 0 {
		return Found{Start: at, End: end}, true
	}
	return l.split(text, at, rule)
}

// shaped is where a key in one of a rule's shapes ends, 0 if none begins at text[at].
func (l *Look) shaped(text string, at, rule int) int {
	for i := range l.forms.shapes[rule] {
		s := &l.forms.shapes[rule][i]
		end, looked := s.end(text, at)
		l.work -= looked
		if end > 0 && (l.forms.rules[rule].kind == privateKey || drawnKey(text[at+len(s.head):end])) {
			return end
		}
	}
	return 0
}

// finders check a rule without patterns at one of its literals.
var finders = [...]func(l *Look, text string, at int) (Found, bool){
	byBlock: (*Look).block, byUser: (*Look).user, byScheme: (*Look).scheme, byFlag: (*Look).flag, byLogin: (*Look).login,
	byMachine: (*Look).machine, byManifest: (*Look).manifest, byDigits: (*Look).digits, byMiddle: (*Look).middle,
}

// drawnKey reports whether the part after a key's prefix looks random: not one letter repeated, and not words.
func drawnKey(s string) bool {
	if monotonous(s) {
		return false
	}
	folded := strings.ToLower(s)
	for _, part := range [...]string{"example", "xxxx", "your", "placeholder", "token", "here", "redacted", "abcdefghij", "1234567890123"} {
		if strings.Contains(folded, part) {
			return false
		}
	}
	digits, letters, capitals := 0, 0, 0
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'a' && c <= 'z':
			letters++
		case c >= 'A' && c <= 'Z':
			capitals++
		}
	}
	return digits > 0 && (digits*20 >= len(s) || capitals > 0) || len(s) >= 16 && capitals > 0 && letters > 0 && changesOfCase(s)*4 >= len(s)
}

func changesOfCase(s string) (n int) {
	for i := 1; i < len(s); i++ {
		if (s[i] >= 'a') != (s[i-1] >= 'a') {
			n++
		}
	}
	return n
}

// runs adds every long run of base64 without a finding.
func (l *Look) runs(text string) {
	known, k := len(l.spots), 0
	for i := decode.NextRun(text, 0, minRun, &decode.Base64Letters); i < len(text); {
		end := i + minRun
		for end < len(text) && decode.Base64Letters[text[end]] {
			end++
		}
		for end < len(text) && text[end] == '=' {
			end++
		}
		for k < known && l.spots[k].End <= i {
			k++
		}
		if (k == known || l.spots[k].Start >= end) && strings.ContainsAny(text[i:end], "0123456789") {
			l.spots = append(l.spots, Found{i, end, rulePossible()})
		}
		i = decode.NextRun(text, end, minRun, &decode.Base64Letters)
	}
	if len(l.spots) > known {
		slices.SortFunc(l.spots, func(a, b Found) int { return a.Start - b.Start })
	}
}

// Mark is the replacement for a secret found by a rule, "" for an unknown rule.
func Mark(rule string) string {
	if kind, known := kindOf(rule); known {
		return kinds[kind].mark
	}
	return ""
}

// Words names what a rule finds, for people: "a password".
func Words(rule string) string {
	kind, _ := kindOf(rule)
	return kinds[kind].words
}

// kindOf is what a rule finds; an unknown rule may find a secret.
func kindOf(rule string) (kind Kind, known bool) {
	for i := range catalogue {
		if catalogue[i].Name == rule {
			return catalogue[i].kind, true
		}
	}
	return possibleSecret, false
}

// Release frees the memory that a text with many secrets took.
func (l *Look) Release() {
	if cap(l.spots) > keptSpots || cap(l.named) > keptSpots {
		l.spots, l.named = nil, nil
	}
}

// Fingerprint is part of the name of the rule set.
func Fingerprint() uint64 {
	h := fnv.New64a()
	for _, r := range catalogue {
		fmt.Fprintf(h, "%s %d %d %q %q\n", r.Name, r.kind, r.way, r.patterns, r.sought())
	}
	return h.Sum64()
}
