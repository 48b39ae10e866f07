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

// verbOf is the verb that a word of a tool counts as, "" for any other word. docs/flow.md lists them. A switch, since a wrapper and its guard would
// make maps at every start.
func verbOf(word string) string {
	switch word {
	case "delete", "remove", "erase", "drop", "destroy", "purge", "wipe":
		return "delete"
	case "cancel", "revoke", "unsubscribe":
		return "cancel"
	case "reserve", "book", "schedule":
		return "book"
	case "buy", "purchase", "order", "subscribe":
		return "buy"
	case "pay", "transfer", "withdraw", "donate":
		return "pay"
	case "send", "forward", "email", "mail", "share", "post", "publish", "upload", "reply":
		return "send"
	case "invite", "add":
		return "invite"
	case "change", "update", "modify", "reset", "set", "edit":
		return "change"
	case "create", "make":
		return "create"
	case "grant", "assign", "promote":
		return "grant"
	case "move", "archive", "rename":
		return "move"
	}
	return ""
}

// orders reports whether a verb behind this word orders.
func orders(word string) bool {
	switch word {
	case "please", "must", "should", "then", "now", "also", "first", "kindly", "immediately", "and", "you", "can", "could", "always", "just", "finally", "next", "instead":
		return true
	}
	return false
}

// urges reports whether a "to" behind this word orders.
func urges(word string) bool {
	switch word {
	case "need", "have", "you", "remember", "sure", "required", "instructed", "asked", "want", "supposed", "forget":
		return true
	}
	return false
}

// ActOf is the text of an act's value.
func ActOf(verb, noun string) string { return verb + " " + noun }

// ActsOf are the acts that a tool of this name does: its verbs, each with its nouns.
func ActsOf(words []string) (acts []string) {
	for _, w := range words {
		verb := verbOf(w)
		if verb == "" {
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
			if c := text[i]; c == '.' || c == '\n' || c == '!' || c == '?' || c == ':' || c == ';' || c == ',' && last != "" && !orders(last) {
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
		var room [longestVerb]byte
		lower := room[:len(w)]
		for n := range len(w) {
			lower[n] = w[n] | 0x20
		}
		if verb := verbOf(string(lower)); verb != "" && (last == "" || orders(last) || last == "to" && urges(before)) {
			s.act(verb, start, i)
		}
		before = last
		last = known(lower)
	}
}

const longestVerb = 11

// known is one of the words that acts looks back at, "-" for any other.
func known(lower []byte) string {
	switch w := string(lower); {
	case orders(w), urges(w), w == "to":
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
