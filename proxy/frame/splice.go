package frame

import (
	"bytes"
	"slices"
)

// Edit replaces the bytes from Start to End of a line by With; Start == End inserts.
type Edit struct {
	Start, End int
	With       []byte
}

// Splice appends raw to dst with the edits made and everything else byte for byte. It sorts edits in place. An edit that starts inside the
// removal of an earlier one only widens that removal; its own text is dropped.
func Splice(dst, raw []byte, edits []Edit) []byte {
	slices.SortStableFunc(edits, func(a, b Edit) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return a.End - b.End // an insertion goes before a removal at the same place
	})
	at := 0
	for _, e := range edits {
		start, end := clamp(e.Start, len(raw)), clamp(e.End, len(raw))
		if start < at {
			at = max(at, end)
			continue
		}
		dst = append(dst, raw[at:start]...)
		dst = append(dst, e.With...)
		at = max(start, end)
	}
	return append(dst, raw[at:]...)
}

func clamp(offset, size int) int { return max(0, min(offset, size)) }

// cutter turns the children of one container into edits that remove the dropped ones with exactly the commas needed.
type cutter struct {
	edits   []Edit
	kept    bool // a child has been kept
	leading int  // start of the dropped run before the first kept child, -1 if there is none
	end     int  // end of the last child
}

func (c *cutter) child(start, end int, keep bool) {
	switch {
	case keep:
		c.closeLeading(start)
		c.kept = true
	case c.kept:
		// Remove the comma before it too. A run becomes one edit.
		if n := len(c.edits); n > 0 && c.edits[n-1].End == c.end {
			c.edits[n-1].End = end
		} else {
			c.edits = append(c.edits, Edit{Start: c.end, End: end})
		}
	case c.leading < 0:
		c.leading = start
	}
	c.end = end
}

func (c *cutter) closeLeading(at int) {
	if c.leading >= 0 {
		c.edits = append(c.edits, Edit{Start: c.leading, End: at})
		c.leading = -1
	}
}

// finish adds the new children before the container's closing byte at last.
func (c *cutter) finish(last int, added [][]byte) []Edit {
	c.closeLeading(c.end)
	if len(added) > 0 {
		with := bytes.Join(added, []byte(","))
		if c.kept {
			with = append([]byte(","), with...)
		}
		c.edits = append(c.edits, Edit{Start: last, End: last, With: with})
	}
	return c.edits
}

// EditArray keeps the elements that keep accepts (all, if keep is nil) and appends values, each a JSON value. The result is always valid
// JSON. It makes no edits if array is not an array.
func EditArray(raw []byte, array Span, keep func(i int, v Span) bool, add ...[]byte) []Edit {
	if !closedBy(raw, array, '[', ']') {
		return nil
	}
	c := cutter{leading: -1}
	Elements(raw, array, func(i int, v Span) bool {
		c.child(v.Start, v.End, keep == nil || keep(i, v))
		return true
	})
	return c.finish(array.End-1, add)
}

// EditObject keeps the members that keep accepts (all, if keep is nil) and appends members, each written as `"key":value`. It does not
// check for existing keys: the caller does.
func EditObject(raw []byte, object Span, keep func(key string, m Member) bool, add ...[]byte) []Edit {
	if !closedBy(raw, object, '{', '}') {
		return nil
	}
	c := cutter{leading: -1}
	Members(raw, object, func(key string, m Member) bool {
		c.child(m.Key.Start, m.Value.End, keep == nil || keep(key, m))
		return true
	})
	return c.finish(object.End-1, add)
}

func closedBy(raw []byte, v Span, first, last byte) bool {
	return Type(raw, v) == first && v.End-v.Start >= 2 && raw[v.End-1] == last
}

// CutMembers removes the members that drop accepts.
func CutMembers(raw []byte, object Span, drop func(key string, m Member) bool) []Edit {
	return EditObject(raw, object, func(key string, m Member) bool { return !drop(key, m) })
}

// AppendMember adds members, each `"key":value`, at the end of an object.
func AppendMember(raw []byte, object Span, members ...[]byte) []Edit {
	return EditObject(raw, object, nil, members...)
}
