package sanitize

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

// maxSource is how many characters of a source a boundary names.
const maxSource = 256

// maxTags is how many bytes the tags of one message can have together. An empty text has 11 bytes, and its tags have 100 or, if the source
// is long, 1,500: a message of a few megabytes would become gigabytes. It is room for 20,000 texts at the least.
const maxTags = 32 << 20

// ErrTexts: a message has more texts than can be put between tags. No honest server sends that; refuse it.
var ErrTexts = errors.New("too many texts")

// Boundaries puts each text that a client shows its model between two tags (setting spotlight), so that the model can tell it from its
// instructions: text blocks, embedded text, the texts of resources and prompts, the message of an error. Structured content stays
// parseable. The tags carry an id that no server can guess, and the source of the text. line is a JSON-RPC response that passed frame.Scan
// and Triggers; a response without such a text comes back as the same slice.
func Boundaries(line []byte, source string) ([]byte, error) {
	w := wrapper{raw: line, source: attribute(source)}
	w.response(frame.Root(line))
	return w.line()
}

// TaskBoundaries is Boundaries for what a task yields, in a response or a notification: it may be the state of the task, of which a client
// shows the status in words, and the result or the error inside.
func TaskBoundaries(line []byte, source string) ([]byte, error) {
	w := wrapper{raw: line, source: attribute(source)}
	frame.Members(line, frame.Root(line), func(key string, m frame.Member) bool {
		switch key {
		case "result", "params":
			w.state(m.Value)
		case "error":
			w.member(m.Value, "message")
		}
		return true
	})
	return w.line()
}

// line is the whole message with its tags.
func (w *wrapper) line() ([]byte, error) {
	switch {
	case w.tags > maxTags:
		return nil, ErrTexts
	case w.copied == 0:
		return w.raw, nil
	}
	return append(w.out, w.raw[w.copied:]...), nil
}

// wrapper copies raw to out with the tags. Texts come in order; nothing is copied before the first.
type wrapper struct {
	raw    []byte
	source []byte // escaped twice: as an attribute and as a part of a JSON string
	out    []byte
	copied int // raw up to here is in out
	tags   int // bytes of all tags
}

// response wraps the texts of an object with a result or an error.
func (w *wrapper) response(object frame.Span) {
	frame.Members(w.raw, object, func(key string, m frame.Member) bool {
		w.outcome(key, m.Value)
		return true
	})
}

// outcome wraps the texts of a member that is a result or an error, and reports whether it is one.
func (w *wrapper) outcome(key string, v frame.Span) bool {
	switch key {
	case "result":
		w.result(v)
	case "error":
		w.member(v, "message")
	default:
		return false
	}
	return true
}

// result wraps the texts of a result, whatever the request: `content` is a tool's, `contents` a resource's, `messages` a prompt's.
func (w *wrapper) result(result frame.Span) {
	frame.Members(w.raw, result, func(key string, m frame.Member) bool {
		w.part(key, m.Value)
		return true
	})
}

// state wraps the texts of a task's state, and those of a result.
func (w *wrapper) state(task frame.Span) {
	frame.Members(w.raw, task, func(key string, m frame.Member) bool {
		if key == "statusMessage" {
			w.wrap(m.Value)
		} else if !w.outcome(key, m.Value) {
			w.part(key, m.Value)
		}
		return true
	})
}

// part wraps the texts of one member of a result.
func (w *wrapper) part(key string, v frame.Span) {
	switch key {
	case "content", "contents":
		w.blocks(v)
	case "messages":
		frame.Elements(w.raw, v, func(_ int, message frame.Span) bool {
			if content, ok := frame.Find(w.raw, message, "content"); ok {
				w.blocks(content)
			}
			return true
		})
	}
}

// blocks wraps the texts of a list of blocks, or of a single one.
func (w *wrapper) blocks(v frame.Span) {
	if frame.Type(w.raw, v) == '{' {
		w.block(v)
		return
	}
	frame.Elements(w.raw, v, func(_ int, block frame.Span) bool {
		w.block(block)
		return true
	})
}

func (w *wrapper) block(block frame.Span) {
	frame.Members(w.raw, block, func(key string, m frame.Member) bool {
		switch key {
		case "text":
			w.wrap(m.Value)
		case "resource":
			w.member(m.Value, "text")
		}
		return true
	})
}

func (w *wrapper) member(object frame.Span, name string) {
	if v, ok := frame.Find(w.raw, object, name); ok {
		w.wrap(v)
	}
}

// wrap puts a string, empty or not, between two tags.
func (w *wrapper) wrap(v frame.Span) {
	if frame.Type(w.raw, v) != '"' || w.tags > maxTags {
		return
	}
	if w.out == nil {
		w.out = make([]byte, 0, len(w.raw)+len(w.source)+256)
	}
	id := boundaryID()
	w.out = append(w.out, w.raw[w.copied:v.Start+1]...)
	before := len(w.out) + v.End - v.Start - 2
	w.out = append(append(append(append(w.out, `<external-content-`...), id[:]...), ` source=\"`...), w.source...)
	w.out = append(append(w.out, `\">\n`...), w.raw[v.Start+1:v.End-1]...)
	w.out = append(append(append(w.out, `\n</external-content-`...), id[:]...), '>')
	w.tags += len(w.out) - before
	w.copied = v.End - 1
}

// boundaryID is the first 12 hex digits of a fresh UUIDv4 (RFC 9562, 5.4). All of them are random: the version and the variant come behind
// them. So a server guesses one with a chance of 1 in 2^48.
func boundaryID() (id [12]byte) {
	var first [6]byte
	rand.Read(first[:])
	hex.Encode(id[:], first[:])
	return id
}

var inAttribute = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;")

// attribute is a source as the value of an attribute, in JSON. It is a stranger's text, and no later step cleans it.
func attribute(source string) []byte {
	quoted := frame.AppendString(nil, inAttribute.Replace(withoutTriggers(legible.Text(source, maxSource))))
	return quoted[1 : len(quoted)-1]
}
