// Package sanitize changes what a server sends before the client sees it, and decides nothing: which mode holds is a
// setting of the person.
//
// Redact puts marks in the place of secrets (redact.mode), before anything else is changed. Line and Value take terminal escape sequences and control characters out of the strings of JSON (setting sanitizer.ansi),
// or make them letters. They work on the bytes as they are written: a text without any comes back as the same slice, and of
// any other text only the bytes concerned change. What comes back is valid JSON, has no control characters in any string,
// and has no two keys that are equal, or equal under case folding, in an object that had none before.
package sanitize

import (
	"bytes"
	"errors"
	"unicode/utf8"

	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

// The modes of sanitizer.ansi. Any other word is Visible: what is not understood is no reason to let anything through.
const (
	Visible = "visible" // control characters become their names: ESC, BEL, CSI
	Strip   = "strip"   // whole sequences go, parameters and payload too
	Off     = "off"
)

// ErrKeys: the names of members hold so many control characters that keeping the names apart would cost more than such a
// message is worth. No honest server sends it; it is to be refused.
var ErrKeys = errors.New("control characters in too many names")

// maxKeys is how many names of members may hold control characters, or secrets, in one message.
const maxKeys = 1024

// Line cleans one JSON-RPC message that passed frame.Scan. jsonrpc, id and method of the message are left as they are: a
// different id answers nobody. changed counts the characters that became names, or the sequences that went.
func Line(line []byte, mode string) (out []byte, changed int, err error) {
	return clean(line, mode, true)
}

// Value cleans one JSON value that passed frame.Scan or frame.Validate.
func Value(raw []byte, mode string) (out []byte, changed int, err error) {
	return clean(raw, mode, false)
}

// Holds says whether a text, decoded, has a control character in it.
func Holds[Text string | []byte](text Text) bool {
	for i, r := range string(text) {
		if control(r) && !(r == '\r' && i+1 < len(text) && text[i+1] == '\n') {
			return true
		}
	}
	return false
}

func clean(raw []byte, mode string, envelope bool) ([]byte, int, error) {
	if mode == Off || !holdsAny(raw) {
		return raw, 0, nil
	}
	w := writer{raw: raw, strip: mode == Strip}
	if err := w.walk(envelope); err != nil {
		return raw, 0, err
	}
	if w.changed == 0 {
		return raw, 0, nil
	}
	return append(w.out, raw[w.copied:]...), w.changed, nil
}

// holdsAny says whether any string of a JSON text has a control character. Nearly none has: without an escape, a DEL or a 0xC2
// the search is what the machine does best, and with them one pass. Outside of strings JSON has none of the three, so that
// the whole text can be read as if it were one string.
func holdsAny(raw []byte) bool {
	first := len(raw)
	for _, c := range [...]byte{'\\', 0x7f, 0xc2} {
		if i := bytes.IndexByte(raw[:first], c); i >= 0 {
			first = i
		}
	}
	return holds(raw[first:])
}

// writer copies raw to out with what has to change changed. Until the first change nothing is copied.
type writer struct {
	raw     []byte
	strip   bool
	out     []byte
	copied  int // raw up to here is in out
	changed int

	names map[int]string // what keys with control characters become, by where their content begins
	ahead []byte         // a sequence decoded, for its recogniser
	ends  []int          // where each character of ahead ends in raw, counted in bytes of ahead
}

// replace writes with in the place of raw[start:end].
func (w *writer) replace(start, end int, with string) {
	w.out = append(append(w.out, w.raw[w.copied:start]...), with...)
	w.copied = end
	w.changed++
}

// walk visits every string. Keys that have to change need to know all keys of their object, which is a pass of its own that
// ordinary messages do not pay.
func (w *writer) walk(envelope bool) error {
	dirty := false
	eachString(w.raw, func(s str) bool {
		dirty = s.key && holds(s.content(w.raw))
		return !dirty
	})
	if dirty {
		names, err := apart(w.raw, func(s str) bool { return holds(s.content(w.raw)) }, func(s str) string { return spelled(s.content(w.raw)) })
		if err != nil {
			return err
		}
		w.names = names
	}
	skip := false
	eachString(w.raw, func(s str) bool {
		switch {
		case s.key:
			skip = envelope && s.depth == 1 && ours(s.content(w.raw))
			if name, changes := w.names[s.start]; changes {
				w.replace(s.start, s.end, name)
			}
		case skip && s.depth == 1:
		case holds(s.content(w.raw)):
			w.text(s.start, s.end)
		}
		return true
	})
	return nil
}

// ours says of a key as it is written whether it is one of the envelope's own whose value is no text.
func ours(key []byte) bool {
	if bytes.IndexByte(key, '\\') >= 0 {
		decoded, _ := frame.StringBytes(append(append([]byte{'"'}, key...), '"'), frame.Span{End: len(key) + 2})
		key = decoded
	}
	return string(key) == "id" || string(key) == "method" || string(key) == "jsonrpc"
}

// text cleans what stands between the quotes of one value.
func (w *writer) text(start, end int) {
	for i := start; i < end; {
		i += quiet(w.raw[i:end])
		if i >= end {
			return
		}
		r, size := character(w.raw[i:end])
		next := i + size
		switch {
		case !control(r):
		case r == '\r' && next < end && isLineFeed(w.raw[next:end]):
		case w.strip:
			if r == 0x1b || r >= 0x80 {
				next = w.sequence(i, end)
			}
			w.replace(i, next, "")
		default:
			w.replace(i, next, nameOf(r))
		}
		i = next
	}
}

func isLineFeed(raw []byte) bool {
	r, _ := character(raw)
	return r == '\n'
}

// sequence is where the sequence that begins with the introducer at raw[i] ends, as inspect recognises it: the
// finding that a person sees and the bytes that go are the same. It looks no further than the next introducer or the bound
// of a sequence, so that no byte is decoded more than twice, however many begin.
func (w *writer) sequence(i, end int) int {
	w.ahead, w.ends = w.ahead[:0], w.ends[:0]
	more := -1
	for at := i; at < end && len(w.ahead) <= legible.MaxSequence && more != 0; more-- {
		r, size := character(w.raw[at:end])
		at += size
		before := len(w.ahead)
		w.ahead = utf8.AppendRune(w.ahead, r)
		for range len(w.ahead) - before {
			w.ends = append(w.ends, at)
		}
		if before > 0 && more < 0 && (r == 0x1b || r >= 0x80 && r <= 0x9f || r == 0x07) {
			more = 2 // the character behind an ESC says whether the two are a terminator
		}
	}
	n := max(legible.Sequence(string(w.ahead)), 1)
	return w.ends[min(n, len(w.ends))-1]
}
