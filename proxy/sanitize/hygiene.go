// Package sanitize changes what a server sends before the client sees it. It decides nothing: the mode is a setting of the person.
//
// Definition makes one definition of a listing what the client may read of it (sanitizer.profile), under the name that Name gives it;
// Characters does the same for the few texts that are in no listing. They see only what a person has allowed: what is pinned and reviewed
// are the server's own bytes.
//
// Redact replaces secrets with marks (redact.mode), before anything else is changed in a response. Triggers replaces words that make a
// client act, and Boundaries, the last of all, puts each text between two tags (spotlight). In between, Line removes terminal escape
// sequences and control characters from JSON strings, or spells them out (sanitizer.ansi), in listings too.
//
// All of them work on the raw bytes: what they have nothing against comes back as the same slice, and in anything else only the affected
// bytes change. The result is valid JSON, and no object gets two keys that are equal, or equal under case folding, that had none before.
package sanitize

import (
	"bytes"
	"errors"
	"unicode/utf8"

	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

// The modes of sanitizer.ansi. Any other word means Visible: an unknown mode must not let anything through.
const (
	Visible = "visible" // control characters become their names: ESC, BEL, CSI
	Strip   = "strip"   // whole sequences are removed, with parameters and payload
	Off     = "off"
)

// ErrKeys: so many names of members hold control characters that keeping them apart would cost more than the message is worth. No honest
// server sends that; refuse it.
var ErrKeys = errors.New("control characters in too many names")

const maxKeys = 1024

// Line cleans one JSON-RPC message that passed frame.Scan. It leaves jsonrpc, id and method alone: a response with another id would reach
// no request. changed counts the characters spelled out, or the sequences removed.
func Line(line []byte, mode string) (out []byte, changed int, err error) {
	return clean(line, mode, true)
}

// Holds reports whether a decoded text has a control character.
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

// holdsAny reports whether any string of a JSON text has a control character. Nearly none has: without an escape, a DEL or a 0xC2 this is a
// fast byte search, otherwise one pass. Outside strings JSON has none of the three, so the whole text can be read as if it were one string.
func holdsAny(raw []byte) bool {
	first := len(raw)
	for _, c := range [...]byte{'\\', 0x7f, 0xc2} {
		if i := bytes.IndexByte(raw[:first], c); i >= 0 {
			first = i
		}
	}
	return holds(raw[first:])
}

// writer copies raw to out with the changes made. Nothing is copied until the first change.
type writer struct {
	raw     []byte
	strip   bool
	out     []byte
	copied  int // raw up to here is in out
	changed int

	names map[int]string // new spellings of keys with control characters, by the offset of their content
	ahead []byte         // a decoded sequence, for its recogniser
	ends  []int          // end offsets in raw of each character of ahead, indexed by bytes of ahead
}

func (w *writer) replace(start, end int, with string) {
	w.out = append(append(w.out, w.raw[w.copied:start]...), with...)
	w.copied = end
	w.changed++
}

// walk visits every string. If keys have to change, it needs all keys of their object: an extra pass that ordinary messages don't pay for.
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

// ours reports whether a raw key is one of the envelope's whose value is not text.
func ours(key []byte) bool {
	return frame.KeyIs(key, "id") || frame.KeyIs(key, "method") || frame.KeyIs(key, "jsonrpc")
}

// text cleans the content of one string value.
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

// sequence returns the end of the sequence that begins with the introducer at raw[i], as inspect recognises it, so that the finding a
// person sees and the removed bytes agree. It stops at the next introducer or the limit of a sequence, so that no byte is decoded more than
// twice.
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
			more = 2 // the character after an ESC tells whether the two are a terminator
		}
	}
	n := max(legible.Sequence(string(w.ahead)), 1)
	return w.ends[min(n, len(w.ends))-1]
}
