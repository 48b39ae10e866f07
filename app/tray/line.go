package tray

import (
	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

const maxLine = 64 // characters of a row, as a reader counts them: a menu is as wide as its widest

// line is text as one row may carry it: without what is not drawn, or changes how the rest is drawn, and cut to a row's length. What joins
// emoji and letters stays: it is part of how names are written.
func line(text string) string {
	return legible.Isolated(legible.FirstOf(legible.PersonName(text), maxLine))
}
