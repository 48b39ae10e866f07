package frame

import "fmt"

// MaxDepth is how deep objects and arrays may nest. Common parsers give up soon after 1,000 levels.
const MaxDepth = 1024

// MaxOurs is how many members a server may name after us in one message before the whole message is refused: cutting
// them costs memory for each, and no honest server sends one.
const MaxOurs = 1024

// Kind is what a message is.
type Kind uint8

const (
	Request      Kind = iota + 1 // method and id, `"id":null` included
	Notification                 // method without id
	Result                       // an answer
	Error                        // an answer that is an error
)

// Direction is who sent a message.
type Direction uint8

const (
	FromClient Direction = iota + 1
	FromServer
)

// Keys is a set of object keys. A bit that is not set is a promise: no object of the message has that key. One that is set
// is a reason to look.
type Keys uint8

const (
	KeyIsError Keys = 1 << iota // "isError"
	KeyTaskID                   // "taskId"
)

// Message is what Scan found in one line. Its zero value is ready; use one again and again, from one goroutine.
type Message struct {
	Raw    []byte // the line that was scanned
	Kind   Kind
	ID     Span   // value of "id", of any JSON type; absent if there is none
	Method []byte // decoded; points into Raw, or where it was escaped into the Message, until the next Scan; nil for answers
	Params Span
	Name   Span // value of "name" in Params, of any JSON type; absent if there is none
	Result Span
	Error  Span
	Keys   Keys     // from a server: which of the keys that a reader of answers asks about it may hold, at any depth
	Ours   []Member // from a server: members at any depth whose key begins with "sallyport/" in any case, in order

	scan scanner
}

// Reset lets go of the line: a Message that is kept keeps the line's memory.
func (m *Message) Reset() {
	m.Raw, m.Kind, m.Method, m.Keys = nil, 0, nil, 0
	m.ID, m.Params, m.Name, m.Result, m.Error = Span{}, Span{}, Span{}, Span{}, Span{}
	m.Ours = m.Ours[:0]
}

// Problem is why a line is no message that may pass.
type Problem struct {
	Reason string // ours and short; quotes nothing of the line
	Offset int    // where it was seen
	Code   int    // CodeParse or CodeInvalid
}

// JSON-RPC's codes for the two sorts of Problem.
const (
	CodeParse   = -32700 // no JSON
	CodeInvalid = -32600 // JSON, or nearly, but no message, or one with two readings
)

// TwoKeys says that the problem is two keys of one object that are equal, or are to some parser.
func (p *Problem) TwoKeys() bool { return p.Reason == reasonTwoEqual || p.Reason == reasonTwoFolded }

func (p *Problem) Error() string { return fmt.Sprintf("%s (at byte %d)", p.Reason, p.Offset) }

// Scan reads one line as a JSON-RPC message in one pass and fills m. The error is always a *Problem; m then holds nothing
// but Raw. It refuses what is not strictly JSON (RFC 8259, valid UTF-8, no byte order mark), batches, envelopes that are
// neither request nor answer or both, and every message with two readings: two keys of one object that are equal after
// unescaping or under case folding, a known key of the envelope or of params in another case. Where the client speaks in
// its own names (params.arguments, params.context.arguments, result, error) only exact doubles are refused.
//
// It allocates nothing for ordinary messages once m is warm.
func Scan(raw []byte, dir Direction, m *Message) error {
	m.Reset()
	m.Raw = raw
	s := &m.scan
	s.begin(raw)
	s.dir, s.ours, s.known = dir, m.Ours, 0
	p := s.message()
	m.Ours = s.ours
	s.end()
	if p != nil {
		m.Ours = m.Ours[:0]
		return p
	}
	m.ID, m.Params, m.Name = s.spans[fieldID], s.spans[fieldParams], s.spans[fieldName]
	m.Result, m.Error, m.Keys = s.spans[fieldResult], s.spans[fieldError], s.known
	switch {
	case !m.Result.Empty():
		m.Kind = Result
	case !m.Error.Empty():
		m.Kind = Error
	case !m.ID.Empty():
		m.Kind, m.Method = Request, s.method
	default:
		m.Kind, m.Method = Notification, s.method
	}
	s.method = nil
	return nil
}

// Validate reads raw as one JSON value: grammar, UTF-8, depth, and at every depth no two keys that are equal or
// equal under case folding. The error is a *Problem.
func Validate(raw []byte) error {
	var s scanner
	s.begin(raw)
	if p := s.document(placeOther); p != nil {
		return p
	}
	return nil
}
