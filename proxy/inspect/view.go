package inspect

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Bounds of looking. A text is read in at most maxViews ways, decoded at most maxChain times one after the other, and all
// its views together hold at most viewFactor times its bytes and viewSlack more.
const (
	maxViews   = 12
	maxChain   = 2
	viewFactor = 4
	viewSlack  = 64 << 10
)

// A view is one way to read a text: as it stands, or with an encoding undone. Each of its bytes knows which bytes of the
// original it stands for, so what is found in it has a place there.
type view struct {
	text  string
	from  []int32 // text[i] stands for original[from[i]:to[i]]; nil: for original[i]
	to    []int32
	chain []string // the encodings that were undone, outermost first
}

// span is the place in the original of what stands at text[start:end].
func (v *view) span(start, end int) (int, int) {
	if v.from == nil || start >= end {
		return start, end
	}
	low, high := v.from[start], v.to[start]
	for i := start + 1; i < end; i++ { // not its ends alone: a text may be turned around
		low, high = min(low, v.from[i]), max(high, v.to[i])
	}
	return int(low), int(high)
}

// weaver makes a view out of another.
type weaver struct {
	src  *view
	text []byte
	from []int32
	to   []int32
}

func weave(src *view) *weaver {
	n := len(src.text)
	return &weaver{src: src, text: make([]byte, 0, n), from: make([]int32, 0, n), to: make([]int32, 0, n)}
}

// keep takes src.text[start:end] as it is.
func (w *weaver) keep(start, end int) {
	w.text = append(w.text, w.src.text[start:end]...)
	if w.src.from != nil {
		w.from = append(w.from, w.src.from[start:end]...)
		w.to = append(w.to, w.src.to[start:end]...)
		return
	}
	for i := start; i < end; i++ {
		w.from, w.to = append(w.from, int32(i)), append(w.to, int32(i+1))
	}
}

// put writes s for src.text[start:end].
func (w *weaver) put(s string, start, end int) {
	low, high := w.src.span(start, end)
	for range len(s) {
		w.from, w.to = append(w.from, int32(low)), append(w.to, int32(high))
	}
	w.text = append(w.text, s...)
}

func (w *weaver) view(encoding string) *view {
	v := &view{text: string(w.text), from: w.from, to: w.to, chain: w.src.chain}
	if encoding != "" {
		v.chain = append(append([]string(nil), w.src.chain...), encoding)
	}
	return v
}

// views are the ways to read text that differ from each other. The first is the text itself.
func views(text string) (all []*view, whole bool) {
	whole = true
	all = []*view{{text: text}}
	room := viewFactor*len(text) + viewSlack
	for next := 0; next < len(all); next++ {
		src := all[next]
		if len(src.chain) >= maxChain {
			continue
		}
		for _, d := range decoders {
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

// fold is a view with what makes no difference to a reader taken out: case, kinds of white space, invisible characters,
// compatibility forms, accents, and letters that look like Latin ones in words that are not of their script. Nothing but
// rules reads it.
func fold(v *view) *view {
	plainASCII := true
	for i := 0; i < len(v.text); i++ {
		if v.text[i] >= utf8.RuneSelf {
			plainASCII = false
			break
		}
	}
	if plainASCII {
		return &view{text: foldASCII(v.text), from: v.from, to: v.to, chain: v.chain}
	}
	w := weave(v)
	seen := map[string]bool{}
	for i := 0; i < len(v.text); {
		if v.text[i] < utf8.RuneSelf {
			j := i
			for j < len(v.text) && v.text[j] < utf8.RuneSelf && !wordByte(v.text[j]) {
				j++
			}
			if j > i {
				w.keep(i, j)
				i = j
				continue
			}
		}
		i = w.word(i, seen)
	}
	folded := w.view("")
	folded.text = foldASCII(folded.text)
	for _, name := range []string{invisibleEncoding, compatibilityEncoding, lookalikeEncoding} {
		if seen[name] {
			folded.chain = append(append([]string(nil), folded.chain...), name)
		}
	}
	return folded
}

// Names of what folding undoes, as findings name it.
const (
	invisibleEncoding     = "invisible_characters"
	compatibilityEncoding = "compatibility_forms"
	lookalikeEncoding     = "look_alike_letters"
)

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

var foldTable = func() (t [256]byte) {
	for i := range t {
		t[i] = byte(i)
	}
	for c := 'A'; c <= 'Z'; c++ {
		t[c] = byte(c) + 'a' - 'A'
	}
	for c := range 0x20 {
		t[c] = ' '
	}
	t[0x7f] = ' '
	return t
}()

// foldASCII keeps the length. The escapes \n, \r and \t of a JSON text inside a text are white space too.
func foldASCII(s string) string {
	b := make([]byte, len(s))
	for i := 0; i < len(s); i++ {
		b[i] = foldTable[s[i]]
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
func (w *weaver) word(start int, seen map[string]bool) int {
	text := w.src.text
	end := start
	alike := lookalikes()
	latin, mapped, others := false, 0, 0
	for end < len(text) {
		r, size := utf8.DecodeRuneInString(text[end:])
		hidden := classOf(r) != plain
		if !hidden && !unicode.IsLetter(r) && !unicode.IsMark(r) && !compatible(r) {
			if end == start {
				end += size
			}
			break
		}
		switch {
		case hidden:
		case r < utf8.RuneSelf:
			latin = true
		case alike[r] != 0:
			mapped++
		case unicode.Is(unicode.Latin, r) || compatible(r):
			latin = true
		case unicode.IsLetter(r):
			others++
		}
		end += size
	}
	take := mapped > 0 && (latin || others == 0)
	for i := start; i < end; {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r < utf8.RuneSelf && classOf(r) == plain:
			w.keep(i, i+size)
		case classOf(r) != plain:
			if r != '\n' && r != '\t' && r != '\r' {
				seen[invisibleEncoding] = true
			} else {
				w.keep(i, i+size)
			}
		case take && alike[r] != 0:
			seen[lookalikeEncoding] = true
			w.put(string(alike[r]), i, i+size)
		default:
			w.put(w.simple(text[i:i+size], r, seen), i, i+size)
		}
		i += size
	}
	return end
}

// simple is the compatibility decomposition of a character without its accents.
func (w *weaver) simple(s string, r rune, seen map[string]bool) string {
	parts := norm.NFKD.PropertiesString(s).Decomposition()
	if parts == nil {
		if unicode.Is(unicode.Mn, r) {
			return ""
		}
		return strings.ToLower(s)
	}
	if compatible(r) {
		seen[compatibilityEncoding] = true
	}
	var b strings.Builder
	for _, p := range string(parts) {
		if !unicode.Is(unicode.Mn, p) {
			b.WriteRune(unicode.ToLower(p))
		}
	}
	return b.String()
}

// compatible are the forms by which whole sentences are written in other letters: mathematical and enclosed alphanumerics,
// fullwidth and small forms, letterlike symbols.
func compatible(r rune) bool {
	return r >= 0x1d400 && r <= 0x1d7ff || r >= 0x1f100 && r <= 0x1f18f || r >= 0x2460 && r <= 0x24ff || r >= 0xff01 && r <= 0xff5e ||
		r >= 0x2100 && r <= 0x214f
}
