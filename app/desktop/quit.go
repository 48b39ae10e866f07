package desktop

import (
	"sync"
	"time"
)

// farewell asks whether to quit. The question is in our own page, over whatever it shows: the dialog of the toolkit's binding has only
// Yes and No, doesn't say which of them Enter presses, and uses its text as a format (Wails v2.16.0, internal/frontend/desktop/linux,
// MessageDialog).
//
// The answer needs the nonce that came with the question, as a decision does: neither a click or key meant for something else nor a page
// that nobody sees can quit the program. To hide the window is to stay.
type farewell struct {
	shell  *Shell
	nonces *nonces
	busy   func() bool // an item is pending, or a server runs behind the hub
	quit   func()      // for good
	now    func() time.Time

	mu    sync.Mutex
	since time.Time // of the question; zero if there is none
	nonce string    // given to the page; "" until then
}

// deafAfter is how long the page may take to ask what to show. A page that hasn't asked by then shows no question, so a second click
// quits.
const deafAfter = 3 * time.Second

// ask is called when a person chose to quit at the icon.
func (f *farewell) ask() {
	if !f.busy() {
		f.quit()
		return
	}
	f.mu.Lock()
	deaf := !f.since.IsZero() && f.nonce == "" && f.now().Sub(f.since) > deafAfter
	if f.since.IsZero() {
		f.since = f.now()
	}
	f.mu.Unlock()
	if deaf {
		f.quit()
		return
	}
	f.shell.Show("")
	f.shell.emit(eventChanged)
}

// shown returns the nonce of the question to the page that is about to show it; "" if there is no question.
func (f *farewell) shown() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.since.IsZero() && f.nonce == "" {
		f.nonce = f.nonces.mint(quitSubject, "", "")
	}
	return f.nonce
}

// stay withdraws the question; a page that is hidden by then hears of it when it is shown.
func (f *farewell) stay() {
	f.mu.Lock()
	asked := !f.since.IsZero()
	f.since, f.nonce = time.Time{}, ""
	f.mu.Unlock()
	if asked {
		f.shell.Changed()
	}
}

const quitSubject = "quit"

// AskToQuit is Quit in the settings: a desktop without icons has no other place for it.
func (p *Page) AskToQuit() {
	if p.bye != nil {
		p.bye.ask()
	}
}

// Quit ends the program if nonce is that of the question shown.
func (p *Page) Quit(nonce string) error {
	if p.bye == nil {
		return errNoHub
	}
	if err := p.nonces.spend(nonce, quitSubject, "", "", false); err != nil {
		return err
	}
	p.bye.stay()
	p.bye.quit()
	return nil
}

// Stay is the other answer.
func (p *Page) Stay() {
	if p.bye != nil {
		p.bye.stay()
	}
}

// asksToQuit gives the page the question and returns the function that asks it. Call it before the window opens.
func (p *Page) asksToQuit(quit func()) (ask func()) {
	p.bye = &farewell{shell: p.shell, nonces: p.nonces, busy: p.busy, quit: quit, now: time.Now}
	p.shell.onUnseen(p.bye.stay)
	return p.bye.ask
}

// busy reports whether quitting needs a question: an item is pending, or a server runs behind the hub.
func (p *Page) busy() bool {
	h := p.hub()
	if h == nil {
		return false
	}
	status, err := h.Status()
	return err == nil && (len(status.Waiting) > 0 || len(status.Wrappers) > 0)
}
