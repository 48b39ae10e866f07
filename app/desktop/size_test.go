package desktop

import (
	"testing"

	"github.com/sallyport/sallyport/app/display"
)

func TestAWindowHasTheSizeThatThePersonGaveIt(t *testing.T) {
	d := newDesk(t)
	is := func(what string, width, height int) {
		t.Helper()
		if w, h := d.keepsSize(); w != width || h != height {
			t.Errorf("%s it is %d by %d, want %d by %d", what, w, h, width, height)
		}
	}
	is("at first", usualWidth, usualHeight)
	d.window.width, d.window.height = 1000, 650
	d.shell.Closing()
	is("closed at another size", 1000, 650)

	d.window.width = 0
	d.shell.Show("")
	d.shell.Closing()
	is("closed while it filled the screen", 1000, 650)

	d.window.width, d.window.height = 1300, 900
	d.shell.Quit() // hidden: the size is whatever the toolkit reports
	is("quit while it was hidden", 1000, 650)
	d.shell.Show("")
	d.shell.Quit()
	is("quit while it was shown", 1300, 900)
}

func TestASizeThatNoScreenHasIsMadeToFit(t *testing.T) {
	d := newDesk(t)
	for kept, want := range map[display.WindowSize]display.WindowSize{
		{Width: 1, Height: -5}:           {Width: leastWidth, Height: leastHeight},
		{Width: 1 << 30, Height: 100000}: {Width: mostWidth, Height: mostHeight},
		{Width: 1200, Height: 1}:         {Width: 1200, Height: leastHeight},
	} {
		if err := d.hub.Remember(func(s *display.WindowState) { s.Size = kept }); err != nil {
			t.Fatal(err)
		}
		if w, h := d.keepsSize(); (display.WindowSize{Width: w, Height: h}) != want {
			t.Errorf("%+v becomes %d by %d", kept, w, h)
		}
	}
}
