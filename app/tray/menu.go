package tray

import (
	"cmp"
	"fmt"
)

// maxRows is how many items are named; the others are behind "Open Inbox".
const maxRows = 3

// The places of the menu's rows, from the top; between them are separators. They never change: a panel may show the menu
// while something else does, so rows are renamed, hidden and shown, and none ever moves.
const (
	rowState    = 0
	rowInbox    = 2
	rowItems    = 3
	rowCoverage = rowItems + maxRows
	rowWindow   = rowCoverage + 1
	rowQuit     = rowWindow + 2
	rowCount    = rowQuit + 1
)

// entry is one row: what it says, and what a click on it does.
type entry struct {
	title  string
	hidden bool
	does   deed
	route  string
}

// deed is all that a row can do.
type deed int

const (
	separates deed = iota // a separator, which has no title
	says                  // a row that cannot be clicked
	opens                 // the window, at the route
	quits
)

// menuOf is the menu that a state has.
func menuOf(s State) (m [rowCount]entry) {
	m[rowState] = entry{title: tooltip(s), does: says}
	m[rowInbox] = entry{title: "Open Inbox", does: opens, route: "#/inbox"}
	if n := waiting(s); n > 0 {
		m[rowInbox].title = fmt.Sprintf("Open Inbox (%d)", n)
	}
	for n := range maxRows {
		row := &m[rowItems+n]
		*row = entry{title: "⚠", hidden: true, does: says}
		if n < len(s.Waiting) {
			*row = entry{title: "⚠ " + line(s.Waiting[n].Title), does: opens, route: "#/inbox/" + s.Waiting[n].ID}
		}
	}
	coverage := line(s.Coverage)
	m[rowCoverage] = entry{title: coverage, hidden: coverage == "", does: says}
	m[rowWindow] = entry{title: "Open Sallyport", does: opens}
	m[rowQuit] = entry{title: "Quit Sallyport…", does: quits}
	return m
}

// tooltip is how things stand, in words.
func tooltip(s State) string { return cmp.Or(line(s.Tooltip), "Sallyport") }

func waiting(s State) int { return max(s.Count, len(s.Waiting)) }

// tapped is what a click on the icon itself opens.
func tapped(s State) string {
	if waiting(s) > 0 {
		return "#/inbox"
	}
	return ""
}

// picture is the name of a mood's icon. One that is not known looks like what is most wrong.
func picture(mood Mood) string {
	switch mood {
	case Starting:
		return "starting"
	case Guarding:
		return "guarding"
	case Attention:
		return "attention"
	case Critical:
		return "critical"
	default:
		return "failing"
	}
}
