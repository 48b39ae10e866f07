package clientconfig

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Did is what happened to one entry.
type Did string

const (
	DidWrap   Did = "wrapped"
	DidRewrap Did = "rewrapped" // it only looked wrapped; now it is
	DidUnwrap Did = "unwrapped"
	DidNone   Did = "unchanged" // it was already so
	DidLeave  Did = "left"      // it cannot be; Why says why
	DidMiss   Did = "missing"   // no entry has that name
)

// Outcome is what happened to one entry, in file order; names without an entry come last.
type Outcome struct {
	Name string
	Did  Did
	Why  string // of DidLeave and DidMiss
}

// Result is a file's text after an edit. If Changed is false, Raw is the input.
type Result struct {
	Raw      []byte
	Changed  bool
	Outcomes []Outcome
	Records  []Record // of the entries wrapped by this edit
}

func (r Result) String() string   { return "edited client file" }
func (r Result) GoString() string { return r.String() }

// Wrap puts the wrapper in front of the named entries (nil: all) and changes only their command and args, or what names a remote server. Entries
// that are already wrapped, odd or remote in a way that can't be guarded stay as they are, each with its outcome; records are those kept so far. The edit inserts our words before the first
// argument and moves the command, as spelled, behind them, so comments and line breaks among the arguments stay in place.
func Wrap(raw []byte, format Format, names []string, by Installation, records []Record) (Result, error) {
	if !filepath.IsAbs(by.Path) && !strings.HasPrefix(by.Path, `\\`) {
		return Result{}, errors.New("the path of sallyport is not absolute")
	}
	f, err := Parse(raw, format)
	if err != nil {
		return Result{}, err
	}
	result := Result{Raw: raw}
	rewrapped := map[string]bool{}
	var plans []plan
	for _, e := range f.Entries {
		record := FindRecord(records, e.Name)
		c := Classify(e, by, record)
		if wanted(names, e.Name) && c.Kind == LooksWrapped && c.Behind() && homeMover(e.EnvNames) == "" {
			rewrapped[e.Name] = true
			plans = append(plans, f.unwrapPlans(e, record, c))
		}
	}
	f, failed := f.carryOut(plans)
	plans = nil
	for _, e := range f.Entries {
		if !wanted(names, e.Name) {
			continue
		}
		c := Classify(e, by, FindRecord(records, e.Name))
		o := Outcome{Name: e.Name, Did: DidLeave, Why: c.Why}
		switch {
		case failed[e.Name]:
			o.Why = tooMuch
		case c.Kind == Wrapped:
			o.Did, o.Why = DidNone, ""
		case c.Guardable(), c.Kind == LooksWrapped && rewrapped[e.Name]: // the command behind a false wrapper can be one too
			o.Did, o.Why = DidWrap, ""
			if rewrapped[e.Name] {
				o.Did = DidRewrap
			}
			edits, record := f.wrapEntry(e, by)
			record.CopiedAs(FindRecord(records, e.Name))
			p := plan{name: e.Name, ways: [][]splice{edits}, argv: append([]string{by.Path}, record.Written()...)}
			if record.Remote() {
				p.address = &e.address
			}
			plans = append(plans, p)
			result.Records = append(result.Records, record)
		}
		result.Outcomes = append(result.Outcomes, o)
	}
	result.missing(names, f)
	after, failed := f.carryOut(plans)
	result.settle(after, failed, raw)
	return result, nil
}

// settle is the result of an edit that left after, and failed for these entries.
func (r *Result) settle(after *File, failed map[string]bool, raw []byte) {
	r.Records = slices.DeleteFunc(r.Records, func(record Record) bool { return failed[record.Name] })
	for i := range r.Outcomes {
		if o := &r.Outcomes[i]; failed[o.Name] && o.Did != DidMiss {
			o.Did, o.Why = DidLeave, tooMuch
		}
	}
	if !bytes.Equal(after.raw, raw) {
		r.Raw, r.Changed = after.raw, true
	}
}

// wrapEntry are the edits that wrap an entry, and its record.
func (f *File) wrapEntry(e Entry, by Installation) ([]splice, Record) {
	if e.URL != "" {
		return f.wrapAddress(e, by)
	}
	record := recordOf(e, by)
	record.Argv = e.Argv()
	head := f.spellAll(ours(e.Server(), by.Client))
	if e.vector != nil {
		record.Args = f.text(e.vector)
		return f.insert(e.vector, append([]string{f.spell(by.Path)}, head...)), record
	}
	record.Command = f.text(e.command)
	if e.args != nil {
		record.Args = f.text(e.args)
	}
	words := append(head, f.moved(e, e.args))
	if eatsDashes(by.Client) {
		words = f.spellAll(argvArgs(e.Server(), by.Client, record.Argv))
	}
	edits := []splice{{f.span(e.command), f.spell(by.Path)}}
	if e.args == nil {
		return append(edits, f.addArgs(e, words)), record
	}
	if eatsDashes(by.Client) { // then all of args is ours
		return append(edits, splice{f.span(e.args), "[" + strings.Join(words, ", ") + "]"}), record
	}
	return append(edits, f.insert(e.args, words)...), record
}

// insert puts words in front of the first element of a list.
func (f *File) insert(list *hujson.Value, words []string) []splice {
	elements := list.Value.(*hujson.Array).Elements
	if len(elements) == 0 {
		open := f.span(list).from + 1
		return []splice{{span{open, open}, strings.Join(words, ", ")}}
	}
	first := f.span(&elements[0]).from
	between, _ := f.between(list)
	return []splice{{span{first, first}, strings.Join(words, between) + between}}
}

// noArgs is inserted after the command of an entry without args. The blank after the bracket distinguishes it from an originally empty
// list, so that Unwrap can tell even without a record.
func noArgs(words []string) string { return `"args": ` + added(words) }

func wanted(names []string, name string) bool { return names == nil || slices.Contains(names, name) }

func (r *Result) missing(names []string, f *File) {
	for _, name := range names {
		if _, ok := f.Entry(name); !ok {
			r.Outcomes = append(r.Outcomes, Outcome{name, DidMiss, "no entry has this name"})
		}
	}
}

// Record is an entry's state before it was wrapped, and what was written instead. The caller of Wrap keeps it (it may contain secrets: the
// original arguments) and passes it to Unwrap, Classify and Compare.
type Record struct {
	Name    string   `json:"name"`
	Called  string   `json:"called,omitempty"` // the name of the server, if another
	Project string   `json:"project,omitempty"`
	Client  string   `json:"client"`         // the value of --client
	Wrapper string   `json:"wrapper"`        // the command that was written
	Argv    []string `json:"argv"`           // the original command and arguments
	Command string   `json:"command"`        // the original command as spelled, a JSON text
	Args    string   `json:"args,omitempty"` // the original args as spelled; "" if there were none

	// Of a remote server, in place of the command:
	URL    string   `json:"url,omitempty"`
	Flags  []string `json:"flags,omitempty"` // the arguments that name it
	Pieces []Piece  `json:"pieces,omitempty"`

	// Of a copy of an entry that a project shares, which goes when the wrapper goes:
	Shared string `json:"shared,omitempty"` // not ""
	Inside string `json:"inside,omitempty"` // what was between the braces of the project's servers
	Fresh  bool   `json:"fresh,omitempty"`  // the project had no servers
}

// recordOf is the beginning of an entry's record.
func recordOf(e Entry, by Installation) Record {
	return Record{Name: e.Name, Project: e.Project, Called: e.Called, Client: by.Client, Wrapper: by.Path}
}

// called is the name of the server.
func (r Record) called() string {
	if r.Project != "" {
		return r.Called
	}
	return r.Name
}

// Remote reports whether the entry was an address.
func (r Record) Remote() bool { return len(r.Flags) > 0 }

// Of reports whether the record is of what an entry that is not wrapped starts.
func (r Record) Of(e Entry) bool {
	if r.Remote() {
		return e.URL == r.URL && slices.Equal(e.address.Flags(), r.Flags)
	}
	return e.URL == "" && slices.Equal(r.Argv, e.Argv())
}

func (r Record) String() string {
	if r.Remote() {
		return fmt.Sprintf("record of %q (remote)", r.Name)
	}
	return fmt.Sprintf("record of %q (a command and %d arguments)", r.Name, max(len(r.Argv)-1, 0))
}

func (r Record) GoString() string { return r.String() }

func (r Record) Written() []string {
	if r.Remote() {
		return addressArgs(r.called(), r.Client, r.Flags)
	}
	return wrapperArgs(r.called(), r.Client, r.Argv)
}

// FindRecord returns the record of an entry, nil if there is none.
func FindRecord(records []Record, name string) *Record {
	for i := range records {
		if records[i].Name == name {
			return &records[i]
		}
	}
	return nil
}

// Renew replaces records with newer ones of the same name.
func Renew(records, newer []Record) []Record {
	all := slices.DeleteFunc(slices.Clone(records), func(r Record) bool { return FindRecord(newer, r.Name) != nil })
	return append(all, newer...)
}
