package notify

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The bounds of ux.md §2.3. A body of ours is one or two sentences; what is longer did not come from Say.
const (
	maxTitle = 45
	maxBody  = 120
	maxName  = 32
)

// The buttons of a note, as a system knows them.
const (
	actionOpen  = "open"
	actionLater = "later"
)

const maxShown = 256 // notes kept in mind; a daemon says when one is gone, other systems do not

// SafeName is name as one of our own sentences may carry it, or otherwise ("a server", "a tool") where it could be read as
// something else than a name: it has no markup, no quotes, no direction and nothing that cannot be seen.
func SafeName(name, otherwise string) string {
	if name == "" || len(name) > maxName || strings.TrimSpace(name) != name {
		return otherwise
	}
	for _, r := range name {
		ascii := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		if !ascii && !strings.ContainsRune(" ._-", r) {
			return otherwise
		}
	}
	return name
}

// plain is text with every character dropped that is not drawn, or that changes how others are drawn, with runs of white
// space as one space, cut to at most most characters.
func plain(text string, most int) string {
	var b strings.Builder
	space := false
	for _, r := range text {
		switch {
		case unicode.IsSpace(r):
			space = b.Len() > 0
			continue
		case r == utf8.RuneError, !unicode.IsGraphic(r), unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r), unicode.Is(unicode.Variation_Selector, r),
			unicode.Is(unicode.Mn, r), unicode.Is(unicode.Me, r):
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
	}
	if utf8.RuneCountInString(b.String()) <= most {
		return b.String()
	}
	return strings.TrimRight(string([]rune(b.String())[:most-1]), " ") + "…"
}
