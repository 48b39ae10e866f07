package desktop

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sallyport/sallyport/app/notify"
	"github.com/sallyport/sallyport/app/review"
)

// board keeps the keys of the notes that were shown.
type board struct {
	mu  sync.Mutex
	all []string
}

func (b *board) Show(n notify.Note) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all = append(b.all, n.Key)
}
func (b *board) Withdraw(string) {}
func (b *board) Why() string     { return "" }
func (b *board) Close() error    { return nil }

func (b *board) took() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := b.all
	b.all = nil
	return all
}

func TestWhatIsOnTheScreenIsNotNotified(t *testing.T) {
	for name, c := range map[string]struct {
		shows func(*Page, *Shell)
		want  []string
	}{
		"nothing is on the screen":                 {func(*Page, *Shell) {}, []string{"CRIT", "4F2A", "NEWS"}},
		"the item is open and has the focus":       {func(p *Page, _ *Shell) { p.Shows("inbox", "4F2A", true) }, []string{"CRIT", "NEWS"}},
		"a Critical one that is open, too":         {func(p *Page, _ *Shell) { p.Shows("inbox", "CRIT", true) }, []string{"4F2A", "NEWS"}},
		"it is open in a window without the focus": {func(p *Page, _ *Shell) { p.Shows("inbox", "4F2A", false) }, []string{"CRIT", "4F2A", "NEWS"}},
		"another item is open":                     {func(p *Page, _ *Shell) { p.Shows("inbox", "9KQT", true) }, []string{"CRIT", "4F2A", "NEWS"}},
		"another response of the item is open":     {func(p *Page, _ *Shell) { p.say.onScreen.shows("inbox", "9KQT", "weather's", true) }, []string{"CRIT", "NEWS"}},
		"the window was hidden meanwhile":          {func(p *Page, s *Shell) { p.Shows("inbox", "4F2A", true); s.Closing() }, []string{"CRIT", "4F2A", "NEWS"}},
		"a first run's last page is there": {func(p *Page, _ *Shell) {
			p.Shows("start", "", true)
			p.say.onScreen.wrote()
			p.Shows("start", "", false) // the person restarts the client
		}, []string{"CRIT", "4F2A"}},
		"its last page was left": {func(p *Page, _ *Shell) {
			p.Shows("start", "", true)
			p.say.onScreen.wrote()
			p.Shows("inbox", "", true)
		}, []string{"CRIT", "4F2A", "NEWS"}},
		"nothing was written from the page": {func(p *Page, _ *Shell) { p.Shows("start", "", true) }, []string{"CRIT", "4F2A", "NEWS"}},
		"a file was written in another room": {func(p *Page, _ *Shell) {
			p.Shows("servers", "", true)
			p.say.onScreen.wrote()
			p.Shows("start", "", true)
		}, []string{"CRIT", "4F2A", "NEWS"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				shell := NewShell()
				p := NewPage(shell)
				shell.Opened(newScreen(), true)
				shell.Ready()
				b := &board{}
				p.say = &attention{notes: b, paced: notify.NewPaced(b, notify.NewPace(notify.Rules{}), nil)}
				p.say.looks(shell)
				c.shows(p, shell)
				p.say.Notify(review.Notice{Code: "4F2A", Kind: "changed", Server: "weather", Severity: "review", Group: "weather's"})
				p.say.Notify(review.Notice{Code: "NEWS", Kind: "new_server", Server: "notes", Severity: "review"})
				p.say.Notify(review.Notice{Code: "CRIT", Kind: "changed", Server: "files", Severity: "critical"})
				time.Sleep(time.Minute)
				synctest.Wait()
				got := b.took()
				slices.Sort(got)
				slices.Sort(c.want)
				if !slices.Equal(got, c.want) {
					t.Errorf("notified %v, want %v", got, c.want)
				}
				_ = p.say.paced.Close()
			})
		})
	}
}

// What is not shown counts for nothing: the six of an hour are all there afterwards.
func TestAFirstRunUsesUpNoNotification(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shell := NewShell()
		p := NewPage(shell)
		shell.Opened(newScreen(), true)
		shell.Ready()
		b := &board{}
		p.say = &attention{notes: b, paced: notify.NewPaced(b, notify.NewPace(notify.Rules{}), nil)}
		p.say.looks(shell)
		p.Shows("start", "", true)
		p.say.onScreen.wrote()
		for n := range 20 {
			p.say.Notify(review.Notice{Code: string(rune('A' + n)), Kind: "new_server", Server: string(rune('a' + n)), Severity: "high"})
			time.Sleep(20 * time.Second)
		}
		synctest.Wait()
		if got := b.took(); len(got) != 0 {
			t.Fatalf("notified %v", got)
		}
		p.Shows("inbox", "", true)
		for n := range 6 {
			p.say.Notify(review.Notice{Code: string(rune('A' + n)), Kind: "changed", Server: string(rune('a' + n)), Severity: "high"})
			time.Sleep(time.Minute)
		}
		synctest.Wait()
		if got := b.took(); len(got) != 6 || got[5] != notify.Summary {
			t.Errorf("of six, %v were notified", got)
		}
		_ = p.say.paced.Close()
	})
}
