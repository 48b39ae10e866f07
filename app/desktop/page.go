// Package desktop is the window's side of the hub: what the page may ask and do, what binds a decision to what was shown, and
// the shell around it (window, tray, notifications, single instance). It runs in one process with the hub, so a decision is a
// method call here and never a message on the socket.
//
// Page is the one struct that is bound to the page, and every exported method of it can be called by whatever runs there: it
// has what the page may do and nothing else. A method that decides takes the nonce of what was shown (nonce.go). Wails itself
// is behind Window (window.go); all else builds and is tested without GTK.
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

// Page is what the page may ask and do. What it embeds is callable from the page as its own methods are.
type Page struct {
	*hubLink
	clientFiles
	sets    heldSets
	bye     *farewell // nil where nobody can quit, as for the bindings
	version string
}

// hubLink leads from the page to the hub and the window.
type hubLink struct {
	shell  *Shell
	nonces *nonces
	hub    func() *app.Hub // nil while none stands
	say    *attention      // tray and notifications; nil where there are none
}

// NewPage is the page of a shell. Without a hub, as for the bindings, it answers that there is none.
func NewPage(shell *Shell) *Page {
	l := &hubLink{shell: shell, nonces: newNonces(shell.Visible), hub: func() *app.Hub { return nil }}
	p := &Page{hubLink: l, clientFiles: clientFiles{hubLink: l, reveal: reveal.Show}}
	shell.onUnseen(p.nonces.forget)
	shell.onRaised(p.nonces.rearm)
	return p
}

// here is the person at the page, who decides inside the hub's own process.
var here = control.Peer{Here: true}

var errNoHub = &control.Error{Code: control.CodeUnavailable, Message: "Sallyport's engine isn't responding. Everything blocked stays blocked."}

// engine is the hub, or why there is none.
func (l *hubLink) engine() (*app.Hub, error) {
	if h := l.hub(); h != nil {
		return h, nil
	}
	return nil, errNoHub
}

// told is what the hub answers, as the page gets it.
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

// each is a list that is never null, of what the page gets for each.
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

// Ready is asked once, after the page has registered its listeners. It answers the route that was kept for it.
func (p *Page) Ready() string { return p.shell.Ready() }

// Overview is everything that every screen shows.
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
	out.Light = light(h.Light(control.Coverage{}, status.Waiting, false))
	if c := status.Coverage; c != nil {
		out.Guarded, out.Total = c.Guarded, c.Total
		out.Light = light(h.Light(*c, status.Waiting, true))
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

// SetTheme keeps light, dark or system.
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

// NotNow puts the first run off.
func (p *Page) NotNow() error { return p.remember(func(s *display.WindowState) { s.NotNow = true }) }

// TrayTold keeps that the person was told where the program lives on: in the tray, or in its window where there is none.
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

// iconWhy is why no icon is shown, "" where one is.
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

// TestNotification sends a notification; the answer is why it could not be sent, or "".
func (p *Page) TestNotification() string {
	if p.say == nil {
		return "notifications aren't available here"
	}
	return p.say.test()
}

// plainError is an error as the page gets it.
type plainError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	See     string `json:"see,omitempty"`
}

// FormatError turns an error into what the page gets: a plainError as JSON. As text, because Wails' own script makes an Error of
// it (runtime v2.16, calls.js), whose message an object would be as "[object Object]". What is no answer of the hub's may hold
// what belongs in a log.
func FormatError(err error) any {
	plain := plainError{Code: control.CodeInternal, Message: err.Error()}
	var answer *control.Error
	if errors.As(err, &answer) {
		plain = plainError{Code: answer.Code, Message: answer.Message, See: answer.See}
	}
	text, err := json.Marshal(plain)
	if err != nil {
		return plain.Message // cannot be: strings and a number
	}
	return string(text)
}

// Alive says that the engine answers. The page asks it every other second while it is seen, so it does nothing but wait its
// turn in the hub: one that hangs does not answer, and one that is ending says so.
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
