package clientconfig

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/tailscale/hujson"
)

// A project can share servers with everybody who works on it, in a file of its folder that belongs to all of them: it is read and never written.
// To guard such an entry, a copy of it is put among the servers of that folder in the person's own file, which the client prefers, and wrapped there.

// sharedFile is the name of such a file (docs/clients.md says of which version).
const sharedFile = ".mcp.json"

// maxFolders is how many folders are looked at, the first in the file.
const maxFolders = 1000

// Share reads what the folders of a client's file share. A file that can't be read shares nothing, and is in Unread.
func (f *File) Share(read func(path string) ([]byte, error)) {
	f.Shared, f.Unread = nil, nil
	if !f.Format.Projects {
		return
	}
	for i, folder := range foldersOf(f) {
		if i == maxFolders || !filepath.IsAbs(folder) {
			continue
		}
		path := filepath.Join(folder, sharedFile)
		raw, err := read(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var shared *File
		if err == nil {
			shared, err = Parse(raw, Format{shape: f.Format.shape})
		}
		if err != nil {
			f.Unread = append(f.Unread, path)
			continue
		}
		for _, e := range shared.Entries {
			e.Project, e.Called, e.Path = folder, e.Name, path
			e.Name += " (" + folder + ")"
			f.Shared = append(f.Shared, e)
		}
	}
}

// foldersOf are the projects of a file.
func foldersOf(f *File) (all []string) {
	root, _ := f.root.Value.(*hujson.Object)
	projects := member(root, "projects")
	if projects == nil {
		return nil
	}
	object, _ := projects.Value.Value.(*hujson.Object)
	for i := range membersOf(object) {
		all = append(all, literal(object.Members[i].Name))
	}
	return all
}

func hasFolder(f *File, folder string) bool { return slices.Contains(foldersOf(f), folder) }

// SharedEntry is the entry that a project shares under the name that its copy has.
func (f *File) SharedEntry(name string) (Entry, bool) {
	at := slices.IndexFunc(f.Shared, func(e Entry) bool { return e.Name == name })
	if at < 0 {
		return Entry{}, false
	}
	return f.Shared[at], true
}

// sharedText is the text of a shared entry without blanks, "" if there is none.
func sharedText(f *File, name string) string {
	e, there := f.SharedEntry(name)
	var out bytes.Buffer
	if !there || json.Compact(&out, []byte(e.raw)) != nil {
		return ""
	}
	return out.String()
}

// usesShared reports whether the person told the client to use a shared entry.
func usesShared(f *File, e Entry) bool {
	at := &f.root
	for _, key := range []string{"projects", e.Project, "enabledMcpjsonServers"} {
		object, _ := at.Value.(*hujson.Object)
		m := member(object, key)
		if m == nil {
			return false
		}
		at = &m.Value
	}
	list, _ := at.Value.(*hujson.Array)
	return list != nil && slices.ContainsFunc(list.Elements, func(v hujson.ArrayElement) bool { return literal(v) == e.Called })
}

// Offered are the shared entries that the client uses and that have no copy.
func (f *File) Offered() (names []string) {
	for _, e := range f.Shared {
		if _, local := f.Entry(e.Name); !local && usesShared(f, e) {
			names = append(names, e.Name)
		}
	}
	return names
}

// WrapShared is Wrap for a file whose shared entries were read. It copies those that are named; of the others, those that the client uses, unless
// none is wanted that is not named.
func WrapShared(f *File, names []string, by Installation, records []Record) (Result, error) {
	with := f
	var copies []Record
	var left []Outcome
	for _, e := range f.Shared {
		_, local := f.Entry(e.Name)
		named := slices.Contains(names, e.Name)
		if local || names != nil && !named {
			continue
		}
		if !named && !usesShared(f, e) {
			left = append(left, Outcome{e.Name, DidLeave, "its project shares it, and the client doesn't use it before you say so; to guard it, name it"})
			continue
		}
		class := Classify(e, by, nil)
		if !class.Guardable() {
			left = append(left, Outcome{e.Name, DidLeave, class.Why})
			continue
		}
		after, record := withCopy(with, e)
		if after == nil {
			left = append(left, Outcome{e.Name, DidLeave, tooMuch})
			continue
		}
		with, copies = after, append(copies, record)
	}
	result, err := Wrap(with.raw, f.Format, names, by, records)
	if err != nil {
		return result, err
	}
	for _, o := range result.Outcomes {
		if FindRecord(copies, o.Name) != nil && o.Did != DidWrap { // a copy without a wrapper must not stay: without copies, then
			bare := *f
			bare.Shared = nil
			return WrapShared(&bare, names, by, records)
		}
	}
	for i := range result.Records {
		result.Records[i].CopiedAs(FindRecord(copies, result.Records[i].Name))
	}
	result.Outcomes = slices.DeleteFunc(result.Outcomes, func(o Outcome) bool {
		return o.Did == DidMiss && slices.ContainsFunc(left, func(l Outcome) bool { return l.Name == o.Name })
	})
	result.Outcomes = append(result.Outcomes, left...)
	result.Changed = !bytes.Equal(result.Raw, f.raw)
	if !result.Changed {
		result.Raw = f.raw
	}
	return result, nil
}

// withCopy is a file with a copy of a shared entry, and how to take it out again; nil if that can't be done alone.
func withCopy(f *File, e Entry) (after *File, record Record) {
	record = Record{Name: e.Name, Shared: "copied"}
	record.Inside, record.Fresh = insideOf(f, e.Project)
	after, err := intoProject(f, e.Project, e.Called, e.raw)
	if err != nil {
		return nil, record
	}
	made, there := after.Entry(e.Name)
	if !there || made.Odd != e.Odd {
		return nil, record
	}
	fresh := map[*hujson.Value]bool{made.whole: true}
	if record.Fresh {
		fresh[serversOf(after, e.Project)] = true
	}
	if !same(&f.root, &after.root, nil, fresh) {
		return nil, record
	}
	return after, record
}

// serversOf are the servers of one folder, nil if it has none.
func serversOf(f *File, folder string) *hujson.Value {
	at := &f.root
	for _, key := range []string{"projects", folder, f.Format.key()} {
		object, _ := at.Value.(*hujson.Object)
		m := member(object, key)
		if m == nil {
			return nil
		}
		at = &m.Value
	}
	return at
}

// insideOf is what is between the braces of a folder's servers, "" if they are some; fresh if there are no braces either.
func insideOf(f *File, folder string) (text string, fresh bool) {
	servers := serversOf(f, folder)
	if servers == nil {
		return "", true
	}
	if object, ok := servers.Value.(*hujson.Object); ok && len(object.Members) == 0 {
		at := f.span(servers)
		text = string(f.raw[at.from+1 : at.to-1])
	}
	return text, false
}

// withoutCopies takes out the copies of shared entries that are wanted; done are their names.
func withoutCopies(f *File, names []string, by Installation, records []Record) (after *File, done []string) {
	after = f
	for _, record := range slices.Backward(records) { // the last that was put in first
		e, there := after.Entry(record.Name)
		if !there || record.Shared == "" || !wanted(names, e.Name) || !Classify(e, by, &record).Behind() {
			continue
		}
		if less := withoutCopy(after, e, record); less != nil {
			after, done = less, append(done, e.Name)
		}
	}
	return after, done
}

// withoutCopy is a file without one entry of a project, nil if it can't be taken out alone.
func withoutCopy(f *File, e Entry, record Record) *File {
	servers := serversOf(f, e.Project)
	object, ok := servers.Value.(*hujson.Object)
	if !ok {
		return nil
	}
	edits := f.drop(object, e.Called)
	gone := map[*hujson.Value]bool{e.whole: true}
	if len(object.Members) == 1 {
		at, name, value := f.span(servers), f.span(&object.Members[0].Name), f.span(&object.Members[0].Value)
		if !blank(string(f.raw[at.from+1:name.from])) || !blank(string(f.raw[value.to:at.to-1])) {
			return nil
		}
		edits = []splice{{span{at.from + 1, at.to - 1}, record.Inside}}
		if record.Fresh {
			project, _ := member(member(f.root.Value.(*hujson.Object), "projects").Value.Value.(*hujson.Object), e.Project).Value.Value.(*hujson.Object)
			edits = f.drop(project, f.Format.key())
			gone[servers] = true
		}
	}
	after, err := Parse(apply(f.raw, edits), f.Format)
	if err != nil || !same(&f.root, &after.root, gone, nil) {
		return nil
	}
	return after
}

// CopiedAs makes a record one of a copy, if another one of the entry is.
func (r *Record) CopiedAs(other *Record) {
	if other != nil && other.Shared != "" {
		r.Shared, r.Inside, r.Fresh = other.Shared, other.Inside, other.Fresh
	}
}

// intoProject inserts an entry among the servers of a folder.
func intoProject(f *File, folder, called, raw string) (*File, error) {
	at := &f.root
	for _, key := range []string{"projects", folder, f.Format.key()} {
		object, ok := at.Value.(*hujson.Object)
		if !ok {
			return f, nil // it is no file of this client any more
		}
		if member(object, key) == nil {
			after, err := f.Rewritten(apply(f.raw, []splice{f.set(at, object, key, "{}")}))
			if err != nil {
				return nil, err
			}
			return intoProject(after, folder, called, raw)
		}
		at = &member(object, key).Value
	}
	object, ok := at.Value.(*hujson.Object)
	if !ok || member(object, called) != nil {
		return f, nil
	}
	return f.Rewritten(apply(f.raw, []splice{f.set(at, object, called, raw)}))
}
