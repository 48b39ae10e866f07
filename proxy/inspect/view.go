package inspect

import (
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

// Bounds of looking. A text is read in at most maxViews ways, decoded at most maxChain times one after the other, and all
// its views together hold at most viewFactor times its bytes and viewSlack more.
const (
	maxViews   = 12
	maxChain   = 2
	viewFactor = 4
	viewSlack  = 64 << 10
	// maxStretches is how many places a view knows apart: what comes after them has one together. They are larger than the letters
	// they stand for.
	maxStretches = 1 << 20
)

// A view is one way to read a text: as it stands, or with an encoding undone. Each of its bytes knows which bytes of the
// original it stands for, so what is found in it has a place there.
type view struct {
	text  string
	parts []stretch // where text comes from, in order of text; nil: text is the original
	chain []string  // the encodings that were undone, outermost first

	marks  marks // what the text holds,
	marked bool  // if somebody has looked
	whole  bool  // it is known that it holds no blob
}

func (v *view) holds() marks {
	if !v.marked {
		v.marks, v.marked = marksOf(v.text), true
	}
	return v.marks
}

// simple says that there is one way to read a text.
func (v *view) simple() bool { return v.holds() == 0 && (v.whole || !hasBlob(v.text)) }

// stretch is a part of a view, up to where the next begins. All of it stands for original[from:to], or where it is even, its
// first byte for original[from], its second for the one after, and so on.
type stretch struct {
	at, from, to int32
	even         bool
}

// part is the index of the stretch that holds text[at].
func (v *view) part(at int) int {
	low, high := 0, len(v.parts)
	for low+1 < high {
		if mid := (low + high) / 2; int(v.parts[mid].at) <= at {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

// span is the place in the original of what stands at text[start:end].
func (v *view) span(start, end int) (int, int) {
	if v.parts == nil || start >= end {
		return start, end
	}
	low, high := int32(1<<31-1), int32(0)
	for i := v.part(start); i < len(v.parts) && int(v.parts[i].at) < end; i++ { // not the ends alone: a text may be turned around
		p := v.parts[i]
		from, to := p.from, p.to
		if p.even {
			from = p.from + max(int32(start)-p.at, 0)
			to = min(p.from+int32(end)-p.at, p.to)
		}
		low, high = min(low, from), max(high, to)
	}
	return int(low), int(high)
}

// same says that text[start:end] stands in the original as it is: it is found without this view.
func (v *view) same(start, end int) bool {
	if v.parts == nil {
		return true
	}
	i := v.part(start)
	return v.parts[i].even && (i+1 == len(v.parts) || int(v.parts[i+1].at) >= end)
}

// weaver makes a view out of another.
type weaver struct {
	src   *view
	text  []byte
	parts []stretch
	cur   int // a stretch of src at or before the last that was taken
}

func weave(src *view) *weaver {
	return &weaver{src: src, text: make([]byte, 0, len(src.text))}
}

// add notes where the bytes that come next stand in the original.
func (w *weaver) add(from, to int32, even bool) {
	if n := len(w.parts); n > 0 && even && w.parts[n-1].even && w.parts[n-1].to == from {
		w.parts[n-1].to = to
		return
	}
	if n := len(w.parts); n == maxStretches {
		last := &w.parts[n-1]
		last.from, last.to, last.even = min(last.from, from), max(last.to, to), false
		return
	}
	w.parts = append(w.parts, stretch{int32(len(w.text)), from, to, even})
}

// keep takes src.text[start:end] as it is.
func (w *weaver) keep(start, end int) {
	if start >= end {
		return
	}
	if w.src.parts == nil {
		w.add(int32(start), int32(end), true)
		w.text = append(w.text, w.src.text[start:end]...)
		return
	}
	for at := start; at < end; {
		i := w.seek(at)
		stop := end
		if i+1 < len(w.src.parts) {
			stop = min(stop, int(w.src.parts[i+1].at))
		}
		p := w.src.parts[i]
		if p.even {
			w.add(p.from+int32(at)-p.at, p.from+int32(stop)-p.at, true)
		} else {
			w.add(p.from, p.to, false)
		}
		w.text = append(w.text, w.src.text[at:stop]...)
		at = stop
	}
}

// seek is src.part for places that mostly grow.
func (w *weaver) seek(at int) int {
	parts := w.src.parts
	if int(parts[w.cur].at) > at || w.cur+8 < len(parts) && int(parts[w.cur+8].at) <= at {
		w.cur = w.src.part(at)
	}
	for w.cur+1 < len(parts) && int(parts[w.cur+1].at) <= at {
		w.cur++
	}
	return w.cur
}

// put writes s for src.text[start:end].
func (w *weaver) put(s string, start, end int) {
	if s == "" {
		return
	}
	low, high := w.src.span(start, end)
	if n := len(w.parts); n == 0 || w.parts[n-1].even || w.parts[n-1].from != int32(low) || w.parts[n-1].to != int32(high) {
		w.add(int32(low), int32(high), false)
	}
	w.text = append(w.text, s...)
}

func (w *weaver) view(encoding string) *view {
	v := &view{text: string(w.text), parts: w.parts, chain: w.src.chain}
	if v.parts == nil {
		v.parts = []stretch{}
	}
	if encoding != "" {
		v.chain = append(append([]string(nil), w.src.chain...), encoding)
	}
	return v
}

// views are the ways to read a text that differ from each other. The first is the text itself.
func views(text *view) (all []*view, whole bool) {
	whole = true
	all = []*view{text}
	most := len(text.chain) + maxChain
	room := viewFactor*len(text.text) + viewSlack
	for next := 0; next < len(all); next++ {
		src := all[next]
		if len(src.chain) >= most {
			continue
		}
		holds := src.holds()
		for _, d := range decoders {
			if d.needs != 0 && holds&d.needs == 0 {
				continue
			}
			if len(src.chain) > 0 && src.chain[len(src.chain)-1] == d.name && !d.again {
				continue
			}
			v := d.decode(src)
			if v == nil {
				continue
			}
			if len(all) == maxViews || room < len(v.text) {
				return all, false
			}
			room -= len(v.text)
			all = append(all, v)
		}
	}
	return all, whole
}

// fold is a view with what makes no difference to a reader taken out: escaped white space, invisible characters, compatibility
// forms, accents, and letters that look like Latin ones in words that are not of their script. Case and the kinds of white space
// are the matcher's. Nothing but rules reads it.
func fold(v *view) *view {
	if v.holds()&markWide == 0 {
		if v.holds()&markSlash == 0 {
			return v
		}
		return &view{text: foldASCII(v.text), parts: v.parts, chain: v.chain}
	}
	w := weave(v)
	var seen [3]bool
	for i := 0; i < len(v.text); {
		j := i
		for j < len(v.text) && v.text[j] < utf8.RuneSelf {
			j++
		}
		if j < len(v.text) { // its word may be written in two scripts
			for j > i && wordByte(v.text[j-1]) {
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
	if strings.IndexByte(folded.text, '\\') >= 0 {
		folded.text = foldASCII(folded.text)
	}
	for i, name := range [...]string{invisibleEncoding, compatibilityEncoding, lookalikeEncoding} {
		if seen[i] {
			folded.chain = append(append([]string(nil), folded.chain...), name)
		}
	}
	return folded
}

// bytesOf are the bytes of a string, which nobody writes to.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// Names of what folding undoes, as findings name it.
const (
	invisibleEncoding     = "invisible_characters"
	compatibilityEncoding = "compatibility_forms"
	lookalikeEncoding     = "look_alike_letters"
)

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// foldByte is a byte as the matcher reads it: lower case, one kind of white space.
func foldByte(c byte) byte {
	switch {
	case c >= 'A' && c <= 'Z':
		return c + 'a' - 'A'
	case c < 0x20 || c == 0x7f:
		return ' '
	}
	return c
}

// foldASCII keeps the length. The escapes \n, \r and \t of a JSON text inside a text are white space too.
func foldASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		b[i] = foldByte(c)
	}
	for i := strings.IndexByte(s, '\\'); i >= 0 && i+1 < len(s); {
		switch s[i+1] {
		case 'n', 'r', 't':
			b[i], b[i+1] = ' ', ' '
		case '"', '\'':
			b[i] = ' '
		}
		next := strings.IndexByte(s[i+2:], '\\')
		if next < 0 {
			break
		}
		i += 2 + next
	}
	return string(b)
}

// word folds one word, or one character that belongs to none, and says where the next begins.
func (w *weaver) word(start int, seen *[3]bool) int {
	text := w.src.text
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
