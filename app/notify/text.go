package notify

import (
	"strings"

	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

// What every desktop shows without cutting it. A body of ours is one or two sentences; anything longer did not come from Say.
const (
	maxTitle = 45
	maxBody  = 120
	maxName  = legible.MaxNarrowName
)

// The buttons of a note, as a system knows them.
const (
	actionOpen  = "open"
	actionLater = "later"
)

const maxShown = 256 // notes kept in mind; a daemon says when one is gone, other systems do not

// SafeName is a server's name as one of our own sentences may carry it, cut in the middle with its mark kept, or otherwise ("a server") where it could be read as
// something else than a name: it is clean, and has no markup and no quotes.
func SafeName(name, otherwise string) string {
	if name == "" || legible.PersonName(name) != name || strings.ContainsAny(name, "<>&\"'`[](){};:/\\“”„‘’«»") {
		return otherwise
	}
	return legible.NarrowName(name, maxName)
}

// plain is text with every character dropped that is not drawn, or that changes how others are drawn, with runs of white
// space as one space, names that run from right to left each in a place of their own, cut to at most most characters as a reader counts them.
func plain(text string, most int) string {
	return legible.Isolated(legible.FirstOf(legible.PersonName(text), most))
}
