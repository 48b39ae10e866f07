//go:build linux || windows

package tray

import (
	"fmt"
	"sync"

	"fyne.io/systray"
)

const (
	maxRows   = 3 // items that are named; the others are behind "Open Inbox"
	maxClicks = 8 // that wait for the window
)

// menu is the rows of the icon's menu. They are made once: a panel may show the menu while something changes, so rows are
// renamed, hidden and shown, and none ever moves.
type menu struct {
	o      Options
	clicks chan func()
	done   chan struct{}

	state, inbox, coverage, window, quit *row
	items                                [maxRows]*row

	mu    sync.Mutex
	ids   [maxRows]string // what the rows of items open, set together with their titles
	count int
	mood  Mood
	drawn bool
}

// row is a row as it stands: what does not change is not sent to the panel again.
type row struct {
	item   *systray.MenuItem
	title  string
	hidden bool
}

func newMenu(o Options) *menu {
	return &menu{o: o, clicks: make(chan func(), maxClicks), done: make(chan struct{})}
}

// build makes the rows, and says what a click on each does.
func (m *menu) build() {
	m.state = &row{item: systray.AddMenuItem("", "")}
	m.state.item.Disable()
	systray.AddSeparator()
	m.inbox = m.add(func() { m.o.Open("#/inbox") })
	for n := range m.items {
		m.items[n] = m.add(func() {
			m.mu.Lock()
			id := m.ids[n]
			m.mu.Unlock()
			if id != "" {
				m.o.Open("#/inbox/" + id)
			}
		})
	}
	m.coverage = &row{item: systray.AddMenuItem("", "")}
	m.coverage.item.Disable()
	m.window = m.add(func() { m.o.Open("") })
	systray.AddSeparator()
	m.quit = m.add(m.o.Quit)
	m.window.name("Open Sallyport")
	m.quit.name("Quit Sallyport…")
	go m.call()
}

func (m *menu) add(clicked func()) *row {
	item := systray.AddMenuItem("", "")
	// The library drops a click that nobody waits for at that moment (systrayMenuItemSelected); a place in the channel waits.
	clicks := make(chan struct{}, 1)
	item.ClickedCh = clicks
	go func() {
		for {
			select {
			case <-clicks:
				m.tell(clicked)
			case <-m.done:
				return
			}
		}
	}()
	return &row{item: item}
}

// tapped is a click on the icon itself.
func (m *menu) tapped() {
	m.tell(func() {
		m.mu.Lock()
		waiting := m.count > 0
		m.mu.Unlock()
		if waiting {
			m.o.Open("#/inbox")
		} else {
			m.o.Open("")
		}
	})
}

func (m *menu) tell(f func()) {
	select {
	case m.clicks <- f:
	default:
		m.o.Log.Warn("click dropped: those before it are not done")
	}
}

// call runs callbacks, so that a window which waits holds up no click and no change of state.
func (m *menu) call() {
	for {
		select {
		case f := <-m.clicks:
			f()
		case <-m.done:
			return
		}
	}
}

// set brings rows and icon in line with s, and gives the words for the icon.
func (m *menu) set(s State) (tooltip string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	tooltip = line(s.Tooltip)
	if tooltip == "" {
		tooltip = "Sallyport"
	}
	m.state.name(tooltip)
	m.count = max(s.Count, len(s.Waiting))
	inbox := "Open Inbox"
	if m.count > 0 {
		inbox = fmt.Sprintf("Open Inbox (%d)", m.count)
	}
	m.inbox.name(inbox)
	for n, r := range m.items {
		if n < len(s.Waiting) {
			m.ids[n] = s.Waiting[n].ID
			r.name("⚠ " + line(s.Waiting[n].Title))
			r.show(true)
		} else {
			m.ids[n] = ""
			r.show(false)
		}
	}
	coverage := line(s.Coverage)
	m.coverage.name(coverage)
	m.coverage.show(coverage != "")
	if !m.drawn || m.mood != s.Mood {
		m.drawn, m.mood = true, s.Mood
		systray.SetIcon(picture(s.Mood))
	}
	return tooltip
}

func (r *row) name(title string) {
	if title != r.title {
		r.title = title
		r.item.SetTitle(literal(title))
	}
}

func (r *row) show(visible bool) {
	if visible == r.hidden {
		r.hidden = !visible
		if visible {
			r.item.Show()
		} else {
			r.item.Hide()
		}
	}
}

// picture is the icon of a mood. One that is not known is shown as what is most wrong.
func picture(mood Mood) []byte {
	name := "failing"
	switch mood {
	case Starting:
		name = "starting"
	case Guarding:
		name = "guarding"
	case Attention:
		name = "attention"
	case Critical:
		name = "critical"
	}
	data, err := icons.ReadFile("icons/" + name + iconSuffix)
	if err != nil {
		panic(err) // embedded
	}
	return data
}
