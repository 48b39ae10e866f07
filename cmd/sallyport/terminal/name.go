package terminal

import (
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

// Name makes a text of ours that has a person's name for a server in it safe for one of our lines. What the name was cleaned by leaves
// the joiners of emoji and of Persian or Indic words alone, and so does this: spelled out, the name would not be the one that was given.
// A text with anything else in it is escaped like a server's.
func Name(s string, most int) string {
	if !isGiven(s) {
		return Short(s, most)
	}
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	first, room, state := 0, most-1, -1
	for rest := s; rest != ""; {
		var one string
		one, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if room -= utf8.RuneCountInString(one); room < 0 {
			break // never within a joined emoji
		}
		first += len(one)
	}
	return s[:first] + "…"
}

// isGiven says that there is nothing in a text that the name of a server can't have.
func isGiven(s string) bool { return legible.PersonName(s) == s }
