package guardian

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"slices"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

// Kinds of what is not guarded.
const (
	UnguardedEntry     = "entry"
	UnguardedRemote    = "remote"
	UnguardedExtension = "extension"
	UnguardedPolicy    = "policy"
	UnguardedFile      = "file" // an unreadable file
)

// Coverage says which servers are guarded, which are not, and why. Those that can't be guarded are counted and named.
func (g *Guardian) Coverage(q control.CoverageQuery) (control.Coverage, error) {
	protected := map[string]*wantedFile{}
	for _, f := range g.ProtectedFiles() {
		protected[f.Path] = g.wantedOf(f)
	}
	out := control.Coverage{Clients: []control.ClientFile{}, Unguarded: []control.Unguarded{}}
	seen := map[string]bool{}
	claude := false
	for _, l := range g.places(len(protected) > 0) {
		seen[l.Path] = true
		w := protected[l.Path]
		if l.State == clientconfig.Absent && w == nil {
			if l.Preferred {
				out.Clients = append(out.Clients, clientFile(l, nil))
			}
			continue
		}
		g.cover(&out, l, w)
		if l.Client == clientconfig.ClaudeDesktop && l.State != clientconfig.Absent && l.State != clientconfig.Unseen {
			claude = true
			g.coverExtensions(&out, l)
		}
	}
	for path, w := range protected {
		if !seen[path] {
			seen[path] = true
			g.cover(&out, clientconfig.Location{Client: w.Client, Name: identity.ClientTitle(w.Client), Path: path, Format: clientconfig.FormatOf(w.Client), Preferred: true, State: clientconfig.Found}, w)
		}
	}
	if q.Config != "" && !seen[q.Config] {
		g.cover(&out, namedFile(q), nil)
	}
	if claude {
		out.Unseen = append(out.Unseen, "Sallyport can't see or guard connectors you added inside Claude itself.")
	}
	if claude || g.opts.System.OS != "darwin" {
		g.coverPolicy(&out)
	}
	coverAdministered(&out, g.opts.System, g.installation(g.opts.Program, clientconfig.ClaudeCode))
	return out, nil
}

// places are the files of known clients. On macOS it reads nothing of another program before a person agreed: otherwise the system would
// suddenly ask them. Until then, a client without a folder is left out, so that a person isn't asked about twenty that they don't have.
func (g *Guardian) places(asked bool) []clientconfig.Location {
	if g.opts.System.OS == "darwin" && !asked {
		return slices.DeleteFunc(clientconfig.Places(g.opts.System), func(l clientconfig.Location) bool {
			_, err := os.Stat(l.Folder)
			return l.Client != clientconfig.ClaudeDesktop && errors.Is(err, fs.ErrNotExist)
		})
	}
	return clientconfig.Locate(g.opts.System)
}

func clientFile(l clientconfig.Location, w *wantedFile) control.ClientFile {
	f := control.ClientFile{Client: l.Client, Name: l.Name, Path: l.Path, State: string(l.State), Watched: w != nil, Entries: []control.ClientEntry{}}
	if l.State == clientconfig.Unseen {
		f.Why = "you haven't asked Sallyport to read it yet"
	}
	if l.Err != nil {
		f.Why = office.OneLine(l.Err.Error())
	}
	return f
}

func (g *Guardian) cover(out *control.Coverage, l clientconfig.Location, w *wantedFile) {
	f := clientFile(l, w)
	defer func() {
		out.Guarded += f.Guarded
		out.Total += f.Total
		out.Clients = append(out.Clients, f)
	}()
	if l.State == clientconfig.Unseen {
		return
	}
	raw, err := clientconfig.Read(l.Path)
	var file *clientconfig.File
	if err == nil {
		if file, err = clientconfig.Parse(raw, l.Format); err == nil {
			file.Share(clientconfig.Read)
		}
	}
	if err != nil {
		if f.State == control.FileFound {
			f.State, f.Why = control.FileUnreadable, office.OneLine(err.Error())
		}
		code, next := office.ProblemClientUnreadable, "fix the file, then try again"
		switch f.State {
		case control.FileDenied:
			code, next = office.ProblemClientDenied, "allow Sallyport to read it, then try again"
		case control.FileAbsent:
			return
		}
		out.Unguarded = append(out.Unguarded, control.Unguarded{Client: l.Client, Name: l.Path, Kind: UnguardedFile, Why: "Sallyport can't tell which servers are in it: " + f.Why, Code: code, Next: next})
		return
	}
	by := g.installation(g.opts.Program, l.Client)
	if w != nil {
		by = w.by
	}
	for _, e := range file.Entries {
		f.Total++
		entry, kind, next := g.coverEntry(l, w, by, e)
		f.Entries = append(f.Entries, entry)
		if entry.State == control.EntryGuarded {
			f.Guarded++
			continue
		}
		kept, known := wantedEntry(w, e.Name)
		out.Unguarded = append(out.Unguarded, control.Unguarded{
			Client: l.Client, Name: e.Name, Kind: kind, Why: entry.Why, Code: entry.Code, Next: next, Chosen: entry.Code == office.CoverOpen && known && !kept.Guarded,
		})
	}
	for _, e := range file.Shared {
		if _, copied := file.Entry(e.Name); copied {
			continue
		}
		f.Total++
		entry := control.ClientEntry{Name: e.Name, State: control.EntryOpen, Why: "its project shares it in " + e.Path + ", and you haven't protected it", Code: office.CoverOpen}
		f.Entries = append(f.Entries, entry)
		out.Unguarded = append(out.Unguarded, control.Unguarded{Client: l.Client, Name: e.Name, Kind: UnguardedEntry, Why: entry.Why, Code: entry.Code, Next: protectWords(l.Client, e.Name)})
	}
	for _, path := range file.Unread {
		out.Unguarded = append(out.Unguarded, control.Unguarded{Client: l.Client, Name: path, Kind: UnguardedFile, Why: "Sallyport can't tell which servers are in it", Code: office.ProblemClientUnreadable, Next: "fix the file, then try again"})
	}
	if w == nil {
		if f.Guarded > 0 {
			f.Why = "its servers are guarded, but Sallyport doesn't watch the file; to change that, run `" + protectWords(l.Client, "") + "`"
		}
		return
	}
	for _, k := range w.snapshot.Entries {
		if _, there := file.Entry(k.Name); !there && k.Guarded {
			f.Entries = append(f.Entries, control.ClientEntry{Name: k.Name, State: control.EntryMissing, Why: "removed from the file; see the inbox"})
		}
	}
}

func (g *Guardian) coverEntry(l clientconfig.Location, w *wantedFile, by clientconfig.Installation, e clientconfig.Entry) (entry control.ClientEntry, kind, next string) {
	entry = control.ClientEntry{Name: e.Name, State: control.EntryOpen}
	kind = UnguardedEntry
	class := clientconfig.Classify(e, by, nil)
	entry.Why = class.Why
	switch {
	case class.Kind == clientconfig.Wrapped:
		entry.State = control.EntryGuarded
		entry.ServerID, entry.Identity = behind(class)
		entry.Started = g.hub.Started(by.Client, e.Server())
	case class.Kind == clientconfig.Remote && !class.Guardable():
		kind, entry.Code = UnguardedRemote, office.CoverRemote
	case class.Kind == clientconfig.Odd:
		entry.Code = office.CoverOdd
		if !e.Alone {
			next = "fix the entry, then try again"
		}
	case class.Kind == clientconfig.LooksWrapped:
		entry.State, entry.Code, next = control.EntryFake, office.CoverFake, "check the entry, then run: "+protectWords(l.Client, e.Name)
		if class.Reason == clientconfig.MovedHome {
			entry.Code, next = office.CoverMovedHome, "remove the variable from the entry's env, then protect the server"
		}
		if class.Reason == clientconfig.MissingFile {
			entry.Code = office.CoverProgramGone
		}
	default:
		entry.Code, entry.Why, next = office.CoverOpen, "you haven't protected it yet", protectWords(l.Client, "")
		if w != nil {
			next = protectWords(l.Client, e.Name)
		}
		switch kept, known := wantedEntry(w, e.Name); {
		case class.Reason == clientconfig.MovedHome:
			entry.Code, entry.Why, next = office.CoverMovedHome, class.Why, "remove the variable from the entry's env, then protect the server"
		case !l.Preferred && w == nil:
			next = ""
			entry.Why = "the client reads another file first"
		case known && kept.Guarded:
			entry.Why, next = "guard removed; see the inbox", "sallyport inbox"
		case known:
			entry.Why = "you chose not to guard it"
		}
	}
	return entry, kind, next
}

// behind is the id and the identity of the server behind a wrapped entry, "" if unknown.
func behind(class clientconfig.Class) (id, display string) {
	ref := control.ServerRef{Transport: identity.TransportStdio, Argv: class.Inner}
	if class.Address != nil {
		ref = control.ServerRef{Transport: identity.TransportURL, URL: class.Address.Server()}
		if !class.Address.Known() {
			return "", ""
		}
	}
	server, err := identity.Of(ref)
	if err != nil {
		return "", ""
	}
	return server.ID, server.Display
}

// protectWords is the command that guards a client's entry, or its whole file.
func protectWords(client, entry string) string {
	words := "sallyport protect"
	if client != clientconfig.ClaudeDesktop {
		words += " --client " + client
	}
	if entry == "" {
		return words
	}
	return words + " " + legible.ShellWord(entry)
}

func wantedEntry(w *wantedFile, name string) (clientconfig.Kept, bool) {
	if w == nil {
		return clientconfig.Kept{}, false
	}
	return w.snapshot.Entry(name)
}

// coverExtensions counts desktop extensions, which are not in the client's file.
func (g *Guardian) coverExtensions(out *control.Coverage, l clientconfig.Location) {
	all, err := clientconfig.Extensions(l, g.opts.System)
	if err != nil {
		out.Unguarded = append(out.Unguarded, control.Unguarded{Client: l.Client, Name: "desktop extensions", Kind: UnguardedFile, Why: "Sallyport can't tell which ones are installed: " + office.OneLine(err.Error()), Code: office.CoverExtension})
	}
	for _, e := range all {
		if e.Disabled {
			continue
		}
		out.Total++
		why := "the client starts desktop extensions itself, so Sallyport can't guard them"
		if e.Runs != "" {
			why += "; it runs " + legible.Escape(cut.Bytes(e.Runs, 200))
		}
		if e.Problem != "" {
			why += "; " + e.Problem
		}
		out.Unguarded = append(out.Unguarded, control.Unguarded{Client: l.Client, Name: e.Name, Kind: UnguardedExtension, Why: why, Code: office.CoverExtension, Next: "to guard it: sallyport protect --convert " + legible.ShellWord(e.ID)})
	}
}

// coverPolicy counts the servers of a managed policy.
func (g *Guardian) coverPolicy(out *control.Coverage) {
	p := clientconfig.ReadPolicy(g.opts.System)
	for _, s := range p.Servers {
		out.Total++
		kind, why := UnguardedPolicy, "it comes from a managed policy, not from the client's file"
		if !s.Local {
			kind = UnguardedRemote
		}
		out.Unguarded = append(out.Unguarded, control.Unguarded{Client: clientconfig.ClaudeDesktop, Name: s.Name, Kind: kind, Why: why, Code: office.CoverPolicy})
	}
	var said []string
	for _, problem := range p.Problems {
		said = append(said, "Sallyport can't tell which servers it adds: "+office.OneLine(problem))
	}
	if p.ExtensionsOff {
		said = append(said, "a policy turns desktop extensions off, so none of them starts")
	}
	if p.LocalServersOff {
		said = append(said, "a policy turns off the servers in the client's file, so none of them starts")
	}
	for _, why := range said {
		out.Unguarded = append(out.Unguarded, control.Unguarded{Client: clientconfig.ClaudeDesktop, Name: "managed policy", Kind: UnguardedPolicy, Why: why, Code: office.CoverPolicy})
	}
}

// coverAdministered counts the servers that an administrator gave Claude Code.
func coverAdministered(out *control.Coverage, s clientconfig.System, by clientconfig.Installation) {
	path, file, err := clientconfig.Administered(s)
	say := func(name, kind, why string) {
		out.Unguarded = append(out.Unguarded, control.Unguarded{Client: clientconfig.ClaudeCode, Name: name, Kind: kind, Why: why, Code: office.CoverPolicy})
	}
	switch {
	case err != nil:
		say("managed policy", UnguardedPolicy, "Sallyport can't tell which servers it adds: "+office.OneLine(err.Error()))
		return
	case file == nil:
		return
	}
	for _, e := range file.Entries {
		out.Total++
		if clientconfig.Classify(e, by, nil).Kind == clientconfig.Wrapped {
			out.Guarded++ // the administrator put the wrapper in
			continue
		}
		kind := UnguardedPolicy
		if e.URL != "" {
			kind = UnguardedRemote
		}
		say(e.Name, kind, "an administrator set it for everyone on this computer in "+path+", which Sallyport never changes")
	}
	say("managed policy", UnguardedPolicy, "only the servers in "+path+" start, and none that you added yourself")
}

// System is the machine whose clients are looked at.
func System(s clientconfig.System) clientconfig.System {
	if s.Env == nil {
		return clientconfig.ThisSystem()
	}
	if s.OS == "" {
		s.OS = runtime.GOOS
	}
	return s
}

// namedFile is a file that a person named, read as the given client reads its own.
func namedFile(q control.CoverageQuery) clientconfig.Location {
	named := clientconfig.Location{Client: clientconfig.ClaudeDesktop, Name: "a file", Path: q.Config, State: clientconfig.Found}
	if q.Client == "" {
		return named
	}
	if row, known := clientconfig.RowOf(q.Client); known {
		named.Client, named.Name, named.Format = row.ID, row.Title, row.Format
	}
	return named
}
