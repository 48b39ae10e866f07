package desktop

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
)

// listed is the list of new servers without warnings, looked at for long enough.
func (d *desk) listed() CleanSet {
	d.t.Helper()
	set, err := d.CleanServers()
	if err != nil {
		d.t.Fatal(err)
	}
	d.at = d.at.Add(time.Second)
	return set
}

func (d *desk) open() (names []string) {
	d.t.Helper()
	servers, err := d.Servers()
	if err != nil {
		d.t.Fatal(err)
	}
	for _, s := range servers {
		if s.State == "open" {
			names = append(names, s.Server)
		}
	}
	return names
}

func TestTheListedServersAreAllowedByOneClick(t *testing.T) {
	d := newDesk(t)
	d.reports("clock", "now=Tells the time.")
	d.reports("files", "read=Reads a file.", "list=Lists files.")
	d.reports("odd", poisoned)
	set := d.listed()
	if len(set.Servers) != 2 || set.Other != 1 || set.Nonce == "" || set.ArmAfterMs != 800 {
		t.Fatalf("listed %+v", set)
	}
	if raw, err := json.Marshal(set); err != nil || strings.Contains(string(raw), "null") {
		t.Errorf("%s, %v", raw, err)
	}
	waiting, err := d.Inbox()
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range waiting {
		if it.Clean != (it.Server != "odd") {
			t.Errorf("%s without warnings: %v", it.Server, it.Clean)
		}
	}
	done, err := d.AllowClean(set.Digest, set.Nonce)
	if err != nil {
		t.Fatal(err)
	}
	if len(done.Items) != 2 || len(done.Left) != 0 || done.Items[0].Identity == "" || strings.Join(d.open(), " ") != "clock files" {
		t.Errorf("decided %+v, open %v", done, d.open())
	}
	if _, err := d.AllowClean(set.Digest, set.Nonce); codeOf(err) != control.CodeStale {
		t.Errorf("a second time: %v", err)
	}
	if set := d.listed(); len(set.Servers) != 0 || set.Nonce != "" || set.Digest != "" {
		t.Errorf("listed after it: %+v", set)
	}
}

func TestThePageAllowsNoServerThatItsListDidNotShow(t *testing.T) {
	for name, c := range map[string]struct {
		try  func(d *desk, set CleanSet) (control.CleanDecided, error)
		code int
	}{
		"without a nonce": {func(d *desk, set CleanSet) (control.CleanDecided, error) { return d.AllowClean(set.Digest, "") }, control.CodeStale},
		"with a made-up one": {func(d *desk, set CleanSet) (control.CleanDecided, error) {
			return d.AllowClean(set.Digest, strings.Repeat("0", 32))
		}, control.CodeStale},
		"with the nonce of a review of one of them": {func(d *desk, set CleanSet) (control.CleanDecided, error) {
			r, err := d.Review(set.Servers[0].Code)
			if err != nil {
				return control.CleanDecided{}, err
			}
			d.at = d.at.Add(time.Second)
			return d.AllowClean(set.Digest, r.Nonce)
		}, control.CodeStale},
		"with the nonce of a list before more came": {func(d *desk, set CleanSet) (control.CleanDecided, error) {
			d.reports("later", "now=Tells the time.")
			// Another caller of the hub asked for the list, so it was shown to nobody who could press.
			more, err := d.hub.Clean(control.CleanQuery{})
			if err != nil || len(more.Items) != 3 {
				return control.CleanDecided{}, err
			}
			return d.AllowClean(more.Digest, set.Nonce)
		}, control.CodeStale},
		"faster than anybody reads": {func(d *desk, _ CleanSet) (control.CleanDecided, error) {
			set, err := d.CleanServers()
			if err != nil {
				return control.CleanDecided{}, err
			}
			return d.AllowClean(set.Digest, set.Nonce)
		}, control.CodeBadRequest},
		"while the window is hidden": {func(d *desk, set CleanSet) (control.CleanDecided, error) {
			d.shell.Closing()
			return d.AllowClean(set.Digest, set.Nonce)
		}, control.CodeStale},
		"after half an hour": {func(d *desk, set CleanSet) (control.CleanDecided, error) {
			d.at = d.at.Add(nonceLife)
			return d.AllowClean(set.Digest, set.Nonce)
		}, control.CodeStale},
		"a review with the nonce of the list": {func(d *desk, set CleanSet) (control.CleanDecided, error) {
			r, err := d.Review(set.Servers[0].Code)
			if err != nil {
				return control.CleanDecided{}, err
			}
			d.at = d.at.Add(time.Second)
			_, err = d.Allow(Decision{Decide: control.Decide{Code: r.Code, Digest: r.Digest}, Nonce: set.Nonce})
			return control.CleanDecided{}, err
		}, control.CodeStale},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			d.reports("clock", "now=Tells the time.")
			d.reports("files", "read=Reads a file.")
			done, err := c.try(d, d.listed())
			if codeOf(err) != c.code || len(done.Items) != 0 || len(d.open()) != 0 {
				t.Errorf("answered %+v, %v; open %v", done, err, d.open())
			}
		})
	}
}

func TestWhatChangedWhileTheListWasReadIsLeftOutInTheWindowToo(t *testing.T) {
	d := newDesk(t)
	d.reports("clock", "now=Tells the time.")
	w := d.reports("files", "read=Reads a file.")
	set := d.listed()
	d.declares(w, "read=Reads a file, and more.")
	done, err := d.AllowClean(set.Digest, set.Nonce)
	if err != nil {
		t.Fatal(err)
	}
	if len(done.Items) != 1 || len(done.Left) != 1 || done.Left[0].Server != "files" || done.Left[0].Why != "changed since" || strings.Join(d.open(), " ") != "clock" {
		t.Fatalf("decided %+v, open %v", done, d.open())
	}
	r, err := d.Review(done.Left[0].See)
	if err != nil || r.Server != "files" || r.Nonce == "" {
		t.Errorf("where it waits now: %+v, %v", r, err)
	}
}
