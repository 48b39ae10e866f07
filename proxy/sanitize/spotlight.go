package sanitize

import (
	"bytes"
	"errors"
	"strings"
	"unicode"

	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

// ErrTriggers: more names of members hold triggers than can be kept apart. No honest server sends that; refuse it.
var ErrTriggers = errors.New("triggers in too many names")

// Replaced counts what Triggers replaced.
type Replaced struct{ Triggers, Tags int }

func (r Replaced) Any() bool { return r.Triggers+r.Tags > 0 }

// Plus is the sum of two runs over one message.
func (r Replaced) Plus(more Replaced) Replaced {
	return Replaced{r.Triggers + more.Triggers, r.Tags + more.Tags}
}

const (
	markTrigger = "[REDACTED:trigger]"
	markTag     = "[REDACTED:tag]"
)

// Triggers replaces the words that make some clients run a tool, and tags that look like the ones of Boundaries, in the strings of one
// JSON-RPC message that passed frame.Scan, names of members included (setting spotlight). Only their bytes change, and names that would
// become equal are kept apart. The message's own id, method and jsonrpc stay, and so do `_meta`, and the values of `uri`, `mimeType` and
// blobs (left). A message without any comes back as the same slice. What comes out has none left.
func Triggers(line []byte) (out []byte, done Replaced, err error) {
	// Each of them has an underscore or a `<`, and JSON spells these two as they are or as \u escapes.
	if bytes.IndexByte(line, '_') < 0 && bytes.IndexByte(line, '<') < 0 && !bytes.Contains(line, []byte(`\u`)) {
		return line, done, nil
	}
	s := spotter{raw: line}
	s.walk()
	if !s.done.Any() {
		return line, done, nil
	}
	if err := s.keepApart(); err != nil {
		return nil, done, err
	}
	return s.marked(make([]byte, 0, len(line)+len(markTrigger)*len(s.places)), 0, len(line), s.places), s.done, nil
}

// withoutTriggers is Triggers for a text that is not JSON.
func withoutTriggers(text string) string {
	quoted := frame.AppendString(nil, text)
	out, _, _ := Triggers(quoted) // a string has no names
	text, _ = frame.String(out, frame.Root(out))
	return text
}

// spotter goes through a message and collects the places that change.
type spotter struct {
	raw    []byte
	places []place
	names  map[int]string // what the names of members become, by the offset of their content
	done   Replaced
	open   []box
	held   []place // see follow
}

// place is a trigger, a tag, or the whole name of a member. It is small because a hostile message has one every five bytes.
type place struct {
	start, end int32 // limits.message is at most 1 GiB
	becomes    becomes
}

type becomes uint8

const (
	trigger becomes = iota
	tag
	name
)

// marked appends the bytes from start to end, with the places replaced.
func (s *spotter) marked(out []byte, start, end int, places []place) []byte {
	for _, p := range places {
		out = append(out, s.raw[start:p.start]...)
		switch p.becomes {
		case trigger:
			out = append(out, markTrigger...)
		case tag:
			out = append(out, markTag...)
		case name:
			out = append(out, s.names[int(p.start)]...)
		}
		start = int(p.end)
	}
	return append(out, s.raw[start:end]...)
}

// box is an open object or array.
type box struct {
	array  bool
	awaits bool // an object waiting for a key
	left   bool // nothing in it changes
	free   bool // the server's own data: the protocol names no member of it
	key    []byte
	name   []byte // the member that holds it, perhaps as an element of an array
}

func (s *spotter) walk() {
	for i := 0; i < len(s.raw); i++ {
		switch c := s.raw[i]; c {
		case '{', '[':
			s.open = append(s.open, s.enter(c == '['))
		case '}', ']':
			s.open = s.open[:max(len(s.open)-1, 0)]
		case ',':
			if n := len(s.open); n > 0 {
				s.open[n-1].awaits = !s.open[n-1].array
			}
		case '"':
			end := closing(s.raw, i+1)
			s.string(i+1, end)
			i = end
		}
	}
}

// enter is the box that opens at the current place.
func (s *spotter) enter(array bool) box {
	b := box{array: array, awaits: !array}
	n := len(s.open)
	if n == 0 {
		return b
	}
	in := &s.open[n-1]
	b.left, b.free, b.name = in.left, in.free, in.name
	if in.array {
		return b
	}
	b.name = in.key
	b.left = b.left || !array && frame.KeyIs(in.key, "_meta") || n == 1 && frame.KeyIs(in.key, "id")
	b.free = b.free || n == 2 && (frame.KeyIs(in.key, "structuredContent") || frame.KeyIs(in.key, "data") && frame.KeyIs(in.name, "error"))
	return b
}

// string looks at one string, key or value.
func (s *spotter) string(start, end int) {
	var in *box
	if n := len(s.open); n > 0 {
		in = &s.open[n-1]
	}
	if in != nil && in.awaits {
		in.awaits, in.key = false, s.raw[start:end]
		if !in.left {
			s.key(start, end)
		}
		return
	}
	if in != nil && in.left {
		return
	}
	before, done := len(s.places), s.done
	s.text(start, end)
	if len(s.places) > before && in != nil && s.left(in, s.raw[start:end]) {
		s.places, s.done = s.places[:before], done
	}
}

func (s *spotter) key(start, end int) {
	before := len(s.places)
	s.text(start, end)
	if len(s.places) == before {
		return
	}
	if s.names == nil {
		s.names = map[int]string{}
	}
	s.names[start] = string(s.marked(nil, start, end, s.places[before:]))
	s.places = append(s.places[:before], place{int32(start), int32(end), name})
}

// keepApart changes new names that their object has already.
func (s *spotter) keepApart() (err error) {
	if len(s.names) == 0 {
		return nil
	}
	s.names, err = apart(s.raw, func(one str) bool { _, changes := s.names[one.start]; return changes },
		func(one str) string { return s.names[one.start] })
	if err != nil {
		return ErrTriggers
	}
	return nil
}

// left reports whether a string stays as it is although it holds a trigger: what identifies something, or is no text. The name alone is no
// excuse in the server's own data, which a model reads whole: there a `data` is not taken for a blob, and nowhere a sentence for an address.
func (s *spotter) left(in *box, content []byte) bool {
	if in.array {
		return false
	}
	switch key := in.key; {
	case len(s.open) == 1:
		return ours(key)
	case frame.KeyIs(key, "uri"), frame.KeyIs(key, "mimeType"):
		return oneWord(content)
	case frame.KeyIs(key, "data"), frame.KeyIs(key, "blob"):
		return !in.free && (frame.KeyIs(in.name, "content") || frame.KeyIs(in.name, "contents") || frame.KeyIs(in.name, "resource"))
	}
	return false
}

// oneWord reports whether a string could be an address or a media type: no blanks, no brackets, and a colon or slash.
func oneWord(content []byte) bool {
	sign := false
	for i := 0; i < len(content); {
		r, size := character(content[i:])
		if unicode.IsSpace(r) || legible.Hidden(r) || strings.ContainsRune(`<>"()`, r) {
			return false
		}
		sign = sign || r == ':' || r == '/'
		i += size
	}
	return sign
}

// opening are the bytes that a trigger or tag can begin with; a backslash can spell any of them.
var opening = [256]bool{'_': true, 'm': true, 'M': true, '<': true, '\\': true}

// follows are the bytes that can come next in one. What is not ASCII may be invisible.
var follows = func() (next [256]bool) {
	for _, c := range `_cC/eE \` {
		next[c] = true
	}
	for c := 0x7f; c < len(next); c++ {
		next[c] = true
	}
	return next
}()

// text finds the triggers and tags of one string.
func (s *spotter) text(start, end int) {
	s.held = s.held[:0]
	p := pattern{raw: s.raw[:end]}
	for i := start; i < end; {
		if c := s.raw[i]; !opening[c] || c != '\\' && i+1 < end && !follows[s.raw[i+1]] {
			i++
			continue
		}
		r, size := character(s.raw[i:end])
		at := i
		switch i += size; r {
		case '_':
			if after, word, ok := p.oneTool(i); ok {
				s.follow(at, after, word)
				i = after
			}
		case 'm', 'M':
			if after, ok := p.mcp(i); ok {
				s.replace(place{int32(at), int32(after), trigger})
				i = after
			}
		case '<':
			if after, ok := p.tag(i); ok {
				s.replace(place{int32(at), int32(after), tag})
				i = after
			}
		}
	}
}

// follow handles `__ot`. Before a letter, digit or underscore it is none, unless what begins there is replaced itself: a bracket follows
// then. So it is held until that is known. `__ot__ot__ot` has three.
func (s *spotter) follow(start, end int, word bool) {
	here := place{int32(start), int32(end), trigger}
	if !word {
		s.replace(here)
		return
	}
	if n := len(s.held); n > 0 && s.held[n-1].end != here.start {
		s.held = s.held[:0]
	}
	s.held = append(s.held, here)
}

// replace adds a place, and the held ones that end where it begins.
func (s *spotter) replace(here place) {
	if n := len(s.held); n > 0 && s.held[n-1].end == here.start {
		s.places = append(s.places, s.held...)
		s.done.Triggers += n
	}
	s.held = s.held[:0]
	s.places = append(s.places, here)
	if here.becomes == tag {
		s.done.Tags++
	} else {
		s.done.Triggers++
	}
}
