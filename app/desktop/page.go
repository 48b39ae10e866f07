// Package desktop is the window's side of the hub: what the page may ask and do, what binds a decision to what was shown, and the shell
// around it (window, tray, notifications, single instance). It shares a process with the hub, so a decision is a method call and never
// a message on the socket.
//
// Page is the one struct bound to the page. Whatever runs there can call every exported method of it, so it has what the page may do and
// nothing else. A method that decides takes the nonce of what was shown (nonce.go). Wails is behind Window (window.go); everything else
// builds and is tested without GTK.
package desktop

import (
	"encoding/json"
	"errors"

	"github.com/sallyport/sallyport/app"
	"github.com/sallyport/sallyport/app/display"
	"github.com/sallyport/sallyport/app/reveal"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// Page is what the page may ask and do. The page can also call the methods of what it embeds.
type Page struct {
	*hubLink
	clientFiles
	ownSecrets
	sets    heldSets
	signIns signIns
	bye     *farewell // nil if nobody can quit, as when bindings are written
	version string
}

// hubLink connects the page to the hub and the window.
type hubLink struct {
	shell  *Shell
	nonces *nonces
	hub    func() *app.Hub // nil while there is none
	say    *attention      // tray and notifications; nil if there are none
}

// NewPage is the page of a shell. Without a hub, as when bindings are written, it answers that there is none.
func NewPage(shell *Shell) *Page {
	l := &hubLink{shell: shell, nonces: newNonces(shell.Visible), hub: func() *app.Hub { return nil }}
	p := &Page{hubLink: l, clientFiles: clientFiles{hubLink: l, reveal: reveal.Show}, ownSecrets: ownSecrets{hubLink: l}, signIns: signIns{browse: reveal.Browse}}
	shell.onUnseen(p.nonces.forget)
	shell.onRaised(p.nonces.rearm)
	return p
}

// here is the person at the page, who decides inside the hub's own process.
var here = control.Peer{Here: true}

var errNoHub = &control.Error{Code: control.CodeUnavailable, Message: "Sallyport's engine isn't responding. Everything blocked stays blocked."}

// engine is the hub, or the reason why there is none.
func (l *hubLink) engine() (*app.Hub, error) {
	if h := l.hub(); h != nil {
		return h, nil
	}
	return nil, errNoHub
}

// told asks the hub and converts its response for the page.
func told[Answer, Shown any](l *hubLink, ask func(*app.Hub) (Answer, error), show func(Answer) Shown) (shown Shown, err error) {
	h, err := l.engine()
	if err != nil {
		return shown, err
	}
	answer, err := ask(h)
	if err != nil {
		return shown, err
	}
	return show(answer), nil
}

// each converts a list; the result is never null.
func each[From, To any](all []From, one func(From) To) []To {
	out := make([]To, 0, len(all))
	for _, from := range all {
		out = append(out, one(from))
	}
	return out
}

func toldEach[From, To any](l *hubLink, ask func(*app.Hub) ([]From, error), one func(From) To) ([]To, error) {
	return told(l, ask, func(all []From) []To { return each(all, one) })
}

// Ready is called once, after the page has registered its listeners. It returns the route kept for it.
func (p *Page) Ready() string { return p.shell.Ready() }

// Overview is what every screen shows.
func (p *Page) Overview() (Overview, error) {
	h, err := p.engine()
	if err != nil {
		return Overview{}, err
	}
	status, err := h.WholeStatus()
	if err != nil {
		return Overview{}, err
	}
	state := h.Window()
	out := Overview{
		Version: p.version, Home: status.Home, Theme: state.Theme, Problems: some(status.Problems),
		ServersRunning: len(status.Wrappers), StoreOK: h.StoreOK(), FirstRun: !state.NotNow, TrayTold: state.Tray,
	}
	if out.Theme == "" {
		out.Theme = "system"
	}
	out.Light = h.Light(control.Coverage{}, status.Waiting, false)
	if c := status.Coverage; c != nil {
		out.Guarded, out.Total = c.Guarded, c.Total
		out.Light = h.Light(*c, status.Waiting, true)
		for _, f := range c.Clients {
			out.FirstRun = out.FirstRun && !f.Watched
		}
	}
	for severity, n := range status.WaitingBy {
		switch severity {
		case vocab.SeverityCritical:
			out.Waiting.Critical += n
		case vocab.SeverityHigh:
			out.Waiting.High += n
		default:
			out.Waiting.Review += n
		}
	}
	out.Unseen = unseen(status.Unseen)
	if p.bye != nil {
		out.Quitting = p.bye.shown()
	}
	if p.say != nil {
		out.Notifications = p.say.notes.Why()
	}
	if out.Tray = p.iconWhy(); out.Tray != "" {
		out.TrayTold = state.NoIcon
	}
	return out, nil
}

// SetTheme saves light, dark or system.
func (p *Page) SetTheme(theme string) error {
	h, err := p.engine()
	if err != nil {
		return err
	}
	switch theme {
	case "system":
		theme = ""
	case "light", "dark":
	default:
		return &control.Error{Code: control.CodeBadRequest, Message: "a theme is light, dark or system"}
	}
	if err := h.Remember(func(s *display.WindowState) { s.Theme = theme }); err != nil {
		return err
	}
	p.shell.emit(eventTheme)
	return nil
}

// NotNow postpones the first run.
func (p *Page) NotNow() error { return p.remember(func(s *display.WindowState) { s.NotNow = true }) }

// TrayTold remembers that the person was told where the program stays: in the tray, or in its window if there is no tray.
func (p *Page) TrayTold() error {
	icon := p.iconWhy() == ""
	return p.remember(func(s *display.WindowState) {
		if icon {
			s.Tray = true
		} else {
			s.NoIcon = true
		}
	})
}

// iconWhy is why no icon is shown, or "".
func (l *hubLink) iconWhy() string {
	if l.say == nil {
		return ""
	}
	return l.say.tray.Why()
}

func (l *hubLink) remember(change func(*display.WindowState)) error {
	h, err := l.engine()
	if err != nil {
		return err
	}
	return h.Remember(change)
}

// TestNotification sends a notification. It returns why that failed, or "".
func (p *Page) TestNotification() string {
	if p.say == nil {
		return "notifications aren't available here"
	}
	return p.say.test()
}

// plainError is an error in the page's form.
type plainError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	See     string `json:"see,omitempty"`
}

// FormatError turns an error into what the page gets: a plainError as JSON text, because Wails' script makes an Error of it (runtime
// v2.16, calls.js), whose message would be "[object Object]" for an object.
func FormatError(err error) any {
	plain := plainError{Code: control.CodeInternal, Message: err.Error()}
	var answer *control.Error
	if errors.As(err, &answer) {
		plain = plainError{Code: answer.Code, Message: answer.Message, See: answer.See}
	}
	text, err := json.Marshal(plain)
	if err != nil {
		return plain.Message // can't happen: strings and a number
	}
	return string(text)
}

// Alive reports whether the engine responds. The page calls it every other second while somebody sees it, so it only waits for its turn
// in the hub: a hub that hangs does not answer, and one that is ending says so.
func (p *Page) Alive() error {
	h, err := p.engine()
	if err != nil {
		return err
	}
	select {
	case <-h.Done():
		return errNoHub
	default:
	}
	h.StoreOK()
	return nil
}
