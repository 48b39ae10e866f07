package guardian

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/app/clientedit"
	"github.com/sallyport/sallyport/app/mask"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
)

func TestAPreviewSaysWhatEachEntryRunsAndNoSecretOfIt(t *testing.T) {
	const secret = "sk-live-51H8xQ2eZvKYlo2C0aXbYcZd"
	d := newDesk(t, `{"mcpServers": {"notes": {"command": "npx", "args": ["-y", "notes-server", "--api-key", "`+secret+`"], "env": {"TOKEN": "`+secret+`"}}, "far": {"url": "https://x"}}}`)
	out, err := d.Protect(person, control.Protect{All: true, DryRun: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range out.Entries {
		runs := strings.Join(e.Runs, " ")
		if e.Name == "notes" && !strings.HasPrefix(runs, "npx -y notes-server --api-key ") || e.Name == "far" && runs != "" || strings.Contains(runs, secret) {
			t.Errorf("%s runs %q", e.Name, runs)
		}
	}
	if len(out.Entries) != 2 {
		t.Errorf("entries %+v", out.Entries)
	}
}

func TestProtectNamesWhatItCannotDo(t *testing.T) {
	d := newDesk(t, "")
	_, err := d.Protect(person, control.Protect{})
	wantError(t, err, control.CodeNotFound)
	if _, err := os.Stat(d.Path); !os.IsNotExist(err) {
		t.Error("a file was made")
	}
	put(t, d.Path, `{}`)
	if out, err := d.Protect(person, control.Protect{}); err != nil || out.Written || !strings.Contains(out.Note, "nothing to protect") {
		t.Errorf("without servers: %+v, %v", out, err)
	}
	write(t, d.Path, `{"mcpServers": {"odd": {"args": []}, "home": {"command": "x", "env": {"HOME": "/h"}}, "far": {"url": "https://x"}, "good": {"command": "x"}}}`)
	_, err = d.Protect(person, control.Protect{Names: []string{"good", "none"}})
	wantError(t, err, control.CodeNotFound)
	_, err = d.Protect(person, control.Protect{Program: "/bin/sh"})
	wantError(t, err, control.CodeBadRequest)
	_, err = d.Protect(person, control.Protect{Digest: clientedit.DigestOf([]byte("another"))})
	wantError(t, err, control.CodeStale)
	out := d.protect()
	said := map[string]string{}
	for _, e := range out.Entries {
		said[e.Name] = e.State
	}
	if said["good"] != control.EntryWrapped || said["odd"] != control.EntryLeft || said["home"] != control.EntryLeft || said["far"] != control.EntryLeft {
		t.Errorf("it says %v", said)
	}
	again := d.protect() // naming the others would not help: it says why, as the first time
	for _, e := range again.Entries {
		first := out.Entries[slices.IndexFunc(out.Entries, func(f control.ClientEntry) bool { return f.Name == e.Name })]
		if e.Name != "good" && !reflect.DeepEqual(e, first) {
			t.Errorf("the second time it says %+v, the first time %+v", e, first)
		}
	}
	if len(again.Entries) != 4 {
		t.Errorf("entries %+v", again.Entries)
	}
	d.quiet()
	coverage, err := d.Coverage(control.CoverageQuery{})
	if err != nil || coverage.Guarded != 1 || coverage.Total != 4 || len(coverage.Unguarded) != 3 {
		t.Fatalf("coverage %+v, %v", coverage, err)
	}
	codes := map[string]string{}
	for _, u := range coverage.Unguarded {
		codes[u.Name] = u.Code
	}
	if codes["odd"] != office.CoverOdd || codes["far"] != office.CoverRemote || codes["home"] == "" {
		t.Errorf("codes %v", codes)
	}
}

func TestTheTimelineCountsWhatWasDone(t *testing.T) {
	d := newDesk(t, `{"mcpServers": {"a": {"command": "x"}, "b": {"command": "y"}, "c": {"command": "z"}, "far": {"url": "https://x"}}}`)
	said := func(want string) {
		t.Helper()
		if last := d.records("config_change"); len(last) == 0 || last[len(last)-1].Summary != want {
			t.Errorf("it says %s, want %q", mask.PlainJSON(last), want)
		}
	}
	d.protect("a", "b")
	said("guard added to 2 entries of a client's file")
	d.protect("c")
	said("guard added to 1 entry of a client's file")
	d.unprotect("a")
	said("guard removed from 1 entry of a client's file")
	if left := d.protect().Entries; !slices.ContainsFunc(left, func(e control.ClientEntry) bool {
		return e.Name == "a" && strings.Contains(e.Why, "left it out before")
	}) {
		t.Errorf("of what was taken out it says %+v", left)
	}
	d.unprotect()
	said("guard removed from 2 entries of a client's file")
}
