package clientconfig

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tailscale/hujson"
)

// checkComesBack wraps whatever can be wrapped in a file and unwraps it: no other value may change, and every byte must come back.
func checkComesBack(t *testing.T, raw []byte, by Installation) {
	t.Helper()
	format := FormatOf(by.Client)
	before, wrapped, names := wrapAny(t, raw, format, by)
	if before == nil {
		return
	}
	if (len(names) > 0) != wrapped.Changed {
		t.Fatalf("%d entries were wrapped, changed: %v", len(names), wrapped.Changed)
	}
	after, err := Parse(wrapped.Raw, format)
	if err != nil || len(after.Entries) != len(before.Entries) {
		t.Fatalf("what was written cannot be read: %v\n%s", err, wrapped.Raw)
	}
	for _, name := range names {
		e, _ := after.Entry(name)
		if c := Classify(e, by, FindRecord(wrapped.Records, name)); c.Kind != Wrapped {
			t.Fatalf("%q is %s in\n%s", name, c, wrapped.Raw)
		}
	}
	if _, err := Diff("the file", raw, wrapped.Raw, format); err != nil {
		t.Fatal(err)
	}
	back, err := Unwrap(wrapped.Raw, format, names, by, wrapped.Records)
	if err != nil || !bytes.Equal(back.Raw, raw) {
		t.Fatalf("with records: %v\n%q\n%q", err, back.Raw, raw)
	}
	bare, err := Unwrap(wrapped.Raw, format, names, by, nil)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Parse(bare.Raw, format)
	if err != nil || len(again.Entries) != len(before.Entries) {
		t.Fatalf("without records: %v\n%s", err, bare.Raw)
	}
	edited, now := map[*hujson.Value]bool{}, map[*hujson.Value]bool{}
	for i, e := range before.Entries {
		if now := again.Entries[i]; !slices.Equal(e.Argv(), now.Argv()) || e.Odd != now.Odd || e.URL != now.URL || e.left == "" && !e.address.equal(now.address) {
			t.Fatalf("without records %q is %q, was %q", e.Name, again.Entries[i].Argv(), e.Argv())
		}
		e.edited(edited)
		again.Entries[i].edited(now)
	}
	if !same(&before.root, &again.root, edited, now) {
		t.Fatalf("another value changed:\n%s\n%s", raw, bare.Raw)
	}
}

// fuzzClients fuzzes the files of clients that write one language.
func fuzzClients(f *testing.F, trips []trip) {
	path := filepath.Join(f.TempDir(), "sallyport")
	if err := os.WriteFile(path, nil, 0o755); err != nil {
		f.Fatal(err)
	}
	var clients []string
	for _, c := range trips {
		f.Add([]byte(c.raw), uint8(len(clients)))
		clients = append(clients, c.client)
	}
	f.Fuzz(func(t *testing.T, raw []byte, client uint8) {
		checkComesBack(t, raw, Installation{Path: path, Client: clients[int(client)%len(clients)]})
	})
}

func FuzzJSONFilesComeBack(f *testing.F) { fuzzClients(f, slices.Concat(jsonTrips, addressJSON)) }
func FuzzTOMLFilesComeBack(f *testing.F) { fuzzClients(f, slices.Concat(tomlTrips, addressTOML)) }
func FuzzYAMLFilesComeBack(f *testing.F) { fuzzClients(f, slices.Concat(yamlTrips, addressYAML)) }
