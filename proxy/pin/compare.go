package pin

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/sallyport/sallyport/proxy/inspect"
)

// maxChanges limits the list: a person reads no more, and a definition of a million fields must not become a million sentences. A last
// entry counts what is left out.
const maxChanges = 500

// maxWordText is the longest text that is compared word by word.
const maxWordText = 256 << 10

// Compare lists what changed between the approved definition and the one declared now, most important parts first, in words a person
// understands. It is empty exactly if the digests are equal (for one kind and name): the order of members, and of required, enum and type
// in schemas, is no change; one invisible character is.
//
// Nothing here remembers what was last seen: the caller supplies both sides.
func Compare(approved, seen []byte, kind Kind) []Change {
	if kind == Launch {
		return compareLaunch(approved, seen)
	}
	if before, after, ok := pagesOf(kind, approved, seen); ok {
		return comparePages(before, after)
	}
	d := differ{}
	before, errBefore := canonicalOf(approved, kind)
	after, errAfter := canonicalOf(seen, kind)
	switch {
	case errBefore != nil || errAfter != nil:
		if !bytes.Equal(approved, seen) {
			d.add(Change{Op: Changed, Words: "the definition changed; it cannot be compared piece by piece", Before: string(approved), After: string(seen)})
		}
		return d.changes
	case bytes.Equal(before, after):
		return nil
	}
	// From here on both are canonical, so equal values are equal bytes at every depth.
	d.definition(kind, before, after)
	if len(d.changes) == 0 { // the digests differ, so there must be an entry
		d.note("", "the definition changed", before, after)
	}
	return d.done()
}

// Describe lists every part of a definition nobody has approved yet, as if each had been added.
func Describe(kind Kind, raw []byte) []Change {
	if kind == Launch {
		return LaunchWords(raw)
	}
	if p, ok := ReadPage(raw); ok && kind == Resource && p.Contents != nil {
		return describePage(p)
	}
	d := differ{describing: true}
	if _, err := canonicalOf(raw, kind); err != nil {
		d.add(Change{Op: Added, Words: "a definition that parsers read differently", After: string(raw)})
		return d.changes
	}
	d.definition(kind, nil, raw)
	if len(d.changes) == 0 {
		d.add(Change{Op: Added, Words: "an empty definition", After: string(raw)})
	}
	return d.done()
}

func canonicalOf(raw []byte, kind Kind) ([]byte, error) {
	if err := check(raw); err != nil {
		return nil, err
	}
	return canonical(raw, root(kind))
}

// differ collects changes. A nil value means that the side has none.
type differ struct {
	changes    []Change
	left       int  // changes beyond the list
	budget     int  // bytes that may still be visited
	describing bool // there is no earlier side, so words need not say "added"
	inside     bool // inside an added schema, whose JSON has been given
}

// spent takes two values from the budget and reports whether it is used up. Each level visits everything inside it, so a chain of brackets
// around a large value would cost depth times size.
func (d *differ) spent(before, after []byte) bool {
	d.budget -= len(before) + len(after)
	return d.budget < 0
}

func (d *differ) add(c Change) {
	if len(d.changes) >= maxChanges {
		d.left++
		return
	}
	d.changes = append(d.changes, c)
}

func (d *differ) done() []Change {
	if d.left > 0 {
		d.changes = append(d.changes, Change{
			Op:    Changed,
			Words: fmt.Sprintf("%d more differences are not listed; read the definition as JSON", d.left),
		})
	}
	return d.changes
}

// note adds a change in our words, with both sides as JSON.
func (d *differ) note(path, words string, before, after []byte) {
	d.add(Change{Path: path, Op: op(before, after), Words: words, Before: string(before), After: string(after)})
}

// op returns the kind of change; nil means that a side is missing.
func op(before, after []byte) Op {
	switch {
	case before == nil:
		return Added
	case after == nil:
		return Removed
	}
	return Changed
}

// place is the position of a value: its path for programs, its label for sentences ("`options` › `headers`"). depth counts levels from the
// definition.
type place struct {
	path  string
	label string
	self  string // used when the label is empty
	depth int
}

// maxPlace limits path and label: beyond it they lose their beginning.
const maxPlace = 1_000

func (p place) at(path, label string) place {
	if p.label != "" {
		label = p.label + " › " + label
	}
	return place{path: tail(path), label: tail(label), depth: p.depth + 1}
}

func (p place) name() string {
	switch {
	case p.label != "":
		return p.label
	case p.self != "":
		return p.self
	}
	return "the definition"
}

// text compares two strings word by word; words names the text ("description of `city`").
func (d *differ) text(path, words string, before, after []byte) {
	b, errB := decodeOr(before)
	a, errA := decodeOr(after)
	if errB != nil || errA != nil {
		d.value(place{path: path, label: words}, before, after, data)
		return
	}
	c := Change{Path: path, Op: op(before, after), Before: b, After: a}
	if c.Op != Changed {
		c.Words = d.verb(c.Op, words)
		d.add(c)
		return
	}
	complete := false
	if len(a)+len(b) <= maxWordText {
		c.Text, complete = compareWords(b, a)
	}
	if c.Words = words + " changed"; !complete {
		c.Words += "; too long for a word-by-word comparison"
	}
	d.add(c)
}

func (d *differ) verb(op Op, what string) string {
	if d.describing {
		return what
	}
	return string(op) + ": " + what
}

// value compares two values of no known meaning by path: member by member, element by element, down to the difference.
func (d *differ) value(at place, before, after []byte, p position) {
	if same(before, after) {
		return
	}
	if before != nil && after != nil && kindOf(before) == kindOf(after) && !d.spent(before, after) {
		switch kindOf(before) {
		case '{':
			d.members(at, before, after, p)
			return
		case '[':
			if p != unsorted {
				d.elements(at, before, after, p)
				return
			}
		case '"':
			d.text(at.path, at.name(), before, after)
			return
		}
	}
	words := d.verb(op(before, after), at.name())
	if op(before, after) == Changed {
		words = at.name() + " changed"
		if small(before) && small(after) {
			words += " from " + short(before) + " to " + short(after)
		}
	} else if one := present(before, after); small(one) {
		words += " (" + short(one) + ")"
	} else if kindOf(one) == '"' {
		d.text(at.path, at.name(), before, after)
		return
	}
	d.note(at.path, words, before, after)
}

func (d *differ) members(at place, before, after []byte, p position) {
	for _, m := range pairs(before, after) {
		if !same(m.before, m.after) {
			d.value(at.at(inspect.Member(at.path, m.key), quote(m.key)), m.before, m.after, p.member(m.key))
		}
	}
}

// elements compares two arrays whose order counts, without their equal beginnings and ends.
func (d *differ) elements(at place, before, after []byte, p position) {
	b, a := elements(before), elements(after)
	from := 0
	for from < len(b) && from < len(a) && same(b[from], a[from]) {
		from++
	}
	end := 0
	for end < len(b)-from && end < len(a)-from && same(b[len(b)-1-end], a[len(a)-1-end]) {
		end++
	}
	b, a = b[:len(b)-end], a[:len(a)-end]
	for i := from; i < max(len(b), len(a)); i++ {
		if same(index(b, i), index(a, i)) {
			continue
		}
		label := fmt.Sprintf("entry %d", i+1)
		d.value(at.at(inspect.Element(at.path, i), label), index(b, i), index(a, i), p.element())
	}
}

func index(all [][]byte, i int) []byte {
	if i < len(all) {
		return all[i]
	}
	return nil
}

func present(before, after []byte) []byte {
	if before != nil {
		return before
	}
	return after
}

// same reports whether two values of canonical definitions are equal: there, equal values are equal bytes.
func same(before, after []byte) bool {
	return (before == nil) == (after == nil) && bytes.Equal(before, after)
}

// pair is one key of two objects; nil if that side lacks it.
type pair struct {
	key           string
	before, after []byte
}

// pairs returns the keys of two objects in the order of the later one, then the removed ones. Either may be nil.
func pairs(before, after []byte) []pair {
	var out []pair
	at := map[string]int{}
	if kindOf(after) == '{' {
		all, _ := members(after)
		for _, m := range all {
			at[m.key] = len(out)
			out = append(out, pair{key: m.key, after: m.raw})
		}
	}
	if kindOf(before) == '{' {
		all, _ := members(before)
		for _, m := range all {
			if i, ok := at[m.key]; ok {
				out[i].before = m.raw
				continue
			}
			out = append(out, pair{key: m.key, before: m.raw})
		}
	}
	return out
}

// decodeOr decodes a JSON string, "" for none.
func decodeOr(raw []byte) (string, error) {
	if raw == nil {
		return "", nil
	}
	if kindOf(raw) != '"' {
		return "", ErrNotJSON
	}
	return decode(raw)
}

// small reports whether a value is short enough for a sentence.
func small(raw []byte) bool {
	return raw != nil && len(raw) <= 60 && kindOf(raw) != '{' && !bytes.ContainsAny(raw, "\r\n")
}

// short writes a small value for a sentence: a string by itself, anything else as JSON.
func short(raw []byte) string {
	if kindOf(raw) == '"' {
		if s, err := decode(raw); err == nil {
			return quote(s)
		}
	}
	return "`" + strings.TrimSpace(string(raw)) + "`"
}

// Change is one difference between two definitions of an item, in words and as data.
type Change struct {
	Path   string    `json:"path"` // "description", "inputSchema.properties.context"; "" is the item itself
	Op     Op        `json:"op" ts_type:"'added' | 'removed' | 'changed'"`
	Words  string    `json:"words"`            // in our words: "added, required: `context` (text)"
	Before string    `json:"before,omitempty"` // server text as it was, not escaped: a decoded text, else JSON in canonical spelling
	After  string    `json:"after,omitempty"`
	Text   []Segment `json:"text,omitempty"` // word-level, for texts
}

// Op is what a change does to what was approved.
type Op string

const (
	Added   Op = "added"
	Removed Op = "removed"
	Changed Op = "changed"
)

// Segment is a run of words that a change kept, deleted or inserted.
type Segment struct {
	Op   SegmentOp `json:"op" ts_type:"'equal' | 'delete' | 'insert'"`
	Text string    `json:"text"` // server text
}

type SegmentOp string

const (
	Kept     SegmentOp = "equal"
	Deleted  SegmentOp = "delete"
	Inserted SegmentOp = "insert"
)
