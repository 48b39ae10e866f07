package desktop

import (
	"time"

	"github.com/sallyport/sallyport/app/display"
)

// The default size of the window, the smallest that the page is made for, and the largest that is restored: a saved size may come from
// another screen, and the window manager fits it to this one.
const (
	usualWidth, usualHeight = 1100, 740
	leastWidth, leastHeight = 800, 560
	mostWidth, mostHeight   = 7680, 4320
)

// sizeWithin is how long the toolkit may take to report the size of its window. If it is stuck, the window closes anyway.
const sizeWithin = 300 * time.Millisecond

// measure saves the size of a window that is about to close, unless nobody saw it or it fills the screen.
func (s *Shell) measure() {
	s.mu.Lock()
	w, visible, sized := s.window, s.visible, s.sized
	s.mu.Unlock()
	if w == nil || !visible || sized == nil {
		return
	}
	answer := make(chan [2]int, 1)
	go func() {
		if width, height, ok := w.Size(); ok {
			answer <- [2]int{width, height}
		} else {
			close(answer)
		}
	}()
	select {
	case size, ok := <-answer:
		if ok {
			sized(size[0], size[1])
		}
	case <-time.After(sizeWithin):
	}
}

// keepsSize saves the size from now on, and returns that of the last window.
func (p *Page) keepsSize() (width, height int) {
	p.shell.mu.Lock()
	p.shell.sized = func(width, height int) {
		size := display.WindowSize{Width: width, Height: height}
		if h := p.hub(); h != nil && h.Window().Size != size {
			_ = h.Remember(func(s *display.WindowState) { s.Size = size })
		}
	}
	p.shell.mu.Unlock()
	width, height = usualWidth, usualHeight
	if h := p.hub(); h != nil {
		if size := h.Window().Size; size != (display.WindowSize{}) {
			width, height = min(max(size.Width, leastWidth), mostWidth), min(max(size.Height, leastHeight), mostHeight)
		}
	}
	return width, height
}
