//go:build linux

package notify

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"
)

// org.freedesktop.Notifications, version 1.2 (specifications.freedesktop.org/notification-spec).
const (
	service = "org.freedesktop.Notifications"
	path    = dbus.ObjectPath("/org/freedesktop/Notifications")

	actionDefault = "default" // a click on the note itself (Actions)
)

const (
	patience = 3 * time.Second        // for one response of the daemon
	courtesy = 300 * time.Millisecond // for the first: the window waits for New, and must appear within 1.5 s
	maxWork  = 64                     // calls waiting for a response

	silent = "the notification service doesn't respond"
)

// desk is the client of a notification daemon. The goroutine of run owns every field that is not a channel or why: it handles calls to the
// daemon and signals from it one by one, so that no click overtakes the id that Notify returns.
type desk struct {
	o     Options
	work  chan func()
	said  chan func()   // callbacks, in the order of clicks
	ready chan struct{} // closed once we know whether there is a daemon
	done  chan struct{} // closed by Close
	gone  chan struct{} // closed when run has returned
	ended sync.Once

	conn    *dbus.Conn
	signals chan *dbus.Signal
	owner   string // unique name of the daemon; "" if there is none
	caps    []string
	ids     map[string]uint32 // by key
	notes   map[uint32]Note

	mu  sync.Mutex
	why string
}

func open(o Options) Notifier {
	d := &desk{o: o, work: make(chan func(), maxWork), said: make(chan func(), maxWork),
		ready: make(chan struct{}), done: make(chan struct{}), gone: make(chan struct{}), why: silent}
	go d.run()
	go d.call()
	select {
	case <-d.ready: // so that Why knows
	case <-time.After(courtesy):
	}
	return d
}

func (d *desk) Show(n Note)         { d.do("show", func() { d.show(n) }) }
func (d *desk) Withdraw(key string) { d.do("withdraw", func() { d.withdraw(key) }) }

func (d *desk) Why() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.why
}

// Close withdraws what is shown, because nobody will hear a click on it. A callback may call it.
func (d *desk) Close() error {
	d.ended.Do(func() { close(d.done) })
	<-d.gone
	return nil
}

func (d *desk) do(what string, f func()) {
	select {
	case d.work <- f:
	case <-d.done:
	default:
		d.o.Log.Warn("notification dropped: the notification service doesn't respond", "what", what)
	}
}

func (d *desk) run() {
	defer close(d.gone)
	d.connect()
	close(d.ready)
	for {
		select {
		case f := <-d.work:
			f()
		case s, open := <-d.signals:
			if open {
				d.hear(s)
			} else {
				d.forget("the session bus has gone")
			}
		case <-d.done:
			for key := range d.ids {
				d.withdraw(key)
			}
			if d.conn != nil {
				_ = d.conn.Close()
			}
			return
		}
	}
}

// call runs callbacks, so that a slow one delays no signal.
func (d *desk) call() {
	for {
		select {
		case f := <-d.said:
			f()
		case <-d.done:
			return
		}
	}
}

func (d *desk) tell(f func()) {
	select {
	case d.said <- f:
	default:
		d.o.Log.Warn("click dropped: those before it are not done")
	}
}

func (d *desk) explain(why string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if why != d.why {
		d.o.Log.Info("notifications", "off", why)
	}
	d.why = why
}

// forget handles a bus that is gone, or was never there. The next Show looks for one.
func (d *desk) forget(why string) {
	if d.conn != nil {
		_ = d.conn.Close()
	}
	d.conn, d.signals, d.owner, d.ids, d.notes = nil, nil, "", nil, nil
	d.explain(why)
}

// connect opens its own connection: any user of godbus's shared one can close it. It never starts a bus.
func (d *desk) connect() {
	conn, err := dbus.SessionBusPrivateNoAutoStartup(dbus.WithSignalHandler(dbus.NewSequentialSignalHandler()))
	if err != nil {
		d.forget("no session bus found")
		return
	}
	d.conn, d.signals = conn, make(chan *dbus.Signal, maxWork)
	if conn.Auth(nil) != nil || conn.Hello() != nil {
		d.forget("the session bus doesn't accept connections")
		return
	}
	conn.Signal(d.signals)
	err = errors.Join(
		conn.AddMatchSignal(dbus.WithMatchSender(service), dbus.WithMatchInterface(service), dbus.WithMatchObjectPath(path)),
		conn.AddMatchSignal(dbus.WithMatchSender("org.freedesktop.DBus"), dbus.WithMatchInterface("org.freedesktop.DBus"),
			dbus.WithMatchMember("NameOwnerChanged"), dbus.WithMatchArg(0, service)))
	if err != nil {
		d.forget("the session bus sends no signals")
		return
	}
	d.seek()
}

// seek finds the daemon. Calling an installed daemon starts it.
func (d *desk) seek() {
	_ = d.ask(d.conn.Object(service, path), service+".GetCapabilities")
	var owner string
	if d.ask(d.conn.BusObject(), "org.freedesktop.DBus.GetNameOwner", service).Store(&owner) != nil {
		owner = ""
	}
	if owner == "" || owner != d.owner {
		d.meet(owner)
	}
}

// meet handles a daemon that came or went: what was shown went with the one before.
func (d *desk) meet(owner string) {
	d.owner, d.caps, d.ids, d.notes = owner, nil, map[string]uint32{}, map[uint32]Note{}
	if owner == "" {
		d.explain("no notification service is running")
		return
	}
	if err := d.ask(d.daemon(), service+".GetCapabilities").Store(&d.caps); err != nil {
		d.explain(silent)
		return
	}
	d.explain("")
}

// daemon is addressed by its unique name, so that responses and signals come from the same program.
func (d *desk) daemon() dbus.BusObject { return d.conn.Object(d.owner, path) }

func (d *desk) ask(to dbus.BusObject, method string, args ...any) *dbus.Call {
	ctx, done := context.WithTimeout(context.Background(), patience)
	defer done()
	return to.CallWithContext(ctx, method, 0, args...)
}

func (d *desk) show(n Note) {
	switch {
	case d.conn == nil:
		d.connect()
	case d.owner == "":
		d.seek()
	}
	for range 2 { // try again if the daemon was replaced meanwhile
		owner := d.owner
		if owner == "" {
			return
		}
		err := d.send(n)
		if err == nil {
			d.explain("")
			return
		}
		d.o.Log.Warn("notification not shown", "why", err)
		d.explain(silent)
		if d.seek(); d.owner == owner {
			return
		}
	}
}

func (d *desk) send(n Note) error {
	body := plain(n.Body, maxBody)
	if slices.Contains(d.caps, "body-markup") {
		// Not html.EscapeString: GNOME Shell shows its &#39; literally.
		body = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(body)
	}
	actions := []string{}
	if slices.Contains(d.caps, "actions") {
		actions = append(actions, actionDefault, "Open")
		if label := plain(n.Action, maxName); label != "" {
			actions = append(actions, actionOpen, label)
			if n.Later && d.o.Later != nil {
				actions = append(actions, actionLater, "Later")
			}
		}
	}
	hints := map[string]dbus.Variant{
		"urgency":        dbus.MakeVariant(level(n.Urgency)),
		"desktop-entry":  dbus.MakeVariant("sallyport"), // build/linux/sallyport.desktop
		"suppress-sound": dbus.MakeVariant(n.Urgency != Critical),
	}
	var id uint32
	place, stands := d.ids[n.Key]
	if !stands {
		place = d.ids[n.Replaces]
	}
	err := d.ask(d.daemon(), service+".Notify", "Sallyport", place, d.o.AppIcon, plain(n.Title, maxTitle), body, actions, hints, int32(-1)).Store(&id)
	if err != nil {
		return err
	}
	d.drop(place)
	d.drop(id)
	if len(d.notes) >= maxShown {
		oldest := id
		for known := range d.notes {
			oldest = min(oldest, known)
		}
		d.drop(oldest)
	}
	d.ids[n.Key], d.notes[id] = id, n
	return nil
}

func level(u Urgency) byte {
	switch u {
	case Low:
		return 0
	case Critical:
		return 2
	default:
		return 1
	}
}

func (d *desk) withdraw(key string) {
	id, shown := d.ids[key]
	if !shown || d.owner == "" {
		return
	}
	d.drop(id)
	if err := d.ask(d.daemon(), service+".CloseNotification", id).Err; err != nil {
		d.o.Log.Info("notification not withdrawn", "why", err)
	}
}

func (d *desk) drop(id uint32) {
	if n, known := d.notes[id]; known {
		delete(d.notes, id)
		delete(d.ids, n.Key)
	}
}

// hear handles a signal. The rules of AddMatchSignal only filter broadcasts: a signal addressed to us arrives regardless, so the sender is
// checked here.
func (d *desk) hear(s *dbus.Signal) {
	if s.Name == "org.freedesktop.DBus.NameOwnerChanged" {
		var name, before, now string
		if s.Sender == "org.freedesktop.DBus" && dbus.Store(s.Body, &name, &before, &now) == nil && name == service && now != d.owner {
			d.meet(now)
		}
		return
	}
	if d.owner == "" || s.Sender != d.owner || s.Path != path {
		return
	}
	var id uint32
	switch s.Name {
	case service + ".ActionInvoked":
		var action string
		if dbus.Store(s.Body, &id, &action) == nil {
			d.clicked(id, action)
		}
	case service + ".NotificationClosed":
		// Expired, dismissed, withdrawn: in any case nobody clicked.
		var reason uint32
		if dbus.Store(s.Body, &id, &reason) == nil {
			d.drop(id)
		}
	}
}

func (d *desk) clicked(id uint32, action string) {
	n, known := d.notes[id]
	if !known {
		return // of another program, or no longer ours
	}
	switch action {
	case actionDefault, actionOpen:
		d.tell(func() { d.o.Open(n.Route) })
	case actionLater:
		d.withdraw(n.Key)
		if d.o.Later != nil {
			d.tell(func() { d.o.Later(n) })
		}
	}
}
