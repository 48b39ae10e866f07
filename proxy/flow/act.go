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

// verbOfNoun is the verb of what is made, placed or done: "make a reservation" orders to book.
func verbOfNoun(word string) string {
	switch word {
	case "reservation", "reservations", "booking", "bookings":
		return "book"
	case "purchase", "purchases", "order", "orders", "subscription":
		return "buy"
	case "payment", "payments", "transfer", "transfers", "donation", "withdrawal":
		return "pay"
	case "cancellation":
		return "cancel"
	case "deletion", "removal":
		return "delete"
	}
	return ""
}

// does reports whether a verb says what is done only together with a noun.
func does(word string) bool {
	switch word {
	case "make", "place", "do", "perform", "initiate", "complete", "execute", "arrange", "submit", "issue":
		return true
	}
	return false
}

// Visit is the verb of an order to open a host: its act has the host for a noun.
const Visit = "visit"

// visits reports whether a word orders to open what an address behind it names.
func visits(word string) bool {
	switch word {
	case "visit", "open", "go", "browse", "navigate", "click", "access", "load", "fetch", "download", "follow":
		return true
	}
	return false
}

// role is what a word says about a verb behind it.
type role uint8

const (
	begins role = 1 << iota // there is none: the sentence begins
	orders                  // a verb behind it orders
	urges                   // a "to" behind it does
	isTo
)

// roleOf is the role of a word in lower case.
func roleOf(word []byte) role {
	switch string(word) {
	case "you":
		return orders | urges
	case "please", "must", "should", "then", "now", "also", "first", "kindly", "immediately", "and", "can", "could", "always", "just", "finally", "next", "instead":
		return orders
	case "need", "have", "remember", "sure", "required", "instructed", "asked", "want", "supposed", "forget":
		return urges
	case "to":
		return isTo
	}
	return 0
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
	last, before := begins, begins // of the two words before
	for i := 0; i < len(text); {
		if bytesAre[text[i]]&(isLower|isUpper) == 0 {
			switch text[i] {
			case '.', '\n', '!', '?', ':', ';':
				last, before = begins, begins
			case ',':
				if last&orders == 0 {
					last, before = begins, begins
				}
			}
			i++
			continue
		}
		start := i
		for i < len(text) && bytesAre[text[i]]&(isLower|isUpper|isDigit|isScore|isHigh) != 0 {
			i++
		}
		if i-start < shortestRole || i-start > longestVerb {
			before, last = last, 0
			continue
		}
		var room [longestVerb]byte
		lower := room[:i-start]
		for n := range lower {
			lower[n] = text[start+n] | 0x20
		}
		if last&(begins|orders) != 0 || last&isTo != 0 && before&urges != 0 {
			if verb := verbOf(string(lower)); verb != "" {
				s.act(verb, start, i)
			} else if visits(string(lower)) && s.alone(start, i) {
				s.visit(i)
			}
			if does(string(lower)) {
				s.deed(start, i)
			}
		}
		before, last = last, roleOf(lower)
	}
}

const (
	longestVerb  = 11
	shortestRole = 2
)

func (s *scanner) act(verb string, start, end int) {
	from, to := max(0, start-actBefore), min(len(s.text), end+actAfter)
	nouns := 0
	for i := from; nouns < maxNouns; {
		var at int
		if at, i = s.nextLetters(i, to); at == to {
			return
		}
		if at == start || i-at < nounLeast {
			continue
		}
		s.give(Value{Kind: Act, Prose: true, Text: ActOf(verb, stem(s.text[at:min(i, at+2*nounLetters)]))})
		nouns++
	}
}

// deedWords is how many words behind a verb that says little its noun is at most.
const deedWords = 4

// deed takes the act of a verb such as "make" by the noun that follows shortly.
func (s *scanner) deed(start, end int) {
	i := end
	for range deedWords {
		at, next := s.nextLetters(i, len(s.text))
		if at == len(s.text) || strings.ContainsAny(s.text[i:at], ".\n;") {
			return
		}
		i = next
		if i-at > longestNoun {
			continue
		}
		if verb := verbOfNoun(strings.ToLower(s.text[at:i])); verb != "" {
			s.act(verb, start, end)
			return
		}
	}
}

// nextLetters is the next run of letters that begins before to, or to twice.
func (s *scanner) nextLetters(i, to int) (start, end int) {
	for i < to && bytesAre[s.text[i]]&(isLower|isUpper) == 0 {
		i++
	}
	if i >= to {
		return to, to
	}
	start = i
	for i < len(s.text) && bytesAre[s.text[i]]&(isLower|isUpper) != 0 {
		i++
	}
	return start, i
}

// longestNoun is the length of the longest of verbOfNoun.
const longestNoun = 12

// alone reports whether a word is not part of an address or of a longer word.
func (s *scanner) alone(start, end int) bool {
	if start > 0 && strings.IndexByte("/.-@#=&?%", s.text[start-1]) >= 0 || end == len(s.text) {
		return false
	}
	rest := strings.TrimPrefix(s.text[end:], ":")
	return rest != "" && bytesAre[rest[0]]&(isSpace|isBreak) != 0
}

// visit takes the hosts of the addresses that begin shortly behind a verb which ends here.
func (s *scanner) visit(end int) {
	to := min(len(s.text), end+actAfter)
	for i := end; i < to; {
		if bytesAre[s.text[i]]&(isSpace|isBreak) != 0 {
			i++
			continue
		}
		at := i
		for i < len(s.text) && bytesAre[s.text[i]]&(isSpace|isBreak) == 0 {
			i++
		}
		if kind, form := destination(strings.Trim(s.text[at:i], around)); kind == URL || kind == Host {
			s.give(Value{Kind: Act, Prose: true, Text: ActOf(Visit, HostOf(form))})
		}
	}
}
