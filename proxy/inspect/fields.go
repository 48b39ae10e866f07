package inspect

import (
	"strconv"
	"strings"
	"unsafe"

	"github.com/sallyport/sallyport/proxy/frame"
)

// Pointer is where the value is (JSON Pointer, RFC 6901).
func (f Field) Pointer() string {
	var b strings.Builder
	for _, c := range f.in.stack {
		b.WriteByte('/')
		if c.array {
			b.WriteString(strconv.Itoa(c.index))
		} else if c.to > 0 {
			b.WriteString(pointerEscapes.Replace(f.in.text(c.from, c.to)))
		}
	}
	return b.String()
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// Fields passes every string, number and key of raw, in order. raw must have passed frame.Validate or frame.Scan. Texts are only valid until take
// returns. whole is false if the value nests too deeply to be read to its end.
func Fields(raw []byte, take func(f Field)) (whole bool) {
	r := reading{}
	r.number = func(literal string) { take(Field{Member: r.member(), Text: literal, Number: true, in: &r}) }
	return r.strings(raw, fieldReader(take))
}

type fieldReader func(f Field)

func (take fieldReader) read(r *reading, text string, key bool) {
	if key {
		take(Field{Text: text, Key: true, in: r})
		return
	}
	take(Field{Member: r.member(), Text: text, in: r})
}

// ValidJSON reports whether a text is one JSON value that only reads in one way.
func ValidJSON(text string) bool {
	return frame.Validate(unsafe.Slice(unsafe.StringData(text), len(text))) == nil
}
