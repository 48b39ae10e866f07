package pin

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/sallyport/sallyport/proxy/inspect"
)

// reachWords are the sentences for what a page asks for: each is followed by the host.
var reachWords = []struct {
	of    func(reachIn) []asked
	words string // after "it can"
}{
	{func(in reachIn) []asked { return in.connect }, "send data to and get data from"},
	{func(in reachIn) []asked { return in.load }, "load images, scripts and styles from"},
	{func(in reachIn) []asked { return in.frame }, "show, inside itself, pages of"},
	{func(in reachIn) []asked { return in.base }, "lead its own links to"},
}

// describePage says what a new page may do, before anything that it shows.
func describePage(p Page) []Change {
	d := &differ{describing: true, budget: maxWork*(len(p.Entry)+len(p.Contents.frame)) + 1<<20}
	in := p.reach()
	for _, of := range reachWords {
		for _, h := range of.of(in) {
			d.add(Change{Path: h.where, Op: Added, Words: "it can " + of.words + " " + quote(h.what)})
		}
	}
	if len(in.connect)+len(in.load)+len(in.frame)+len(in.base) == 0 {
		d.add(Change{Op: Added, Words: "it can reach no host"})
	}
	for _, a := range in.permissions {
		d.add(Change{Path: a.where, Op: Added, Words: "it asks for " + permissionWords(a.what)})
	}
	for _, a := range in.domain {
		d.add(Change{Path: a.where, Op: Added, Words: "it asks to run under the domain " + quote(a.what)})
	}
	d.add(Change{Op: Added, Words: drawnWords(p)})
	return d.done()
}

// PageWords say what a page may do, and whether it is the same each time, in our words; hosts are quoted. Nil for anything else.
func PageWords(raw []byte) []string {
	p, ok := ReadPage(raw)
	if !ok || p.Contents == nil {
		return nil
	}
	var words []string
	for _, c := range describePage(p) {
		words = append(words, c.Words)
	}
	return words
}

// drawnWords say how large the page is, and whether it is the same each time.
func drawnWords(p Page) string {
	size := 0
	for _, b := range p.Contents.bodies {
		size += b.Bytes
	}
	if p.Varies {
		return "what it shows changes at every read, so Sallyport can't compare it"
	}
	return fmt.Sprintf("what it shows: %d bytes, the same at every read", size)
}

// comparePages lists what changed in a page: what it may do first, then the listing, then what it shows.
func comparePages(before, after Page) []Change {
	if samePage(before, after) {
		return nil
	}
	d := &differ{budget: maxWork*(len(before.Entry)+len(after.Entry)+len(after.Contents.frame)) + 1<<20}
	was, is := before.reach(), after.reach()
	for _, of := range reachWords {
		d.hosts(of.of(was), of.of(is), "it can now "+of.words, "it can no longer "+of.words)
	}
	for _, a := range missing(is.permissions, was.permissions) {
		d.add(Change{Path: a.where, Op: Added, Words: "it now asks for " + permissionWords(a.what)})
	}
	for _, a := range missing(was.permissions, is.permissions) {
		d.add(Change{Path: a.where, Op: Removed, Words: "it no longer asks for " + permissionWords(a.what)})
	}
	d.hosts(was.domain, is.domain, "it now asks to run under the domain", "it no longer asks to run under the domain")
	said := len(d.changes)
	d.drawn(before, after)
	entryBefore, entryAfter := canonicalEntry(before), canonicalEntry(after)
	switch {
	case same(entryBefore, entryAfter):
	case entryBefore == nil:
		d.note("entry", "the server now lists it", nil, entryAfter)
	case entryAfter == nil:
		d.note("entry", "the server no longer lists it", entryBefore, nil)
	default:
		d.value(place{path: "entry", label: "its listing"}, entryBefore, entryAfter, data)
	}
	if before.Contents != nil && !bytes.Equal(before.Contents.frame, after.Contents.frame) {
		d.value(place{path: "contents", label: "its contents"}, before.Contents.frame, after.Contents.frame, data)
	}
	d.changes = slices.Concat(d.changes[:said], slices.DeleteFunc(d.changes[said:], func(c Change) bool {
		return c.Path != "" && slices.ContainsFunc(d.changes[:said], func(words Change) bool { return words.Path == c.Path && words.Op == c.Op })
	})) // a sentence says it already
	if len(d.changes) == 0 { // the digests differ, so there must be an entry
		d.add(Change{Op: Changed, Words: "the page changed"})
	}
	return d.done()
}

// pagesOf reads two items of a page, of which the later one was read.
func pagesOf(kind Kind, approved, seen []byte) (before, after Page, ok bool) {
	if kind != Resource {
		return before, after, false
	}
	if after, ok = ReadPage(seen); !ok || after.Contents == nil {
		return before, after, false
	}
	before, ok = ReadPage(approved)
	return before, after, ok
}

// samePage reports whether two pages have one digest.
func samePage(before, after Page) bool {
	if before.Contents == nil {
		return false
	}
	was, is := before.Digest(), after.Digest()
	return was != "" && was == is
}

func canonicalEntry(p Page) []byte {
	entry, err := canonicalOf(p.Entry, Resource)
	if err != nil {
		return nil
	}
	return entry
}

// hosts reports what was added and removed.
func (d *differ) hosts(before, after []asked, added, removed string) {
	for _, a := range missing(after, before) {
		d.add(Change{Path: a.where, Op: Added, Words: added + " " + quote(a.what)})
	}
	for _, a := range missing(before, after) {
		d.add(Change{Path: a.where, Op: Removed, Words: removed + " " + quote(a.what)})
	}
}

// missing returns what of from is not in in.
func missing(from, in []asked) (out []asked) {
	for _, a := range from {
		if !slices.ContainsFunc(in, func(b asked) bool { return a.what == b.what }) {
			out = append(out, a)
		}
	}
	return out
}

// drawn compares what two pages show.
func (d *differ) drawn(before, after Page) {
	switch {
	case before.Contents == nil:
		d.add(Change{Op: Added, Words: "what it shows was never compared before; " + drawnWords(after)})
		return
	case after.Varies && !before.Varies:
		d.add(Change{Op: Changed, Words: drawnWords(after)})
		return
	case after.Varies:
		return
	case before.Varies:
		d.add(Change{Op: Changed, Words: drawnWords(after)})
		return
	}
	for i, a := range after.Contents.bodies {
		at := inspect.Member(bodyAt(i), "source")
		j := slices.IndexFunc(before.Contents.bodies, func(b body) bool { return b.Content == a.Content && b.Member == a.Member })
		switch {
		case j < 0:
			d.add(Change{Path: at, Op: Added, Words: fmt.Sprintf("it shows more: %d bytes", a.Bytes), After: string(a.Source)})
		case before.Contents.bodies[j].SHA256 == a.SHA256:
		case len(a.Source) > 0 && len(before.Contents.bodies[j].Source) > 0:
			d.text(at, "what it shows", before.Contents.bodies[j].Source, a.Source)
		default:
			d.add(Change{Path: at, Op: Changed, Words: fmt.Sprintf("what it shows changed: %d bytes before, %d bytes now", before.Contents.bodies[j].Bytes, a.Bytes)})
		}
	}
	for _, b := range before.Contents.bodies {
		if !slices.ContainsFunc(after.Contents.bodies, func(a body) bool { return b.Content == a.Content && b.Member == a.Member }) {
			d.add(Change{Path: "bodies", Op: Removed, Words: fmt.Sprintf("it shows less: %d bytes are gone", b.Bytes)})
		}
	}
}
