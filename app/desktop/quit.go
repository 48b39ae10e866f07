package desktop

import (
	"sync"
	"time"
)

// farewell is the question whether to quit. It stands in our own page, over whatever is there: the dialog of the toolkit's
// binding knows only Yes and No, does not say which of them Enter presses, and takes its text for a format (Wails v2.16.0,
// internal/frontend/desktop/linux, MessageDialog).
//
// It is answered with the nonce that it was shown with, so what holds for a decision holds for it: nothing is quit by a click
// or a key that was meant for what stood there before, nor by a page that nobody sees. Hiding the window is staying.
type farewell struct {
	shell  *Shell
	nonces *nonces
	busy   func() bool // something waits, or a server runs behind the hub
	quit   func()      // for good
	now    func() time.Time

	mu    sync.Mutex
	since time.Time // of the question; zero while there is none
	nonce string    // that the page was told; "" until it was
}

// deafAfter is how long a page may take to ask what it is to show. One that did not ask by then shows no question, and who
// clicks again is let go.
const deafAfter = 3 * time.Second

// ask is a person who wants to quit, at the icon.
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

// shown is the nonce of the question, for the page that is about to show it; "" where there is none.
func (f *farewell) shown() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.since.IsZero() && f.nonce == "" {
		f.nonce = f.nonces.mint(quitSubject, "", "")
	}
	return f.nonce
}

// stay takes the question back; a page that is hidden by then hears it when it is shown.
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

// AskToQuit is a person who wants to quit, in the settings: a desktop without icons has no other place for it.
func (p *Page) AskToQuit() {
	if p.bye != nil {
		p.bye.ask()
	}
}

// Quit ends the program, as the question that was shown with this nonce was answered.
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

// asksToQuit gives the page the question whether to quit, and returns what asks it. It must be called before the window opens.
func (p *Page) asksToQuit(quit func()) (ask func()) {
	p.bye = &farewell{shell: p.shell, nonces: p.nonces, busy: p.busy, quit: quit, now: time.Now}
	p.shell.onUnseen(p.bye.stay)
	return p.bye.ask
}

// busy says whether something waits, or a server runs behind the hub: what is worth a question before quitting.
func (p *Page) busy() bool {
	h := p.hub()
	if h == nil {
		return false
	}
	status, err := h.Status()
	return err == nil && (len(status.Waiting) > 0 || len(status.Wrappers) > 0)
}
