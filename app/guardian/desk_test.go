package guardian

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/app/stage"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/store"
)

var (
	window, person, inside = stage.Window, stage.Person, stage.Inside
	put, write, wantError  = stage.Put, stage.Write, stage.WantError
)

const claudeFile = stage.ClaudeFile

// desk is a guardian over a real store, with a client's file. Nothing is watched: tests call for each look.
type desk struct {
	*Guardian
	*stage.File
	t    *testing.T
	anew []string // servers whose clients have not started them since, as the clients call them
}

func newDesk(t *testing.T, text string) *desk {
	t.Helper()
	return deskAt(t, t.TempDir(), text, "linux")
}

// deskAt is a desk on a machine whose files all lie below root, with text as Claude Desktop's file.
func deskAt(t *testing.T, root, text, system string) *desk {
	t.Helper()
	d := &desk{t: t, File: stage.NewFile(t, root, text)}
	home, err := control.HomeAt(filepath.Join(root, "home"))
	if err != nil {
		t.Fatal(err)
	}
	if err := home.Make(); err != nil {
		t.Fatal(err)
	}
	kept, err := store.Open(home.Dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kept.Close() })
	o := office.New(office.Options{Now: time.Now, AllowCLI: true, Notify: func(review.Notice) {}, Changed: func() {}, End: func() {}})
	o.Store = kept
	if err := o.CheckMarks(); err != nil {
		t.Fatal(err)
	}
	d.Guardian = New(o, Hub{
		PushAll: func() {}, AutoProtect: func() bool { return true }, Plaintext: func() bool { return false },
		Started:    func(string, string) bool { return false },
		NotStarted: func(_ *store.Tx, _ string, names []string) error { d.anew = append(d.anew, names...); return nil },
	}, Options{
		Home: home, Program: d.Program, Settle: time.Millisecond, HomeCheck: time.Hour, LookAgain: 20 * time.Millisecond, Closing: make(chan struct{}),
		System: stage.Machine(system, root),
	})
	return d
}

func (d *desk) protect(names ...string) control.Protected {
	d.t.Helper()
	out, err := d.Protect(person, control.Protect{Names: names})
	if err != nil {
		d.t.Fatalf("protect: %v", err)
	}
	return out
}

func (d *desk) unprotect(names ...string) control.Protected {
	d.t.Helper()
	out, err := d.Unprotect(person, control.Protect{Names: names, Decided: true})
	if err != nil {
		d.t.Fatalf("unprotect: %v", err)
	}
	return out
}

// quiet looks at the file and checks that nothing is pending.
func (d *desk) quiet() {
	d.t.Helper()
	d.LookAtAll()
	err := d.office.Viewing(func(tx *store.Tx) error {
		if items := tx.Waiting(); len(items) != 0 {
			d.t.Errorf("something waits: %+v", items)
		}
		return nil
	})
	if err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) records(kind string) []store.Record {
	d.t.Helper()
	all, err := d.office.Store.Records(store.Query{Kind: kind, Limit: 1000})
	if err != nil {
		d.t.Fatal(err)
	}
	return all
}
