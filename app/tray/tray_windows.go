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

const iconSuffix = ".ico"

// literal is a title in which Windows finds no access key.
func literal(title string) string { return strings.ReplaceAll(title, "&", "&&") }

// icon is an icon in the notification area, on a thread of its own that pumps its messages. It compiles; nobody has run it.
type icon struct {
	menu *menu

	mu     sync.Mutex
	next   *State // what was set before there was an icon
	words  string
	shown  bool
	closed bool
}

func open(o Options) Tray {
	t := &icon{menu: newMenu(o), next: &State{Mood: Starting, Tooltip: "Sallyport is starting"}}
	systray.SetOnTapped(t.menu.tapped)
	go func() {
		runtime.LockOSThread()
		systray.Run(t.built, nil)
	}()
	return t
}

func (t *icon) built() {
	t.menu.build()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.shown = true
	t.set(*t.next)
}

func (t *icon) Set(s State) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.closed:
	case t.shown:
		t.set(s)
	default:
		t.next = &s
	}
}

func (t *icon) set(s State) {
	if words := t.menu.set(s); words != t.words {
		t.words = words
		systray.SetTooltip(words)
	}
}

func (t *icon) Why() string { return "" }

func (t *icon) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.closed = true
		close(t.menu.done)
		systray.Quit()
	}
}
