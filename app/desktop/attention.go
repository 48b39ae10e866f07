package desktop

import (
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/sallyport/sallyport/app"
	"github.com/sallyport/sallyport/app/notify"
	"github.com/sallyport/sallyport/app/tray"
	"github.com/sallyport/sallyport/proxy/control"
)

// attention is what a person sees of Sallyport outside its window: the icon, and notifications. Nothing in it decides.
type attention struct {
	tray  tray.Tray
	notes notify.Notifier
	paced *notify.Paced
	kits  chan notify.Toolkit

	snooze snooze
	keep   atomic.Pointer[func(until time.Time)] // what the person chose; nil until there is a hub

	waiting atomic.Int64
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
	a.snooze = snooze{now: time.Now, after: time.AfterFunc, changed: func(until time.Time) {
		a.paced.Snooze(until)
		if keep := a.keep.Load(); keep != nil {
			(*keep)(until)
		}
	}}
	a.tray = tray.New(tray.Options{Open: shell.Show, Snooze: a.snooze.choose, Quit: quit, Log: log})
	return a
}

// Notify tells of an item, in the words of notify and none of the server's. It is called while the hub is locked.
func (a *attention) Notify(n app.ItemNotice) {
	note := notify.Say(notify.Subject{
		Kind: n.Kind, Server: about(n), Code: n.Code, Grave: n.Severity == "critical", Hidden: n.Hidden, Tools: n.Tools, Blocked: n.Blocked, Asked: n.Asked,
		Found:  n.Severity == "critical" || n.Severity == "high",
		Client: n.Client, Next: n.Next,
	})
	a.paced.Offer(notify.Event{Server: n.Server, Kind: n.Kind, Note: note})
}

// about is the name that a note may have: of the server, or of the one entry of a client's file; "" for what is about more.
func about(n app.ItemNotice) string {
	switch n.Kind {
	case "unguarded", "config_changed":
		return n.Entry
	case "settings_changed":
		return ""
	}
	return n.Server
}

// follow brings the icon up to what waits, and takes back what was said of items that wait no more.
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
		return codes
	})
	a.waiting.Store(int64(len(waiting)))
	coverage, bad := hub.Coverage(control.CoverageQuery{})
	a.tray.Set(a.snooze.says(trayState(waiting, coverage, err == nil && bad == nil && hub.StoreOK())))
}

// test shows one note now; the answer is why it could not be shown.
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

// kindWords is what happened, behind the name of what it happened to.
var kindWords = map[string]string{
	"new_server":       "new server",
	"changed":          "tool changed",
	"launch":           "what starts it changed",
	"config_changed":   "settings changed",
	"unguarded":        "not guarded any more",
	"settings_changed": "a setting made less safe",
	"interaction":      "asked for something",
	"response_held":    "response held",
	"guard_problem":    "a problem",
}

// trayState is what the icon says. An unguarded server weighs only while it waits for a decision: what a person left out, or
// what nobody can guard, is counted in the coverage line and raises no alarm for ever.
func trayState(waiting []control.InboxItem, c control.Coverage, works bool) tray.State {
	s := tray.State{Mood: tray.Guarding, Count: len(waiting), Coverage: fmt.Sprintf("Guarding %d of %d %s", c.Guarded, c.Total, plural(c.Total, "server"))}
	critical, lost := 0, ""
	for _, it := range waiting {
		if it.Severity == "critical" {
			critical++
		}
		name := it.Server
		if it.Kind == "unguarded" && len(it.Parts) > 0 {
			name = strings.TrimPrefix(it.Parts[0].Item, "entry:")
		}
		name = notify.SafeName(name, "a server")
		if it.Kind == "unguarded" && lost == "" {
			lost = name
		}
		words, ok := kindWords[it.Kind]
		if !ok {
			words = "something waits"
		}
		if it.Kind == "settings_changed" || it.Kind == "guard_problem" && it.Server == "" {
			name = "Sallyport"
		}
		s.Waiting = append(s.Waiting, tray.Row{ID: it.Code, Title: name + " — " + words})
	}
	things := func(n int, what string) string {
		return fmt.Sprintf("Sallyport — %d %s waiting", n, plural(n, what))
	}
	switch {
	case !works:
		s.Mood, s.Tooltip = tray.Failing, "Sallyport isn't working — open to see why"
	case critical > 0:
		s.Mood, s.Tooltip = tray.Critical, things(critical, "critical thing")
	case lost != "":
		s.Mood, s.Tooltip = tray.Failing, "Sallyport — "+lost+" is not guarded"
	case len(waiting) > 0:
		s.Mood, s.Tooltip = tray.Attention, things(len(waiting), "thing")
	case c.Guarded == 0 && c.Total > 0:
		s.Mood, s.Tooltip = tray.Failing, "Sallyport — no server is guarded"
	default:
		s.Tooltip = fmt.Sprintf("Sallyport — %d %s guarded", c.Guarded, plural(c.Guarded, "server"))
	}
	return s
}

func plural(n int, what string) string {
	if n == 1 {
		return what
	}
	return what + "s"
}
