package clientconfig

import (
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Unwrap removes wrappers from the named entries (nil: all). If the record fits, command and args get their old spelling; if there is none,
// or the person has edited the arguments since, the command is moved out from behind our words as it is spelled there. Everything else
// stays byte for byte. A false wrapper is removed like a true one; an entry whose arguments don't tell the command is left, and named.
func Unwrap(raw []byte, format Format, names []string, by Installation, records []Record) (Result, error) {
	f, err := Parse(raw, format)
	if err != nil {
		return Result{}, err
	}
	result := Result{Raw: raw}
	f, dropped := withoutCopies(f, names, by, records)
	for _, name := range dropped {
		result.Outcomes = append(result.Outcomes, Outcome{Name: name, Did: DidUnwrap})
	}
	var plans []plan
	for _, e := range f.Entries {
		if !wanted(names, e.Name) {
			continue
		}
		record := FindRecord(records, e.Name)
		c := Classify(e.unmarked(), by, record)
		o := Outcome{Name: e.Name, Did: DidNone}
		switch {
		case (c.Kind == Wrapped || c.Kind == LooksWrapped) && c.Address != nil && f.noPlace(e, *c.Address) != "":
			o.Did, o.Why = DidLeave, f.noPlace(e, *c.Address)
		case (c.Kind == Wrapped || c.Kind == LooksWrapped) && c.Behind():
			o.Did = DidUnwrap
			plans = append(plans, f.unwrapPlans(e, record, c))
		case c.Kind == LooksWrapped || c.Kind == Odd:
			o.Did, o.Why = DidLeave, c.Why
		case e.Odd != "":
			o.Did, o.Why = DidLeave, e.Odd
		}
		result.Outcomes = append(result.Outcomes, o)
	}
	result.missing(slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(dropped, name) }), f)
	after, failed := f.carryOut(plans)
	result.settle(after, failed, raw)
	return result, nil
}

// unwrapPlans are the ways to remove a wrapper: as the record has the entry's spelling, if there is a record, else as the file has it.
func (f *File) unwrapPlans(e Entry, record *Record, c Class) plan {
	p := plan{name: e.Name, argv: c.Inner, address: c.Address}
	if c.Address != nil {
		if record != nil && record.Remote() {
			if record.URL == c.Address.URL {
				p.ways = append(p.ways, f.unwrapAddress(e, *c.Address, record, true))
			}
			p.ways = append(p.ways, f.unwrapAddress(e, *c.Address, record, false))
		}
		p.ways = append(p.ways, f.unwrapAddress(e, *c.Address, nil, false))
		return p
	}
	if record != nil && record.Remote() {
		record = nil
	}
	if record != nil {
		p.ways = append(p.ways, f.unwrapEntry(e, record))
	}
	p.ways = append(p.ways, f.unwrapEntry(e, nil))
	return p
}

// unwrapEntry removes the wrapper from an entry whose arguments have its form.
func (f *File) unwrapEntry(e Entry, record *Record) []splice {
	inner, _ := wrapForm(e.Args)
	at := len(e.Args) - len(inner) // the argument that is the command
	if e.vector != nil {
		return f.unwrapVector(e, record, inner, at+1)
	}
	list := e.args.Value.(*hujson.Array)
	if record != nil && slices.Equal(record.Argv, inner) {
		edits := []splice{{f.span(e.command), record.Command}}
		if record.Args != "" {
			return append(edits, splice{f.span(e.args), record.Args})
		}
		return append(edits, f.removeArgs(e, nil)...)
	}
	if !dashed(e.Args) {
		return f.unwrapArgv(e, inner)
	}
	command := f.text(&list.Elements[at])
	edits := []splice{{f.span(e.command), command}}
	if len(inner) > 1 {
		return append(edits, splice{span{f.span(&list.Elements[0]).from, f.span(&list.Elements[at+1]).from}, ""})
	}
	var words []string
	for i := range list.Elements {
		words = append(words, f.text(&list.Elements[i]))
	}
	return append(edits, f.removeArgs(e, words)...)
}

// unwrapVector removes the wrapper from an entry whose command is one list: at is the element with the server's command.
func (f *File) unwrapVector(e Entry, record *Record, inner []string, at int) []splice {
	elements := e.vector.Value.(*hujson.Array).Elements
	switch {
	case record != nil && record.Command == "" && slices.Equal(record.Argv, inner):
		return []splice{{f.span(e.vector), record.Args}}
	case at >= len(elements): // the command is among the arguments behind the list
		return nil
	}
	return []splice{{span{f.span(&elements[0]).from, f.span(&elements[at]).from}, ""}}
}

// removeArgs removes the whole args if Wrap added them, else leaves an empty list: words are their elements, nil if a record says that
// there were none.
func (f *File) removeArgs(e Entry, words []string) []splice {
	command, args := f.span(e.command), f.span(e.args)
	list := e.args.Value.(*hujson.Array)
	if f.Format.Language != JSON {
		return f.removeAdded(e, list)
	}
	between := ""
	if command.to < args.from {
		between = string(f.raw[command.to:args.to])
	}
	if words == nil {
		for i := range list.Elements {
			words = append(words, f.text(&list.Elements[i]))
		}
		// The client may have rewritten the file in its own style: then everything from the command to args is ours.
		if key := strings.TrimPrefix(strings.TrimSpace(between), ","); strings.HasPrefix(strings.TrimSpace(key), `"args"`) {
			return []splice{{span{command.to, args.to}, ""}}
		}
	}
	if tail, ok := strings.CutPrefix(between, ","); ok && strings.TrimLeft(tail, " \t\r\n") == noArgs(words) {
		return []splice{{span{command.to, args.to}, ""}}
	}
	end := f.behindComma(&list.Elements[len(list.Elements)-1])
	return []splice{{span{f.span(&list.Elements[0]).from, end}, ""}}
}

// removeAdded is removeArgs for the other languages.
func (f *File) removeAdded(e Entry, list *hujson.Array) []splice {
	var words []string
	for i := range list.Elements {
		words = append(words, f.text(&list.Elements[i]))
	}
	if drop, ok := f.dropArgs(e, words); ok {
		return []splice{drop}
	}
	return []splice{{f.span(e.args), "[]"}}
}

// unwrapArgv removes such a wrapper if no record has the original spelling: the command is spelled anew.
func (f *File) unwrapArgv(e Entry, inner []string) []splice {
	edits := []splice{{f.span(e.command), f.spell(inner[0])}}
	if len(inner) == 1 {
		return append(edits, f.removeArgs(e, f.spellAll(e.Args))...)
	}
	return append(edits, splice{f.span(e.args), "[" + strings.Join(f.spellAll(inner[1:]), ", ") + "]"})
}
