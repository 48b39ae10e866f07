package desktop

import (
	"cmp"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sallyport/sallyport/app"
	"github.com/sallyport/sallyport/app/display"
	"github.com/sallyport/sallyport/app/notify"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/app/tray"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// attention is the icon and the notifications: what a person sees of Sallyport outside its window. Nothing in it decides.
type attention struct {
	tray  tray.Tray
	notes notify.Notifier
	paced *notify.Paced
	kits  chan notify.Toolkit

	snooze snooze
	keep   atomic.Pointer[func(until time.Time)] // what the person chose; nil until there is a hub

	waiting  atomic.Int64
	onScreen onScreen
}

func newAttention(shell *Shell, quit func(), log *slog.Logger) *attention {
	a := &attention{kits: make(chan notify.Toolkit, 1)}
	a.notes = notify.New(notify.Options{
		Open:    shell.Show,
		Later:   func(n notify.Note) { a.paced.Later(n) },
		Toolkit: a.kits,
		Log:     log,
	})
	a.paced = notify.NewPaced(a.notes, notify.NewPace(notify.Rules{}), func() int { return int(a.waiting.Load()) })
	a.looks(shell)
	a.snooze = snooze{now: time.Now, after: time.AfterFunc, changed: func(until time.Time) {
		a.paced.Snooze(until)
		if keep := a.keep.Load(); keep != nil {
			(*keep)(until)
		}
	}}
	a.tray = tray.New(tray.Options{Open: shell.Show, Snooze: a.snooze.choose, Quit: quit, Log: log})
	return a
}

// looks suppresses notifications about what this window has on the screen.
func (a *attention) looks(shell *Shell) {
	a.paced.Seen = a.onScreen.seen
	shell.onUnseen(func() { a.onScreen.shows("", "", "", false) })
}

// Notify offers a note about an item, in notify's words and never the server's. It is called with the hub locked.
func (a *attention) Notify(n review.Notice) {
	note := notify.Say(notify.Subject{
		Kind: n.Kind, Server: about(n), Code: n.Code, Grave: n.Severity == vocab.SeverityCritical, Hidden: n.Hidden, Tools: n.Tools, Blocked: n.Blocked, Launch: string(n.Launch), Asked: n.Asked,
		Found:  n.Severity == vocab.SeverityCritical || n.Severity == vocab.SeverityHigh,
		Client: n.Client, Next: n.Next, Flow: n.Flow, From: n.From,
	})
	a.paced.Offer(notify.Event{Server: n.Server, Kind: n.Kind, Group: n.Group, Note: note})
}

// about is the name shown in a note: the server's, or that of the one entry of a client's file; "" if it is about more than one.
func about(n review.Notice) string {
	switch n.Kind {
	case vocab.ItemUnguarded, vocab.ItemConfigChanged, vocab.ItemExtension:
		return n.Entry
	case vocab.ItemSettingsChanged:
		return ""
	default:
		return n.Shown
	}
}

// follow updates the icon to what is pending, and withdraws notes about items that no longer are.
func (a *attention) follow(hub *app.Hub) {
	var (
		waiting []control.InboxItem
		err     error
	)
	a.paced.Keep(func() []string {
		waiting, err = hub.Inbox()
		codes := make([]string, 0, len(waiting))
		for _, it := range waiting {
			codes = append(codes, it.Code)
		}
		codes = append(codes, hub.UnseenNotices()...)
		return append(codes, hub.CodesHeld()...) // a note about one of many stays while that one is pending
	})
	a.waiting.Store(int64(len(waiting)))
	coverage, bad := hub.Coverage(control.CoverageQuery{})
	a.tray.Set(a.snooze.says(trayState(waiting, coverage, hub.Light(coverage, waiting, err == nil && bad == nil))))
}

// test shows one note now. It returns why that failed, or "".
func (a *attention) test() string {
	if why := a.notes.Why(); why != "" {
		return why
	}
	a.notes.Show(notify.Note{Key: "test", Title: "Notifications work", Body: "Sallyport tells you here when something is blocked.", Route: "#/settings", Action: "Open Sallyport"})
	return a.notes.Why()
}

func (a *attention) close() {
	a.snooze.close()
	a.tray.Close()
	_ = a.paced.Close()
}

// kindWords say what happened, after the name of what it happened to.
var kindWords = map[vocab.ItemKind]string{
	vocab.ItemNewServer:       "new server",
	vocab.ItemChanged:         "tool changed",
	vocab.ItemLaunch:          "start-up changed",
	vocab.ItemConfigChanged:   "settings changed",
	vocab.ItemUnguarded:       "guard removed",
	vocab.ItemExtension:       "an extension to review",
	vocab.ItemSettingsChanged: "a riskier setting",
	vocab.ItemInteraction:     "request blocked",
	vocab.ItemResponseHeld:    "response held",
	vocab.ItemLogin:           "wants a sign-in",
	vocab.ItemCallWaiting:     "a call to review",
	vocab.ItemProblem:         "a problem",
}

// trayState is what the icon shows: the light of all servers as a shape, and pending items as rows.
func trayState(waiting []control.InboxItem, c control.Coverage, l control.Light) tray.State {
	s := tray.State{Mood: moodOf(l), Count: len(waiting), Coverage: fmt.Sprintf("Guarding %d of %s", c.Guarded, review.Count(c.Total, "server"))}
	for _, it := range waiting {
		name := cmp.Or(it.Shown, it.Server)
		if it.Kind == vocab.ItemUnguarded && len(it.Parts) > 0 {
			name = strings.TrimPrefix(it.Parts[0].Item, "entry:")
		}
		name = notify.SafeName(name, "a server")
		words, ok := kindWords[it.Kind]
		if !ok {
			words = "needs your review"
		}
		if it.Kind == vocab.ItemSettingsChanged || it.Kind == vocab.ItemProblem && it.Server == "" {
			name = "Sallyport"
		}
		s.Waiting = append(s.Waiting, tray.Row{ID: it.Code, Title: name + " — " + words})
	}
	s.Tooltip = "Sallyport — " + l.Words
	if l.State == display.LightBroken {
		s.Tooltip = l.Words + " — open to see why"
	}
	return s
}

// moodOf is the shape for a light. Amber has two: something to read, or something unguarded.
func moodOf(l control.Light) tray.Mood {
	switch l.Colour {
	case vocab.Red:
		return tray.Critical
	case vocab.Green:
		return tray.Guarding
	case vocab.Grey:
		return tray.Starting
	case vocab.Amber: // depends on the subject
	}
	switch l.State {
	case display.LightReview, display.LightHeld, display.LightSignIn:
		return tray.Attention
	}
	return tray.Failing
}

// onScreen tracks what the person is looking at, which is not notified. The page reports it, so a page can only silence what it
// shows; the icon and the inbox still have it.
type onScreen struct {
	mu      sync.Mutex
	place   string // the page's room
	item    string // code of the item that is open
	group   string // for a held response: the item it belongs to
	focused bool   // the window has the keyboard
	first   bool   // the last page of a first run is open, which lists what the look found
}

// shows records what the page shows now.
func (s *onScreen) shows(place, item, group string, focused bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.place, s.item, s.group, s.focused = place, item, group, focused
	s.first = s.first && place == placeStart
}

// wrote records that the page wrote a file: until the person leaves that page, it lists what the look that follows finds.
func (s *onScreen) wrote() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.first = s.place == placeStart
}

// seen reports whether an event is about what is on the screen: the open item of a focused window, or a new server that a first run
// has just looked at.
func (s *onScreen) seen(e notify.Event) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	open := s.item != "" && s.item == e.Note.Key || s.group != "" && s.group == e.Group
	return s.focused && open || s.first && e.Kind == vocab.ItemNewServer
}

const placeStart = "start"

// Shows is called by the page whenever it shows something else, or gains or loses the focus.
func (p *Page) Shows(place, item string, focused bool) {
	if p.say == nil {
		return
	}
	group := ""
	if h := p.hub(); h != nil {
		_, group = h.HeldCodes(item)
	}
	p.say.onScreen.shows(place, item, group, focused && p.shell.Visible())
}
