package inspect

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
	SecretsPrecise = ""       // by their forms, and by the names that stand before them
	SecretsStrict  = "strict" // and every long run of base64
	SecretsOff     = "off"
)

const (
	// secretWork bounds what is looked at locally, in bytes: so many times what the text has, and secretSlack more.
	secretWork  = 4
	secretSlack = 64 << 10
	keptSpots   = 1 << 14 // that room is kept for
	maxPassed   = 128     // of a value that is none: what stands in a longer one is not looked at again
	minRun      = 40      // letters of base64 that may be a secret
	minForm     = 16      // what has the form of a key is no shorter: a plain name that is holds no secret
)

// candidate is a place where a secret may stand.
type candidate struct {
	at      int32
	literal int32 // of secretForms; -1: a name ends before it
}

// spot is a secret in a text.
type spot struct{ start, end, rule int }

// name is the rule that found it.
func (s spot) name() string { return secretCatalogue[s.rule].name }

// sure says that it is more than a run of letters that could be a secret.
func (s spot) sure() bool { return secretCatalogue[s.rule].kind != possibleSecret }

// shown is how it is spoken of: never itself. Of a short one the last letters would be half of it.
func (s spot) shown(text string) string {
	r, secret := &secretCatalogue[s.rule], text[s.start:s.end]
	said := fmt.Sprintf("%s, %d characters", r.name, len(secret))
	if r.kind != privateKey && len(secret) >= 16 && decode.MarksOf(secret)&decode.Wide == 0 {
		said += ", ends in " + legible.Escape(secret[len(secret)-4:])
	}
	return said
}

// secretLook looks for secrets in texts, one after the other.
type secretLook struct {
	on     bool
	forms  *secretForms
	strict bool
	spots  []spot
	named  []spot
	work   int  // bytes that may still be looked at in this text
	short  bool // it was not enough, or there were too many places
}

func (l *secretLook) begin(profile string) {
	l.on = profile != SecretsOff
	if l.forms == nil {
		l.forms = secretsKnown()
	}
	l.strict, l.short = profile == SecretsStrict, false
}

// look is where secrets stand in a text, in their order, none in another. The candidates are in the order in which they were
// found.
func (l *secretLook) look(text string, places []candidate) []spot {
	l.spots, l.named = l.spots[:0], l.named[:0]
	l.work = secretWork*len(text) + secretSlack
	until, inOrder := 0, true
	for _, c := range places {
		if c.literal < 0 || int(c.at) < until {
			continue
		}
		if l.work < 0 {
			l.short = true
			break
		}
		best := spot{end: -1}
		for _, r := range l.forms.owners[c.literal] {
			if s, ok := l.form(text, int(c.at), int(r)); ok && s.end > best.end {
				best = s
				best.rule = int(r)
			}
		}
		if best.end > 0 {
			inOrder = inOrder && best.start >= until // what a manifest holds may stand before the line that says so, and twice
			l.spots = append(l.spots, best)
			until = best.end
		}
	}
	until = 0
	for _, c := range places {
		if c.literal >= 0 || int(c.at) < until {
			continue
		}
		if l.work < 0 {
			l.short = true
			break
		}
		s, ok := l.name(text, int(c.at))
		if ok {
			l.named = append(l.named, s)
		}
		if ok || s.end > int(c.at)+maxPassed {
			until = s.end
		}
	}
	if len(l.named) > 0 || !inOrder {
		l.merge()
	}
	if l.strict {
		l.runs(text)
	}
	return l.spots
}

// merge takes what was found by a name where no form is.
func (l *secretLook) merge() {
	slices.SortFunc(l.spots, func(a, b spot) int { return a.start - b.start })
	forms, k := len(l.spots), 0
	for _, s := range l.named {
		for k < forms && l.spots[k].end <= s.start {
			k++
		}
		if k == forms || l.spots[k].start >= s.end {
			l.spots = append(l.spots, s)
		}
	}
	slices.SortFunc(l.spots, func(a, b spot) int { return a.start - b.start })
	kept := l.spots[:0]
	for _, s := range l.spots {
		if n := len(kept); n == 0 || kept[n-1].end <= s.start {
			kept = append(kept, s)
		}
	}
	l.spots = kept
}

// form looks for one rule where one of its literals stands.
func (l *secretLook) form(text string, at, rule int) (spot, bool) {
	switch r := &l.forms.rules[rule]; r.way {
	case byShape:
		for i := range l.forms.shapes[rule] {
			s := &l.forms.shapes[rule][i]
			end, looked := s.end(text, at)
			l.work -= looked
			if end > 0 && (r.kind == privateKey || drawnKey(text[at+len(s.head):end])) {
				return spot{start: at, end: end}, true
			}
		}
	case byBlock:
		return l.block(text, at)
	case byUser:
		return l.user(text, at)
	case byScheme:
		return l.scheme(text, at)
	case byFlag:
		return l.flag(text, at)
	case byLogin:
		return l.login(text, at)
	case byMachine:
		return l.machine(text, at)
	case byManifest:
		return l.manifest(text, at)
	case byDigits:
		return l.digits(text, at)
	}
	return spot{}, false
}

// drawnKey says that what comes after the head of a key is no example: it is not one letter over and over, and no words.
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

// runs adds every long run of base64 in which nothing was found.
func (l *secretLook) runs(text string) {
	known, k := len(l.spots), 0
	for i := decode.NextRun(text, 0, minRun, &decode.Base64Letters); i < len(text); {
		end := i + minRun
		for end < len(text) && decode.Base64Letters[text[end]] {
			end++
		}
		for end < len(text) && text[end] == '=' {
			end++
		}
		for k < known && l.spots[k].end <= i {
			k++
		}
		if (k == known || l.spots[k].start >= end) && strings.ContainsAny(text[i:end], "0123456789") {
			l.spots = append(l.spots, spot{i, end, rulePossible()})
		}
		i = decode.NextRun(text, end, minRun, &decode.Base64Letters)
	}
	if len(l.spots) > known {
		slices.SortFunc(l.spots, func(a, b spot) int { return a.start - b.start })
	}
}

// SecretMark is what stands in the place of a secret that a rule found, "" for an unknown rule.
func SecretMark(rule string) string {
	if kind, known := secretKindOf(rule); known {
		return kind.mark()
	}
	return ""
}

// SecretWords is what a person calls what a rule finds: "a password".
func SecretWords(rule string) string {
	kind, _ := secretKindOf(rule)
	return kind.words()
}

// secretKindOf is what a rule finds; of an unknown rule nothing is known but that it may be a secret.
func secretKindOf(rule string) (kind secretKind, known bool) {
	for i := range secretCatalogue {
		if secretCatalogue[i].name == rule {
			return secretCatalogue[i].kind, true
		}
	}
	return possibleSecret, false
}

// release lets go of the room that a text with many secrets took.
func (l *secretLook) release() {
	if cap(l.spots) > keptSpots || cap(l.named) > keptSpots {
		l.spots, l.named = nil, nil
	}
}

// secretPrint is for the name of the rule set.
func secretPrint() uint64 {
	h := fnv.New64a()
	for _, r := range secretCatalogue {
		fmt.Fprintf(h, "%s %d %d %q %q\n", r.name, r.kind, r.way, r.patterns, r.literals)
	}
	return h.Sum64()
}
