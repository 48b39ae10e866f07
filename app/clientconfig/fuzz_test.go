package clientconfig

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tailscale/hujson"
)

// FuzzParse checks that a file is read as the standard library reads it, or refused.
func FuzzParse(f *testing.F) {
	for _, shape := range shapes {
		f.Add([]byte(shape.raw), shape.format.Comments)
	}
	f.Add([]byte(`{"mcpServers":{"a":{"command":"x"},"a":{"command":"y"}}}`), false)
	f.Add([]byte(`{"mcpServers":[]}`), false)
	f.Add([]byte("{\"mcpServers\":{\"\xff\":{}}}"), false)
	f.Add([]byte(`{"a":{"\u0062":1,"b":2}}`), true)
	f.Fuzz(func(t *testing.T, raw []byte, comments bool) {
		file, err := Parse(raw, Format{Comments: comments})
		if err != nil || comments {
			return
		}
		var root map[string]json.RawMessage
		if err := json.Unmarshal(bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf")), &root); err != nil {
			t.Fatalf("read what is not JSON: %v", err)
		}
		var servers map[string]json.RawMessage
		value, there := root["mcpServers"]
		if there {
			if err := json.Unmarshal(value, &servers); err != nil {
				t.Fatalf("read servers that are no object: %v", err)
			}
		}
		if there != file.HasServers || len(servers) != len(file.Entries) {
			t.Fatalf("read %d entries of %d", len(file.Entries), len(servers))
		}
		for _, e := range file.Entries {
			entry, there := servers[e.Name]
			if !there {
				t.Fatalf("no entry %q", e.Name)
			}
			if e.Odd != "" || e.URL != "" {
				continue
			}
			var want map[string]json.RawMessage
			var command string
			var args []string
			if err := json.Unmarshal(entry, &want); err != nil {
				t.Fatalf("read an entry that is no object: %v", err)
			}
			if err := json.Unmarshal(want["command"], &command); err != nil || command != e.Command {
				t.Fatalf("command %q is %q", command, e.Command)
			}
			list, has := want["args"]
			if has {
				if err := json.Unmarshal(list, &args); err != nil {
					t.Fatal(err)
				}
			}
			if has != e.HasArgs || !slices.Equal(args, e.Args) {
				t.Fatalf("args %q are %q", args, e.Args)
			}
		}
	})
}

// FuzzWrapUnwrapIsTheIdentity checks that unwrapping a wrapped file restores it, that only command and args changed, and that the command
// behind the wrapper is the one before.
func FuzzWrapUnwrapIsTheIdentity(f *testing.F) {
	for _, shape := range shapes {
		f.Add([]byte(shape.raw), shape.format.Comments)
	}
	path := filepath.Join(f.TempDir(), "sallyport")
	if err := os.WriteFile(path, nil, 0o755); err != nil {
		f.Fatal(err)
	}
	by := Installation{Path: path, Client: ClaudeDesktop}
	f.Fuzz(func(t *testing.T, raw []byte, comments bool) { checkIdentity(t, raw, Format{Comments: comments}, by) })
}

// wrapAny wraps whatever can be wrapped in a file. before is nil if there is nothing to check: the file can't be read, or a false wrapper in it, which
// is not put back, was replaced.
func wrapAny(t *testing.T, raw []byte, format Format, by Installation) (before *File, wrapped Result, names []string) {
	t.Helper()
	before, err := Parse(raw, format)
	if err != nil {
		return nil, wrapped, nil
	}
	if wrapped, err = Wrap(raw, format, nil, by, nil); err != nil {
		t.Fatal(err)
	}
	names = []string{}
	for _, o := range wrapped.Outcomes {
		switch o.Did {
		case DidRewrap:
			return nil, wrapped, nil
		case DidWrap:
			names = append(names, o.Name)
		default: // not written
		}
	}
	return before, wrapped, names
}

func checkIdentity(t *testing.T, raw []byte, format Format, by Installation) {
	t.Helper()
	before, wrapped, names := wrapAny(t, raw, format, by)
	if before == nil {
		return
	}
	after, err := Parse(wrapped.Raw, format)
	if err != nil {
		t.Fatalf("what was written cannot be read: %v\n%s", err, wrapped.Raw)
	}
	for i, e := range after.Entries {
		if !slices.Contains(names, e.Name) {
			continue
		}
		if e.Command != by.Path || !slices.Equal(e.Args, FindRecord(wrapped.Records, e.Name).Written()) || !slices.Equal(before.Entries[i].Argv(), FindRecord(wrapped.Records, e.Name).Argv) {
			t.Fatalf("%q runs %q", e.Name, e.Argv())
		}
	}
	if a, b := outside(before, names), outside(after, names); a != b {
		t.Fatalf("moved outside the values:\n%q\n%q", a, b)
	}
	back, err := Unwrap(wrapped.Raw, format, names, by, wrapped.Records)
	if err != nil || !bytes.Equal(back.Raw, raw) {
		t.Fatalf("with records: %v\n%q\n%q", err, back.Raw, raw)
	}
	bare, err := Unwrap(wrapped.Raw, format, names, by, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !format.Comments && !bytes.Equal(bare.Raw, raw) {
		t.Fatalf("without records:\n%q\n%q", bare.Raw, raw)
	}
	same, err := Parse(bare.Raw, format)
	if err != nil {
		t.Fatalf("without records: %v\n%s", err, bare.Raw)
	}
	for i, e := range same.Entries {
		if !slices.Equal(e.Argv(), before.Entries[i].Argv()) {
			t.Fatalf("without records %q runs %q", e.Name, e.Argv())
		}
	}
}

// outside is the file with the values of command and args of the named entries cut out, and args that were not there.
func outside(f *File, names []string) string {
	var cuts []splice
	for _, e := range f.Entries {
		if !slices.Contains(names, e.Name) {
			continue
		}
		cuts = append(cuts, splice{f.span(e.command), ""})
		if e.args == nil {
			continue
		}
		var words []string
		for i := range e.args.Value.(*hujson.Array).Elements {
			words = append(words, f.text(&e.args.Value.(*hujson.Array).Elements[i]))
		}
		command, args := f.span(e.command), f.span(e.args)
		if command.to < args.from && strings.TrimLeft(string(f.raw[command.to:args.to]), ", \t\r\n") == noArgs(words) && onlyCommand(e) {
			cuts[len(cuts)-1].at.to = args.to
			continue
		}
		cuts = append(cuts, splice{args, ""})
	}
	return string(apply(f.raw, cuts))
}

func onlyCommand(e Entry) bool {
	inner, ok := wrapForm(e.Args)
	return ok && len(inner) == 1
}
