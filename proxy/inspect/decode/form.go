package decode

import (
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"golang.org/x/text/unicode/norm"
)

// form is the folding of a character.
type form struct {
	is    uint8
	alike rune   // the Latin letter it looks like
	to    string // its compatibility decomposition, without accents, in lower case
}

// What a character can be in a word.
const (
	formWord       = 1 << iota // part of a word
	formHidden                 // invisible
	formLatin                  // of Latin script, or one of its compatible forms
	formLetter                 // a letter of another script
	formCompatible             // a letter form in which whole sentences can be written
)

const formBlock = 128

// forms are filled block by block on first use, because asking Unicode's tables for each character of an accented text would be slow.
var forms [0x20000 / formBlock]atomic.Pointer[[formBlock]form]

func formOf(r rune) form {
	if r < 0 || r > 0x1ffff {
		return makeForm(r)
	}
	block := forms[r/formBlock].Load()
	if block == nil {
		block = new([formBlock]form)
		first := r / formBlock * formBlock
		for i := range block {
			block[i] = makeForm(first + rune(i))
		}
		forms[r/formBlock].Store(block)
	}
	return block[r%formBlock]
}

func makeForm(r rune) form {
	if legible.ClassOf(r) != legible.Ordinary {
		return form{is: formHidden | formWord}
	}
	f := form{to: string(r), alike: legible.Lookalikes()[r]}
	if unicode.IsLetter(r) || unicode.IsMark(r) || compatible(r) {
		f.is |= formWord
	}
	if unicode.IsLetter(r) {
		f.is |= formLetter
	}
	if unicode.Is(unicode.Latin, r) || compatible(r) {
		f.is |= formLatin
	}
	if !utf8.ValidRune(r) || r == utf8.RuneError {
		return f
	}
	parts := norm.NFKD.PropertiesString(f.to).Decomposition()
	if parts == nil {
		if unicode.Is(unicode.Mn, r) {
			f.to = ""
		} else {
			f.to = strings.ToLower(f.to)
		}
		return f
	}
	if compatible(r) {
		f.is |= formCompatible
	}
	var b strings.Builder
	for _, p := range string(parts) {
		if !unicode.Is(unicode.Mn, p) {
			b.WriteRune(unicode.ToLower(p))
		}
	}
	f.to = b.String()
	return f
}

// compatible are letter forms in which whole sentences can be written: mathematical and enclosed alphanumerics, fullwidth and small forms,
// letterlike symbols.
func compatible(r rune) bool {
	return r >= 0x1d400 && r <= 0x1d7ff || r >= 0x1f100 && r <= 0x1f18f || r >= 0x2460 && r <= 0x24ff || r >= 0xff01 && r <= 0xff5e ||
		r >= 0x2100 && r <= 0x214f
}

// TakenFor is the text a reader takes a character for.
func TakenFor(r rune) string {
	if r < utf8.RuneSelf {
		return string(r)
	}
	f := formOf(r)
	if f.alike != 0 {
		return string(f.alike)
	}
	return f.to
}
