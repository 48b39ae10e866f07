package clientconfig

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzPutBackGuardsWhatWasGuarded checks that, whatever was done to a protected file, undoing every change leaves a file in which each
// entry that was guarded is guarded, and in which nothing is left to undo.
func FuzzPutBackGuardsWhatWasGuarded(f *testing.F) {
	for _, shape := range shapes {
		f.Add([]byte(shape.raw), []byte(twoServers), shape.format.Comments)
		f.Add([]byte(twoServers), []byte(shape.raw), shape.format.Comments)
	}
	f.Add([]byte(twoServers), []byte(`{"mcpServers":{"a":{"command":"sallyport","args":["wrap","--","x"],"env":{"HOME":"/x","A":""}},"b":{"url":"https://x/"}}}`), false)
	path := filepath.Join(f.TempDir(), "sallyport")
	if err := os.WriteFile(path, nil, 0o755); err != nil {
		f.Fatal(err)
	}
	by := Installation{Path: path, Client: ClaudeDesktop}
	f.Fuzz(func(t *testing.T, before, after []byte, comments bool) {
		checkPutBack(t, before, after, Format{Comments: comments}, by)
	})
}

func checkPutBack(t *testing.T, before, after []byte, format Format, by Installation) {
	t.Helper()
	wrapped, err := Wrap(before, format, nil, by, nil)
	if err != nil {
		return
	}
	file, err := Parse(wrapped.Raw, format)
	if err != nil {
		t.Fatal(err)
	}
	wanted := file.Snapshot(by, wrapped.Records)
	now, err := Parse(after, format)
	if err != nil {
		return
	}
	back, err := PutBack(now, wanted, Compare(wanted, now, by, wrapped.Records), by, wrapped.Records)
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, wrapped.Raw, after)
	}
	then, err := Parse(back.Raw, format)
	if err != nil {
		t.Fatalf("what was written cannot be read: %v\n%s", err, back.Raw)
	}
	records := append(back.Records, wrapped.Records...)
	for _, k := range wanted.Entries {
		e, ok := then.Entry(k.Name)
		if !ok {
			t.Fatalf("%q is not back in\n%s", k.Name, back.Raw)
		}
		if c := Classify(e, by, FindRecord(records, k.Name)); k.Guarded && c.Kind != Wrapped {
			t.Fatalf("%q is %s in\n%s", k.Name, c, back.Raw)
		}
	}
	for _, c := range Compare(wanted, then, by, records) {
		if c.Event != NewEntry && c.Event != ChangedEntry && !(c.Event == FalseWrapper && len(back.Outcomes) > 0) {
			t.Fatalf("still %s in\n%s", c, back.Raw)
		}
	}
}
