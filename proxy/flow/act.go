package flow

import (
	"strings"
)

const (
	actBefore, actAfter = 60, 120 // bytes around a verb in which its nouns are
	nounLetters         = 5
	nounLeast           = 3
	maxNouns            = 24
)

// verbs are the words of tools that act, each with the one it counts as. docs/flow.md lists them.
var verbs = map[string]string{
	"delete": "delete", "remove": "delete", "erase": "delete", "drop": "delete", "destroy": "delete", "purge": "delete", "wipe": "delete",
	"cancel": "cancel", "revoke": "cancel", "unsubscribe": "cancel",
	"reserve": "book", "book": "book", "schedule": "book",
	"buy": "buy", "purchase": "buy", "order": "buy", "subscribe": "buy",
	"pay": "pay", "transfer": "pay", "withdraw": "pay", "donate": "pay",
	"send": "send", "forward": "send", "email": "send", "mail": "send", "share": "send", "post": "send", "publish": "send", "upload": "send", "reply": "send",
	"invite": "invite", "add": "invite",
	"change": "change", "update": "change", "modify": "change", "reset": "change", "set": "change", "edit": "change",
	"create": "create", "make": "create", "grant": "grant", "assign": "grant", "promote": "grant", "move": "move", "archive": "move", "rename": "move",
}

// ordering are words behind which a verb orders.
var ordering = map[string]bool{
	"please": true, "must": true, "should": true, "then": true, "now": true, "also": true, "first": true, "kindly": true, "immediately": true, "and": true, "you": true,
	"can": true, "could": true, "always": true, "just": true, "finally": true, "next": true, "instead": true,
}

// urging are words that make an order of the "to" behind them.
var urging = map[string]bool{
	"need": true, "have": true, "you": true, "remember": true, "sure": true, "required": true, "instructed": true, "asked": true, "want": true, "supposed": true, "forget": true,
}

// ActOf is the text of an act's value.
func ActOf(verb, noun string) string { return verb + " " + noun }

// ActsOf are the acts that a tool of this name does: its verbs, each with its nouns.
func ActsOf(words []string) (acts []string) {
	for _, w := range words {
		verb, is := verbs[w]
		if !is {
			continue
		}
		for _, noun := range words {
			if noun != w && len(noun) >= nounLeast {
				acts = append(acts, ActOf(verb, stem(noun)))
			}
		}
	}
	return acts
}

// stem is the beginning of a noun, equal for one and many.
func stem(noun string) string {
	noun = strings.ToLower(noun)
	if len(noun) > nounLeast {
		noun = strings.TrimSuffix(noun, "s")
	}
	return noun[:min(len(noun), nounLetters)]
}

// acts takes the verbs of the text that order something, with the nouns around them.
func (s *scanner) acts() {
	text := s.text
	last, before := "", "" // the two words before, "" at the beginning of a sentence
	for i := 0; i < len(text); {
		if bytesAre[text[i]]&(isLower|isUpper) == 0 {
			if c := text[i]; c == '.' || c == '\n' || c == '!' || c == '?' || c == ':' || c == ';' || c == ',' && last != "" && !ordering[last] {
				last, before = "", ""
			}
			i++
			continue
		}
		start := i
		for i < len(text) && bytesAre[text[i]]&(isLower|isUpper|isDigit|isScore|isHigh) != 0 {
			i++
		}
		w := text[start:i]
		if len(w) > longestVerb {
			before, last = last, w
			continue
		}
		if lengths[w[0]|0x20]&(1<<len(w)) == 0 { // no word that is looked for
			before, last = last, "-"
			continue
		}
		var room [longestVerb]byte
		lower := room[:len(w)]
		for n := range len(w) {
			lower[n] = w[n] | 0x20
		}
		if verb, is := verbs[string(lower)]; is && (last == "" || ordering[last] || last == "to" && urging[before]) {
			s.act(verb, start, i)
		}
		before = last
		last = known(lower)
	}
}

const longestVerb = 11

// lengths are those of the words that acts looks for, by their first letter: nearly all others need no look-up.
var lengths = func() (by [256]uint16) {
	add := func(w string) { by[w[0]] |= 1 << len(w) }
	for w := range verbs {
		add(w)
	}
	for w := range ordering {
		add(w)
	}
	for w := range urging {
		add(w)
	}
	add("to")
	return by
}()

// known is one of the words that acts looks back at, "-" for any other.
func known(lower []byte) string {
	switch w := string(lower); {
	case ordering[w], urging[w], w == "to":
		return w
	}
	return "-"
}

func (s *scanner) act(verb string, start, end int) {
	from, to := max(0, start-actBefore), min(len(s.text), end+actAfter)
	nouns := 0
	for i := from; i < to && nouns < maxNouns; {
		if bytesAre[s.text[i]]&(isLower|isUpper) == 0 {
			i++
			continue
		}
		at := i
		for i < len(s.text) && bytesAre[s.text[i]]&(isLower|isUpper) != 0 {
			i++
		}
		if at == start || i-at < nounLeast {
			continue
		}
		s.give(Value{Kind: Act, Prose: true, Text: ActOf(verb, stem(s.text[at:min(i, at+2*nounLetters)]))})
		nouns++
	}
}
