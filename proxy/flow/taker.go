package flow

import (
	"strings"

	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/inspect/decode"
)

const (
	// MaxValues is how many values of one response are told.
	MaxValues = 16_384
	// maxField is the longest field that counts as a whole, in bytes.
	maxField = 64
	// maxInner is how often JSON inside a string is read as JSON.
	maxInner = 3
	// fieldWords is how many words a field has at most.
	fieldWords = 6
	// maxDestination is the longest destination, in bytes: no mail address (RFC 5321, 4.5.3.1.3) or account is longer, and hardly a URL.
	maxDestination = 2048
)

// Response passes the values of a server's text: raw is any JSON value of a message that passed frame.Scan. A text is read in every way in which
// decode reads it.
func Response(raw []byte, take func(v Value)) {
	t := taker{take: take}
	t.json(raw, 0)
}

// Heard passes the values of a text that is read by somebody else, as inspect.Fields or inspect.Terms pass it: field by field.
func Heard(take func(v Value)) func(f inspect.Field) {
	t := &taker{take: take}
	return func(f inspect.Field) { t.field(f, 0) }
}

// Argument is a string or a number of a call's arguments, with the values in it.
type Argument struct {
	Member string // nearest member around it
	At     string // JSON Pointer (RFC 6901)
	Whole  string // folded, however long
	Values []Value
}

// Arguments are those of a call: raw must have passed frame.Scan.
func Arguments(raw []byte) (all []Argument) {
	inspect.Fields(raw, func(f inspect.Field) {
		if f.Key {
			return
		}
		text := strings.Clone(f.Text)
		a := Argument{Member: strings.Clone(f.Member), At: f.Pointer(), Whole: whole(text)}
		t := taker{take: func(v Value) {
			v.Text = strings.Clone(v.Text)
			a.Values = append(a.Values, v)
		}}
		if f.Number {
			t.give(Value{Kind: Whole, Member: a.Member, Text: a.Whole})
		} else {
			t.text(text, a.Member, nil)
		}
		all = append(all, a)
	})
	return all
}

// taker passes values on.
type taker struct {
	take func(v Value)
	view decode.View // of the text that is read
}

func (t *taker) json(raw []byte, inner int) {
	inspect.Fields(raw, func(f inspect.Field) { t.field(f, inner) })
}

func (t *taker) field(f inspect.Field, inner int) {
	switch {
	case f.Key:
		if len(f.Text) > inspect.LongKey { // names of members are words; a longer one may be text
			t.views(f.Text, "", true, f.Ways())
		}
	case f.Number:
		t.give(Value{Kind: Whole, Member: f.Member, Text: f.Text})
	case inner < maxInner && holdsJSON(f.Text):
		t.json([]byte(f.Text), inner+1)
	default:
		t.text(f.Text, f.Member, f.Ways())
	}
}

func (t *taker) give(v Value) {
	if v.Text != "" {
		t.take(v)
	}
}

// text takes the values of a field. ways are the ways to read it, nil if they are not known.
func (t *taker) text(text, member string, ways []string) {
	if len(text) < decode.MinBlob {
		if bits := bitsOf(text); bits&^(isLower|isUpper) == 0 { // one word, such as a state or a unit, that can be read in one way
			if bits&isUpper != 0 {
				text = strings.ToLower(text)
			}
			t.give(Value{Kind: Whole, Member: member, Text: text})
			return
		}
	}
	if len(text) >= leastFile && strings.IndexByte(text, ' ') < 0 {
		if v, is := decode.Content(text); is { // a file in base64
			if v != nil {
				t.views(v.Text, member, true, nil)
			}
			return
		}
	}
	if text != "" {
		t.views(text, member, isProse(text), ways)
	}
}

// leastFile is the shortest text that is tried as a file in base64.
const leastFile = 256

// views takes the values of a text in each way to read it.
func (t *taker) views(text, member string, prose bool, ways []string) {
	if len(ways) > 0 {
		for i, way := range ways {
			t.read(way, member, prose || i > 0 && isProse(way))
		}
		return
	}
	t.view = decode.View{Text: text}
	if t.view.Simple() {
		t.read(text, member, prose)
		return
	}
	view := t.view // views of it are kept
	others, _ := decode.Others(&view)
	t.read(decode.Fold(&view).Text, member, prose)
	for _, other := range others {
		for _, near := range other.Near() {
			folded := decode.Fold(near).Text
			t.read(folded, member, prose || isProse(folded))
		}
	}
}

func (t *taker) read(text, member string, prose bool) {
	if !prose && len(text) <= maxField {
		t.give(Value{Kind: Whole, Member: member, Text: whole(text)})
	}
	if !prose && len(text) < KeyLeast && bitsOf(text)&(inAddress|isDigit|isPlus|isBreak) == 0 { // words, as most fields are
		return
	}
	s := scanner{taker: t, text: text, prose: prose, member: member}
	if prose {
		s.member = ""
	}
	s.scan()
}

// isProse reports whether a string is running text.
func isProse(text string) bool {
	text = strings.TrimSpace(text)
	words, in := 0, false
	for i := range len(text) {
		switch c := text[i]; {
		case c == '\n' || c == '\r':
			return true
		case c <= ' ':
			in = false
		case !in:
			if in, words = true, words+1; words > fieldWords {
				return true
			}
		}
	}
	return false
}

// holdsJSON reports whether a string is one JSON object or array.
func holdsJSON(text string) bool {
	if text == "" || text[0] > ' ' && text[0] != '{' && text[0] != '[' { // nearly all
		return false
	}
	text = strings.TrimSpace(text)
	if len(text) < 2 {
		return false
	}
	if first, last := text[0], text[len(text)-1]; first == '{' && last == '}' || first == '[' && last == ']' {
		return inspect.ValidJSON(text)
	}
	return false
}

// whole is a field as it is compared: folded, in lower case, with one blank for any white space. Destinations have their own form.
func whole(text string) string {
	bits, blanks := uint16(0), false
	for i := range len(text) {
		c := text[i]
		bits |= bytesAre[c]
		blanks = blanks || c < ' ' || c == ' ' && i > 0 && text[i-1] == ' '
	}
	if bits&isHigh != 0 || blanks {
		text = decode.Fold(&decode.View{Text: text}).Text
		bits = bitsOf(text)
	}
	text = strings.TrimSpace(text)
	if len(text) > 1 && text[0] == '#' && text[1] > ' ' { // as before a name in prose
		text = text[1:]
	}
	if bits&inAddress != 0 {
		if kind, form := destination(text); kind.Destination() {
			return form
		}
	}
	if bits&(isUpper|isHigh) != 0 {
		text = strings.ToLower(text)
	}
	if blanks && (strings.Contains(text, "  ") || strings.ContainsAny(text, "\t\n\r")) {
		text = strings.Join(strings.Fields(text), " ")
	}
	return text
}
