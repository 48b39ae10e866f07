// Package decode finds the ways in which a text can be read: as it is, and with each encoding undone that it may hold (entities, percent
// signs, escapes, base64, hex, hidden characters, look-alike letters…), nested up to a limit.
//
// A View is one such way; each of its bytes knows which bytes of the original it comes from. Others makes the others, Fold normalises one for
// matching, Content reads a file in base64. Makeup and Marks tell in one pass what a text could hold, so that nearly all text is read only
// once. The package judges nothing, and costs a fixed multiple of the text's length.
package decode

import (
	"slices"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

// Limits. A text is read in at most maxViews ways, decoded at most maxChain times in a row, and all its views together hold at most
// viewFactor times its bytes plus viewSlack.
const (
	maxViews   = 12
	maxChain   = 2
	viewFactor = 4
	viewSlack  = 64 << 10
	// maxStretches is how many places a view can tell apart; the rest share one. A stretch takes more memory than the letters it stands
	// for.
	maxStretches = 1 << 20
)

// A view is one way to read a text: as it is, or with an encoding undone. Each byte knows which bytes of the original it comes from, so
// findings have a place there.
type View struct {
	Text  string
	Parts []stretch // sources of text, in order; nil: text is the original
	Chain []string  // the encodings that were undone, outermost first

	marks  marks // what the text holds
	marked bool  // marks is set
	whole  bool  // known to hold no blob
	joined bool  // see Joined
}

func (v *View) Holds() marks {
	if !v.marked {
		if v.marked = true; groups(v.Text) {
			v.whole = true
		} else {
			v.marks = allMarks(v.Text)
		}
	}
	return v.marks
}

// Joined is a view of two texts that follow each other without a blank. Words that stand there so are not taken for glued ones.
func Joined(text string) *View {
	return &View{Text: text, joined: true}
}

// Simple reports whether there is only one way to read a text.
func (v *View) Simple() bool { return v.Holds() == 0 && (v.whole || !hasBlob(v.Text)) }

// stretch is a part of a view, up to where the next begins. All of it stands for original[from:to]; if even is set, byte by byte from
// original[from] on.
type stretch struct {
	at, from, to int32
	even         bool
}

// part is the index of the stretch that holds text[at].
func (v *View) part(at int) int {
	low, high := 0, len(v.Parts)
	for low+1 < high {
		if mid := (low + high) / 2; int(v.Parts[mid].at) <= at {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

// Span is the place in the original of text[start:end].
func (v *View) Span(start, end int) (int, int) {
	if v.Parts == nil || start >= end {
		return start, end
	}
	return v.spanFrom(v.part(start), start, end)
}

// spanFrom is Span where the stretch that holds text[start] is known.
func (v *View) spanFrom(first, start, end int) (int, int) {
	low, high := int32(1<<31-1), int32(0)
	for i := first; i < len(v.Parts) && int(v.Parts[i].at) < end; i++ { // not only the ends: the text may be reversed
		p := v.Parts[i]
		from, to := p.from, p.to
		if p.even {
			from = p.from + max(int32(start)-p.at, 0)
			to = min(p.from+int32(end)-p.at, p.to)
		}
		low, high = min(low, from), max(high, to)
	}
	return int(low), int(high)
}

// Same reports whether text[start:end] is unchanged from the original, where it is found without this view.
func (v *View) Same(start, end int) bool {
	if v.Parts == nil {
		return true
	}
	i := v.part(start)
	return v.Parts[i].even && (i+1 == len(v.Parts) || int(v.Parts[i+1].at) >= end)
}

// Undone is the first place where an encoding was undone: its bytes in the original, and what they stand for. Places with little between
// them are one.
func (v *View) Undone() (start, end int, text string) {
	const near = 32
	first, last := -1, 0 // in text
	for i, p := range v.Parts {
		if p.even {
			continue
		}
		to := len(v.Text)
		if i+1 < len(v.Parts) {
			to = int(v.Parts[i+1].at)
		}
		if first >= 0 && int(p.at) > last+near {
			break
		}
		if first < 0 {
			first = int(p.at)
		}
		last = to
	}
	if first < 0 {
		return 0, 0, ""
	}
	start, end = v.Span(first, last)
	return start, end, v.Text[first:last]
}

// weaver builds a view out of another.
type weaver struct {
	src   *View
	text  []byte
	parts []stretch
	cur   int // the stretch of src at or before the last position
	past  int // for cut: src.text up to here is done
}

func weave(src *View) *weaver {
	return &weaver{src: src, text: make([]byte, 0, len(src.Text))}
}

// leastParts is how many stretches there is room for at first.
const leastParts = 16

// add records the original place of the bytes that come next.
func (w *weaver) add(from, to int32, even bool) {
	if n := len(w.parts); n > 0 && even && w.parts[n-1].even && w.parts[n-1].to == from {
		w.parts[n-1].to = to
		return
	}
	if n := len(w.parts); n == maxStretches {
		last := &w.parts[n-1]
		last.from, last.to, last.even = min(last.from, from), max(last.to, to), false
		return
	} else if n == cap(w.parts) { // what append adds to many is a quarter, so that each would be moved several times
		w.parts = slices.Grow(w.parts, max(n, leastParts))
	}
	w.parts = append(w.parts, stretch{int32(len(w.text)), from, to, even})
}

// keep copies src.text[start:end].
func (w *weaver) keep(start, end int) {
	if start >= end {
		return
	}
	if w.src.Parts == nil {
		w.add(int32(start), int32(end), true)
		w.text = append(w.text, w.src.Text[start:end]...)
		return
	}
	for at := start; at < end; {
		i := w.seek(at)
		stop := end
		if i+1 < len(w.src.Parts) {
			stop = min(stop, int(w.src.Parts[i+1].at))
		}
		p := w.src.Parts[i]
		if p.even {
			w.add(p.from+int32(at)-p.at, p.from+int32(stop)-p.at, true)
		} else {
			w.add(p.from, p.to, false)
		}
		w.text = append(w.text, w.src.Text[at:stop]...)
		at = stop
	}
}

// seek is src.part for positions that mostly grow.
func (w *weaver) seek(at int) int {
	parts := w.src.Parts
	if int(parts[w.cur].at) > at || w.cur+8 < len(parts) && int(parts[w.cur+8].at) <= at {
		w.cur = w.src.part(at)
	}
	for w.cur+1 < len(parts) && int(parts[w.cur+1].at) <= at {
		w.cur++
	}
	return w.cur
}

// put writes s in place of src.text[start:end].
func (w *weaver) put(s string, start, end int) {
	if s == "" {
		return
	}
	low, high := start, end
	if w.src.Parts != nil && start < end {
		low, high = w.src.spanFrom(w.seek(start), start, end)
	}
	if n := len(w.parts); n == 0 || w.parts[n-1].even || w.parts[n-1].from != int32(low) || w.parts[n-1].to != int32(high) {
		w.add(int32(low), int32(high), false)
	}
	w.text = append(w.text, s...)
}

// cut copies src.text from the last cut up to start and leaves out what follows, up to end. It allocates nothing before the first cut.
func (w *weaver) cut(start, end int) {
	if w.text == nil {
		w.text = make([]byte, 0, len(w.src.Text))
	}
	w.keep(w.past, start)
	w.past = end
}

// replace cuts src.text[start:end] out and writes s in its place.
func (w *weaver) replace(s string, start, end int) {
	w.cut(start, end)
	w.put(s, start, end)
}

// rest is the view with what follows the last cut, nil if nothing was cut.
func (w *weaver) rest(encoding string) *View {
	if w.past == 0 {
		return nil
	}
	w.keep(w.past, len(w.src.Text))
	return w.view(encoding)
}

func (w *weaver) view(encoding string) *View {
	v := &View{Text: string(w.text), Parts: w.parts, Chain: w.src.Chain}
	if v.Parts == nil {
		v.Parts = []stretch{}
	}
	if encoding != "" {
		v.Chain = append(slices.Clip(w.src.Chain), encoding)
	}
	return v
}

// Others are the ways to read a text besides the text itself: none for nearly all texts.
func Others(text *View) (all []*View, whole bool) {
	most := len(text.Chain) + maxChain
	room := viewFactor*len(text.Text) + viewSlack
	for src, at := text, 0; ; at++ {
		if len(src.Chain) < most {
			holds := src.Holds()
			row := NextRun(src.Text, 0, MinBlob, &Base64Letters) < len(src.Text)
			for i := range decoders {
				d := &decoders[i]
				if d.needs != 0 && holds&d.needs == 0 || d.row && !row {
					continue
				}
				if len(src.Chain) > 0 && src.Chain[len(src.Chain)-1] == d.name && !d.again {
					continue
				}
				v := d.decode(src)
				if v == nil {
					continue
				}
				if len(all) == maxViews-1 || room < len(v.Text) {
					return all, false
				}
				room -= len(v.Text)
				all = append(all, v)
			}
		}
		if at == len(all) {
			return all, true
		}
		src = all[at]
	}
}

// Fold normalises a view for the rules: without escaped white space, invisible characters, compatibility forms and accents, and with Latin
// letters for look-alikes in words of another script. The matcher handles case and kinds of white space.
func Fold(v *View) *View {
	if v.Holds()&Wide == 0 {
		if v.Holds()&markSlash == 0 {
			return v
		}
		return &View{Text: FoldASCII(v.Text), Parts: v.Parts, Chain: v.Chain}
	}
	w := weave(v)
	var seen [3]bool
	for i := 0; i < len(v.Text); {
		j := i
		for j < len(v.Text) && v.Text[j] < utf8.RuneSelf {
			j++
		}
		if j < len(v.Text) { // its word may be written in two scripts
			for j > i && wordByte(v.Text[j-1]) {
				j--
			}
		}
		if j > i {
			w.keep(i, j)
			i = j
			continue
		}
		i = w.word(i, &seen)
	}
	folded := w.view("")
	if strings.IndexByte(folded.Text, '\\') >= 0 {
		folded.Text = FoldASCII(folded.Text)
	}
	for i, name := range [...]string{InvisibleEncoding, CompatibilityEncoding, LookalikeEncoding} {
		if seen[i] {
			folded.Chain = append(slices.Clip(folded.Chain), name)
		}
	}
	return folded
}

// bytesOf are the bytes of a string; don't write to them.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// Names of what folding undoes, in findings.
const (
	InvisibleEncoding     = "invisible_characters"
	CompatibilityEncoding = "compatibility_forms"
	LookalikeEncoding     = "look_alike_letters"
)

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// IsWord reports whether a byte is part of a word, in ASCII.
func IsWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

// FoldByte is a byte as the matcher reads it: lower case, one kind of white space.
func FoldByte(c byte) byte {
	switch {
	case c >= 'A' && c <= 'Z':
		return c + 'a' - 'A'
	case c < 0x20 || c == 0x7f:
		return ' '
	}
	return c
}

// FoldASCII keeps the length. The escapes \n, \r and \t of JSON inside a text count as white space too.
func FoldASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		b[i] = FoldByte(c)
	}
	for i := next(s, 0, '\\'); i+1 < len(s); i = next(s, i+2, '\\') {
		switch s[i+1] {
		case 'n', 'r', 't':
			b[i], b[i+1] = ' ', ' '
		case '"', '\'':
			b[i] = ' '
		}
	}
	return string(b)
}

// next is the place of the next c at from or after it, len(s) if there is none.
func next(s string, from int, c byte) int {
	if at := strings.IndexByte(s[from:], c); at >= 0 {
		return from + at
	}
	return len(s)
}

// word folds one word, or one character outside a word, and returns where the next begins.
func (w *weaver) word(start int, seen *[3]bool) int {
	text := w.src.Text
	end := start
	latin, mapped, others := false, 0, 0
	for end < len(text) {
		c, size := text[end], 1
		if c < utf8.RuneSelf && legible.ClassOf(rune(c)) == legible.Ordinary {
			if !wordByte(c) {
				if end == start {
					end++
				}
				break
			}
			latin = true
			end++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[end:])
		f := formOf(r)
		if f.is&formWord == 0 {
			if end == start {
				end += size
			}
			break
		}
		switch {
		case f.is&formHidden != 0:
		case f.alike != 0:
			mapped++
		case f.is&formLatin != 0:
			latin = true
		case f.is&formLetter != 0:
			others++
		}
		end += size
	}
	take := mapped > 0 && (latin || others == 0)
	for i := start; i < end; {
		if text[i] < utf8.RuneSelf && legible.ClassOf(rune(text[i])) == legible.Ordinary {
			j := i + 1
			for j < end && text[j] < utf8.RuneSelf && legible.ClassOf(rune(text[j])) == legible.Ordinary {
				j++
			}
			w.keep(i, j)
			i = j
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		f := formOf(r)
		switch {
		case f.is&formHidden != 0:
			if r == '\r' {
				w.keep(i, i+size)
			} else {
				seen[seenInvisible] = true
			}
		case take && f.alike != 0:
			seen[seenAlike] = true
			w.put(string(f.alike), i, i+size)
		case f.to == text[i:i+size]:
			w.keep(i, i+size)
		default:
			seen[seenCompatible] = seen[seenCompatible] || f.is&formCompatible != 0
			w.put(f.to, i, i+size)
		}
		i += size
	}
	return end
}

// What folding undid.
const (
	seenInvisible = iota
	seenCompatible
	seenAlike
)
