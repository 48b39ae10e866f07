package desktop

import (
	"testing"
	"time"
)

// leaves is a page that may be quit, and how often it was.
func (d *desk) leaves() (ask func(), quits *int) {
	quits = new(int)
	ask = d.asksToQuit(func() { *quits++ })
	d.bye.now = func() time.Time { return d.at }
	return ask, quits
}

// reads waits as long as a person takes to read the question.
func (d *desk) reads() { d.at = d.at.Add(armAfter) }

// refused holds that an answer was not taken.
func refused(t *testing.T, what string, err error, want int) {
	t.Helper()
	if got := codeOf(err); got != want {
		t.Errorf("%s: %v, want %d", what, err, want)
	}
}

// question is the nonce of the question, as the page gets it.
func (d *desk) question() string {
	d.t.Helper()
	o, err := d.Overview()
	if err != nil {
		d.t.Fatal(err)
	}
	return o.Quitting
}

func TestNobodyIsAskedWhereNothingWaitsAndNothingRuns(t *testing.T) {
	d := newDesk(t)
	ask, quits := d.leaves()
	if ask(); *quits != 1 || d.question() != "" {
		t.Errorf("quit %d times, asked %q", *quits, d.question())
	}
	did(t, d.window)
}

func TestQuittingIsAskedAndAnsweredWithWhatWasShown(t *testing.T) {
	d := newDesk(t)
	ask, quits := d.leaves()
	d.reports("weather", "get_forecast=5 days")
	d.shell.Closing()
	d.window.took()
	if nonce := d.question(); nonce != "" {
		t.Fatalf("asked before anybody wanted to quit: %q", nonce)
	}

	ask()
	did(t, d.window, "show", "changed")
	nonce := d.question()
	if nonce == "" || nonce != d.question() {
		t.Fatalf("the question has the nonce %q", nonce)
	}
	refused(t, "at once, as a key that is held down", d.Quit(nonce), 4000)
	refused(t, "without having seen it", d.Quit("0123"), 4009)
	d.reads()
	d.shell.Show("") // raised over what a click was meant for
	refused(t, "as soon as it is raised", d.Quit(nonce), 4000)
	if *quits != 0 {
		t.Fatal("it quit")
	}
	d.reads()
	if err := d.Quit(nonce); err != nil || *quits != 1 {
		t.Fatalf("the answer: %v, quit %d times", err, *quits)
	}
	refused(t, "twice", d.Quit(nonce), 4009)
}

func TestStayingAndHidingTakeTheQuestionBack(t *testing.T) {
	d := newDesk(t)
	ask, quits := d.leaves()
	d.reports("weather", "get_forecast=5 days")
	d.shell.Loaded() // ours
	for name, back := range map[string]func(){"stay": d.Stay, "hide": d.shell.Closing, "another page": d.shell.Loaded} {
		d.shell.Show("")
		d.shell.Ready()
		ask()
		nonce := d.question()
		d.reads()
		back()
		if left := d.question(); left != "" {
			t.Errorf("%s: the page still asks", name)
		}
		if name != "stay" {
			refused(t, name, d.Quit(nonce), 4009)
		}
	}
	if *quits != 0 {
		t.Errorf("it quit %d times", *quits)
	}
}

// A page that shows nothing, because it is broken or another, keeps nobody in.
func TestAPageThatDoesNotAskKeepsNobodyIn(t *testing.T) {
	d := newDesk(t)
	ask, quits := d.leaves()
	d.reports("weather", "get_forecast=5 days")
	ask()
	ask() // a double click
	d.at = d.at.Add(deafAfter)
	if ask(); *quits != 0 {
		t.Fatal("it quit before the page had its time")
	}
	d.at = d.at.Add(time.Millisecond)
	if ask(); *quits != 1 {
		t.Errorf("quit %d times", *quits)
	}
}
