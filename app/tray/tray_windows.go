package tray

import (
	"embed"
	"runtime"
	"strings"
	"sync"

	"fyne.io/systray"
)

//go:embed icons/*.ico
var icons embed.FS

// icon is an icon in the notification area, on a thread of its own that pumps its messages. It compiles, but nobody has run it. The library
// keeps one for the life of a process.
type icon struct {
	clicks *clicks

	mu     sync.Mutex
	state  State
	menu   [rowCount]entry
	rows   [rowCount]*systray.MenuItem // nil for separators
	shown  bool
	closed bool
}

func open(o Options) Tray {
	t := &icon{clicks: newClicks(o), state: State{Mood: Starting, Tooltip: "Sallyport is starting"}}
	systray.SetOnTapped(func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.clicks.open(tapped(t.state))
	})
	go func() {
		runtime.LockOSThread()
		systray.Run(t.build, nil)
	}()
	return t
}

// build makes the rows, and shows what was set before.
func (t *icon) build() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for n, e := range menuOf(t.state) {
		if e.does == separates {
			systray.AddSeparator()
			continue
		}
		var row *systray.MenuItem
		if at := under(n); at >= 0 {
			row = t.rows[at].AddSubMenuItem("", "")
		} else {
			row = systray.AddMenuItem("", "")
		}
		t.rows[n] = row
		go func() {
			for range row.ClickedCh {
				t.mu.Lock()
				e := t.menu[n]
				t.mu.Unlock()
				t.clicks.row(e)
			}
		}()
	}
	t.shown = true
	t.show()
	systray.SetIcon(t.picture())
}

func (t *icon) picture() []byte {
	data, err := icons.ReadFile("icons/" + picture(t.state.Mood) + ".ico")
	if err != nil {
		panic(err) // embedded
	}
	return data
}

func (t *icon) Set(s State) {
	t.mu.Lock()
	defer t.mu.Unlock()
	mood := t.state.Mood
	t.state = s
	if !t.shown || t.closed {
		return
	}
	t.show()
	if s.Mood != mood {
		systray.SetIcon(t.picture())
	}
}

// show updates the rows. A single ampersand marks an access key.
func (t *icon) show() {
	next := menuOf(t.state)
	for n, row := range t.rows {
		before, e := t.menu[n], next[n]
		if row == nil || e == before {
			continue
		}
		row.SetTitle(strings.ReplaceAll(e.title, "&", "&&"))
		if e.does == says {
			row.Disable()
		} else {
			row.Enable()
		}
		if e.hidden {
			row.Hide()
		} else {
			row.Show()
		}
	}
	t.menu = next
	systray.SetTooltip(tooltip(t.state))
}

func (t *icon) Why() string { return "" }

func (t *icon) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.closed = true
		t.clicks.end()
		systray.Quit()
	}
}
