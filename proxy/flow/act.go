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

// parted notes a sign between words: some end what is ordered.
func (s *scanner) parted(sign byte) {
	switch sign {
	case '.', '\n', '!', '?', ':', ';':
		s.last, s.before = begins, begins
	case ',':
		if s.last&orders == 0 {
			s.last, s.before = begins, begins
		}
	}
}

// orderings takes the verbs in text[from:to] that order something, with the nouns around them.
func (s *scanner) orderings(from, to int) {
	text := s.text[:to]
	for i := from; i < len(text); {
		if bytesAre[text[i]]&(isLower|isUpper) == 0 {
			s.parted(text[i])
			i++
			continue
		}
		start := i
		key, _, end := letterWord(text, start)
		for i = end; i < len(text) && bytesAre[text[i]]&(isLower|isUpper|isDigit|isScore|isHigh) != 0; {
			i++
		}
		if i > end {
			key = 0 // with a digit in it, it means nothing
		}
		s.ordering(key, text[start:i], start)
	}
}

// ordering takes a word that begins at start, with its first letters in lower case (keyOf), 0 if it is none of letters: with the nouns around it if it is a verb that orders something.
func (s *scanner) ordering(key uint64, word string, start int) {
	is := meaningOf(key, word)
	if is == nil {
		s.before, s.last = s.last, 0
		return
	}
	if is.is&(acts|visits|does) != 0 && (s.last&(begins|orders) != 0 || s.last&isTo != 0 && s.before&urges != 0) {
		end := start + len(word)
		if is.verb != "" {
			s.act(is.verb, start, end)
		} else if is.is&visits != 0 && s.alone(start, end) {
			s.visit(end)
		}
		if is.is&does != 0 {
			s.deed(start, end)
		}
	}
	s.before, s.last = s.last, is.is
}

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
