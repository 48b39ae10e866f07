package tray

import (
	"cmp"
	"fmt"

	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

// maxRows is how many items are listed; "Open Inbox" leads to the others.
const maxRows = 3

// The rows of the menu, from the top; separators are between them. Their places never change: a panel may be showing the menu, so rows are
// renamed, hidden and shown, but never moved.
const (
	rowState    = 0
	rowInbox    = 2
	rowItems    = 3
	rowCoverage = rowItems + maxRows
	rowWindow   = rowCoverage + 1
	rowSnooze   = rowWindow + 1 // opens the only submenu
	rowQuit     = rowSnooze + 2
	rowFirstSub = rowQuit + 1 // the submenu's rows start here
	rowEnd      = rowFirstSub + int(EndSnooze)
	rowComfort  = rowEnd + 1
	rowCount    = rowComfort + 1
)

// under is the row that opens the submenu which a row is in; -1 for the menu itself.
func under(n int) int {
	if n < rowFirstSub {
		return -1
	}
	return rowSnooze
}

// entry is one row: its text and the effect of a click.
type entry struct {
	title  string
	hidden bool
	does   deed
	route  string
	snooze Snooze
}

// deed is everything a row can do.
type deed int

const (
	separates deed = iota // a separator, which has no title
	says                  // a row that cannot be clicked
	opens                 // opens the window, at the route
	holds                 // opens a submenu
	snoozes
	quits
)

// menuOf is the menu for a state.
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
	m[rowSnooze] = entry{title: "Snooze notifications", does: holds}
	if until := line(s.Snoozed); until != "" {
		m[rowSnooze].title = "Notifications snoozed until " + until
	}
	for choice, words := range []string{"30 minutes", "2 hours", "Until tomorrow", "End snooze"} {
		m[rowFirstSub+choice] = entry{title: words, does: snoozes, snooze: Snooze(choice)}
	}
	if s.Snoozed == "" {
		m[rowEnd] = entry{title: m[rowEnd].title, hidden: true, does: says}
	}
	m[rowComfort] = entry{title: "Blocking stays on", does: says}
	m[rowQuit] = entry{title: "Quit Sallyport…", does: quits}
	return m
}

// tooltip describes the state in words.
func tooltip(s State) string { return cmp.Or(line(s.Tooltip), "Sallyport") }

func waiting(s State) int { return max(s.Count, len(s.Waiting)) }

// tapped is what a click on the icon itself opens.
func tapped(s State) string {
	if waiting(s) > 0 {
		return "#/inbox"
	}
	return ""
}

// picture is the name of a mood's icon. An unknown mood gets the most serious one.
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
	case Snoozed:
		return "snoozed"
	default:
		return "failing"
	}
}

const maxLine = 64 // characters of a row, as a reader counts them: a menu is as wide as its widest row

// line cleans text for one row: no invisible characters or ones that change how the rest is drawn, cut to a row's length. Characters that
// join emoji and letters stay, because names need them.
func line(text string) string {
	return legible.Isolated(legible.FirstOf(legible.PersonName(text), maxLine))
}
