package clientconfig

import (
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// PutBack returns the text with the given changes undone, and touches nothing else: a person's edits to other entries, and to other members
// of the same entry, stay. A lost wrapper is put around the current command; a new entry is wrapped, not removed; removed and wiped entries
// are restored whole. The outcomes say what could not be done.
func PutBack(now *File, wanted Snapshot, changes []Change, by Installation, records []Record) (Result, error) {
	ed := &editor{f: now, by: by, records: records, wanted: wanted}
	for _, c := range changes {
		var err error
		switch c.Event {
		case WipedServers, RemovedEntry, ChangedEntry, FalseWrapper, LostWrapper:
			if now.Format.Language != JSON {
				if err = ed.respell(c); err != nil {
					return Result{}, err
				}
				continue
			}
		case NewEntry: // wrapped in any language
		}
		switch c.Event {
		case WipedServers:
			err = ed.bringBack(c.Names)
		case RemovedEntry:
			err = ed.bringBack([]string{c.Name})
		case ChangedEntry:
			if slices.Equal(c.Fields, []string{"shared"}) {
				err = ed.takeOver(c.Name)
				break
			}
			err = ed.restore(c.Name, c.Fields)
		case FalseWrapper:
			err = ed.unmask(c)
		case LostWrapper:
			err = ed.guardAgain(c)
		case NewEntry:
			err = ed.wrap(c.Name)
		}
		if err != nil {
			return Result{}, err
		}
	}
	ed.result.Raw = ed.f.raw
	ed.result.Changed = string(ed.f.raw) != string(now.raw)
	return ed.result, nil
}

// editor makes one edit after the other and parses the text again after each, so that spans stay valid.
type editor struct {
	f       *File
	by      Installation
	records []Record
	wanted  Snapshot
	result  Result
}

func (ed *editor) edit(splices ...splice) error {
	return ed.put(apply(ed.f.raw, splices))
}

func (ed *editor) put(raw []byte) (err error) {
	ed.f, err = ed.f.Rewritten(raw)
	return err
}

func (ed *editor) done(name string, did Did, why string) {
	ed.result.Outcomes = append(ed.result.Outcomes, Outcome{name, did, why})
}

func (ed *editor) wrap(name string) error {
	result, err := Wrap(ed.f.raw, ed.f.Format, []string{name}, ed.by, ed.records)
	if err != nil {
		return err
	}
	ed.result.Outcomes = append(ed.result.Outcomes, result.Outcomes...)
	ed.result.Records = append(ed.result.Records, result.Records...)
	ed.records = Renew(ed.records, result.Records)
	return ed.put(result.Raw)
}

// guardAgain uses the wanted spelling if the command is unchanged, so that a wrapper that was lost and restored leaves no trace in the
// file.
func (ed *editor) guardAgain(c Change) error {
	record := FindRecord(ed.records, c.Name)
	e, ok := ed.f.Entry(c.Name)
	if now := Classify(e, ed.by, record); ok && (now.Kind == Remote && now.Guardable() || c.Class.Kind == Plain && (record == nil || !record.Of(e))) {
		if err := ed.dropMovers(e); err != nil {
			return err
		}
		return ed.wrap(c.Name)
	}
	return ed.restore(c.Name, c.Fields)
}

// unmask replaces a false wrapper with a true one.
func (ed *editor) unmask(c Change) error {
	e, ok := ed.f.Entry(c.Name)
	if !ok {
		ed.done(c.Name, DidMiss, "no entry has this name")
		return nil
	}
	if err := ed.dropMovers(e); err != nil {
		return err
	}
	if w, known := ed.wanted.Entry(c.Name); !known || !w.Guarded {
		return ed.wrap(c.Name)
	}
	return ed.restore(c.Name, c.Fields)
}

// dropMovers removes unwanted variables that move our home.
func (ed *editor) dropMovers(e Entry) error {
	w, _ := ed.wanted.Entry(e.Name)
	for _, name := range e.EnvNames {
		if homeMover([]string{name}) == "" || slices.Contains(w.EnvNames, name) {
			continue
		}
		if now, _ := ed.f.Entry(e.Name); now.env != nil {
			if err := ed.edit(ed.f.drop(now.env, name)...); err != nil {
				return err
			}
		}
	}
	return nil
}

// restore gives the named fields of an entry their wanted text.
func (ed *editor) restore(name string, fields []string) error {
	w, known := ed.wanted.Entry(name)
	if _, ok := ed.f.Entry(name); !ok || !known {
		ed.done(name, DidMiss, "no entry has this name")
		return nil
	}
	kept, keptObject := parseValue(w.Raw)
	if kept == nil {
		ed.done(name, DidLeave, "Sallyport's record of it is not a valid entry")
		return nil
	}
	kept.Format = ed.f.Format
	if as := kept.entry(name, &kept.root); w.Guarded && (as.Odd != "" || as.Command != w.Command || !slices.Equal(as.Args, w.Args)) {
		return ed.respell(Change{Event: ChangedEntry, Name: name, Fields: fields}) // it was rebuilt without its spelling
	}
	if _, object := ed.object(name); object == nil || keptObject == nil {
		return ed.whole(name, w)
	}
	s := ed.f.Format.spelling()
	for _, field := range fields {
		var err error
		command := member(keptObject, s.command)
		switch {
		case (field == "command" || field == "args" || field == "env") && command != nil && command.Value.Value.Kind() == '{', field == "args" && s.args == "":
			err = ed.restoreMember(name, s.command, kept, keptObject)
		case field == "env":
			err = ed.restoreEnv(name, kept, keptObject)
		case field == "url" && w.Guarded && w.URL != "":
			err = ed.restoreAddress(name, kept, keptObject)
		case field == "url":
			for _, key := range append(s.addresses(), s.kind) {
				err = ed.restoreMember(name, key, kept, keptObject)
				if err != nil {
					break
				}
			}
		case field == "command":
			err = ed.restoreMember(name, s.command, kept, keptObject)
		case field == "args":
			err = ed.restoreMember(name, s.args, kept, keptObject)
		case field == "form":
			err = ed.whole(name, w)
		}
		if err != nil {
			return err
		}
	}
	if e, _ := ed.f.Entry(name); w.Guarded && (e.URL != "" || e.Odd != "" && !e.Alone) {
		return ed.whole(name, w) // its other members say that it is something else
	}
	ed.done(name, DidRewrap, "")
	return nil
}

// restoreAddress gives the variable with a wrapped entry's address its wanted text.
func (ed *editor) restoreAddress(name string, kept *File, from *hujson.Object) error {
	key := ed.f.Format.spelling().env
	_, object := ed.object(name)
	wanted, now := part(from, key), part(object, key)
	if wanted == nil || now == nil {
		return nil
	}
	vars, _ := now.Value.Value.(*hujson.Object)
	were, _ := wanted.Value.Value.(*hujson.Object)
	m := member(were, urlVariable)
	if vars == nil || m == nil {
		return nil
	}
	return ed.edit(ed.f.set(&now.Value, vars, urlVariable, kept.text(&m.Value)))
}

func (ed *editor) whole(name string, w Kept) error {
	v, _ := ed.object(name)
	ed.done(name, DidRewrap, "")
	return ed.edit(splice{ed.f.span(v), w.Raw})
}

func (ed *editor) restoreMember(name, key string, kept *File, from *hujson.Object) error {
	v, object := ed.object(name)
	if m := member(from, key); m != nil {
		return ed.edit(ed.f.set(v, object, key, kept.text(&m.Value)))
	}
	return ed.edit(ed.f.drop(object, key)...)
}

// restoreEnv restores wanted variables that are gone and removes new ones; the values of the others are the person's.
func (ed *editor) restoreEnv(name string, kept *File, from *hujson.Object) error {
	_, object := ed.object(name)
	key := ed.f.Format.spelling().env
	wantedEnv, nowEnv := member(from, key), member(object, key)
	if wantedEnv == nil || nowEnv == nil {
		return ed.restoreMember(name, key, kept, from)
	}
	wantedVars, a := wantedEnv.Value.Value.(*hujson.Object)
	if _, b := nowEnv.Value.Value.(*hujson.Object); !a || !b {
		return ed.restoreMember(name, key, kept, from)
	}
	e, _ := ed.f.Entry(name)
	for _, variable := range e.EnvNames {
		if member(wantedVars, variable) == nil {
			e, _ = ed.f.Entry(name)
			if err := ed.edit(ed.f.drop(e.env, variable)...); err != nil {
				return err
			}
		}
	}
	for i := range wantedVars.Members {
		variable := literal(wantedVars.Members[i].Name)
		_, object := ed.object(name)
		env := member(object, key)
		vars := env.Value.Value.(*hujson.Object)
		if member(vars, variable) == nil {
			if err := ed.edit(ed.f.set(&env.Value, vars, variable, kept.text(&wantedVars.Members[i].Value))); err != nil {
				return err
			}
		}
	}
	return nil
}

// bringBack inserts whole wanted entries, in the wanted order.
func (ed *editor) bringBack(names []string) error {
	if !ed.f.HasServers && ed.f.Format.spelling().inner != "" {
		for _, name := range names {
			ed.done(name, DidLeave, "the file has no place for servers, and this version doesn't know which one the client reads; add one, then try again")
		}
		return nil
	}
	local := slices.ContainsFunc(ed.wanted.Entries, func(k Kept) bool { return k.Project != "" })
	if len(ed.f.Entries) == 0 && len(names) == len(ed.wanted.Entries) && ed.wanted.Servers != "" && !local {
		where := ed.f.set(&ed.f.root, ed.f.root.Value.(*hujson.Object), ed.f.Format.key(), ed.wanted.Servers)
		if ed.f.HasServers {
			where = splice{ed.f.span(ed.f.servers), ed.wanted.Servers}
		}
		if err := ed.edit(where); err != nil {
			return err
		}
	} else {
		for _, name := range names {
			w, known := ed.wanted.Entry(name)
			if _, there := ed.f.Entry(name); there || !known {
				continue
			}
			if w.Project != "" {
				if err := ed.intoProject(w); err != nil {
					return err
				}
				continue
			}
			if !ed.f.HasServers {
				if err := ed.edit(ed.f.set(&ed.f.root, ed.f.root.Value.(*hujson.Object), ed.f.Format.key(), "{}")); err != nil {
					return err
				}
			}
			if err := ed.edit(ed.f.set(ed.f.servers, ed.f.servers.Value.(*hujson.Object), name, w.Raw)); err != nil {
				return err
			}
		}
	}
	for _, name := range names {
		ed.done(name, DidRewrap, "")
	}
	return nil
}

func (ed *editor) object(name string) (*hujson.Value, *hujson.Object) {
	e, there := ed.f.Entry(name)
	if !there {
		return nil, nil
	}
	return e.whole, e.object
}

// intoProject inserts an entry among the servers of its project.
func (ed *editor) intoProject(w Kept) error {
	after, err := intoProject(ed.f, w.Project, w.Called, w.Raw)
	if err == nil {
		ed.f = after
	}
	return err
}

// takeOver has the copy of a shared entry follow its project.
func (ed *editor) takeOver(name string) error {
	shared, there := ed.f.SharedEntry(name)
	local, ok := ed.f.Entry(name)
	if !there || !ok {
		ed.done(name, DidRewrap, "") // the copy stays, guarded as it is
		return nil
	}
	if class := Classify(shared, ed.by, nil); !class.Guardable() {
		ed.done(name, DidLeave, class.Why)
		return nil
	}
	if err := ed.edit(splice{ed.f.span(local.whole), shared.raw}); err != nil {
		return err
	}
	return ed.wrap(name)
}

// parseValue reads the text of one kept value.
func parseValue(raw string) (*File, *hujson.Object) {
	v, err := hujson.Parse([]byte(raw))
	if err != nil {
		return nil, nil
	}
	object, _ := v.Value.(*hujson.Object)
	return &File{raw: []byte(raw), root: v}, object
}

// notHere is why an entry isn't put back.
const notHere = "this version can't put it back in a file of this language; edit the file, or restore a backup (sallyport backups list)"

// withTable is a TOML file with the table of a wanted entry at its end, nil if that isn't all that it would change.
func (ed *editor) withTable(name string) *File {
	w, known := ed.wanted.Entry(name)
	if _, there := ed.f.Entry(name); there || !known || ed.f.Format.Language != TOML || !strings.HasPrefix(w.Raw, "[") || ed.f.Format.spelling().name != "" {
		return nil
	}
	line := "\n"
	if strings.Contains(string(ed.f.raw), "\r\n") {
		line = "\r\n"
	}
	text := string(ed.f.raw)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += line
	}
	after, err := Parse([]byte(text+line+w.Raw+line), ed.f.Format)
	if err != nil || len(after.Entries) != len(ed.f.Entries)+1 {
		return nil
	}
	e, there := after.Entry(name)
	if !there || e.Odd != w.Odd || e.Command != w.Command || e.URL != w.URL || !slices.Equal(e.Args, w.Args) || !sameNames(e.EnvNames, w.EnvNames) {
		return nil
	}
	fresh := map[*hujson.Value]bool{}
	if ed.f.HasServers {
		fresh[&member(after.servers.Value.(*hujson.Object), name).Value] = true
	} else {
		fresh[after.servers] = true
	}
	if !same(&ed.f.root, &after.root, nil, fresh) {
		return nil
	}
	return after
}

// respell is PutBack for one change of a file that isn't JSON: the command and arguments of a guarded entry are spelled anew, or the entry is
// wrapped, or its table comes back at the end of a TOML file. Anything else is left.
func (ed *editor) respell(c Change) error {
	e, there := ed.f.Entry(c.Name)
	w, known := ed.wanted.Entry(c.Name)
	for _, field := range c.Fields {
		known = known && (field == "command" || field == "args")
	}
	switch {
	case c.Event == WipedServers, c.Event == RemovedEntry:
		for _, name := range append(slices.Clone(c.Names), c.Name) {
			if name == "" {
				continue
			}
			if after := ed.withTable(name); after != nil {
				ed.f = after
				ed.done(name, DidRewrap, "")
			} else {
				ed.done(name, DidLeave, notHere)
			}
		}
		return nil
	case there && c.Event == LostWrapper && e.URL != "" && Classify(e, ed.by, nil).Guardable():
		return ed.wrap(c.Name)
	case !there || e.Odd != "" || e.URL != "" || homeMover(e.EnvNames) != "":
		ed.done(c.Name, DidLeave, notHere)
		return nil
	case c.Event == FalseWrapper || c.Event == LostWrapper && c.Class.Kind == Plain:
		return ed.wrap(c.Name)
	case !known || !w.Guarded || w.Command == "":
		ed.done(c.Name, DidLeave, notHere)
		return nil
	}
	p := plan{name: c.Name, argv: append([]string{w.Command}, w.Args...)}
	switch words := ed.f.spellAll(w.Args); {
	case e.vector != nil && len(e.vector.Value.(*hujson.Array).Elements) == len(e.Args)+1:
		p.ways = [][]splice{{{ed.f.span(e.vector), "[" + strings.Join(ed.f.spellAll(p.argv), ", ") + "]"}}}
	case e.vector == nil && e.args == nil:
		p.ways = [][]splice{{{ed.f.span(e.command), ed.f.spell(w.Command)}, ed.f.addArgs(e, words)}}
	case e.vector == nil:
		p.ways = [][]splice{{{ed.f.span(e.command), ed.f.spell(w.Command)}, {ed.f.span(e.args), "[" + strings.Join(words, ", ") + "]"}}}
	}
	after, failed := ed.f.carryOut([]plan{p})
	if failed[c.Name] {
		ed.done(c.Name, DidLeave, tooMuch)
		return nil
	}
	ed.done(c.Name, DidRewrap, "")
	return ed.put(after.raw)
}
