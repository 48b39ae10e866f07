package frame

import "fmt"

// MaxDepth is how deep objects and arrays may nest. Common parsers give up soon after 1,000 levels.
const MaxDepth = 1024

// MaxOurs is how many keys of ours ("sallyport/…") a server may use in one message before the whole message is refused: cutting each costs
// memory, and no honest server sends any.
const MaxOurs = 1024

type Kind uint8

const (
	Request      Kind = iota + 1 // method and id, `"id":null` included
	Notification                 // method without id
	Result                       // a response
	Error                        // a response that is an error
)

// Direction is who sent a message.
type Direction uint8

const (
	FromClient Direction = iota + 1
	FromServer
)

// Keys is a set of object keys. A clear bit is a promise that no object of the message has that key; a set bit is a reason to look.
type Keys uint8

const (
	KeyIsError Keys = 1 << iota // "isError"
	KeyTaskID                   // "taskId"
)

// Message is what Scan found in one line. Its zero value is ready; reuse it from one goroutine.
type Message struct {
	Raw    []byte // the line that was scanned
	Kind   Kind
	ID     Span   // value of "id", of any JSON type; absent if there is none
	Method []byte // decoded; points into Raw, or into the Message if it was escaped, until the next Scan; nil for responses
	Params Span
	Name   Span // value of "name" in Params, of any JSON type; absent if there is none
	Meta   Span // value of "_meta" in Params, of any JSON type; absent if there is none
	Claim  Span // from a client: value of ClaimKey in Meta, of any JSON type; absent if there is none
	Result Span
	Error  Span
	// From a server: values of "resultType" and "inputRequests" in Result, in any case and of any JSON type; absent if there are none.
	ResultType, InputRequests Span

	Keys Keys     // from a server: which of these keys may occur, at any depth
	Ours []Member // from a server: members at any depth whose key begins with "sallyport/" in any case, in order

	scan scanner
}

// Reset drops the line: a Message that is kept would keep the line's memory.
func (m *Message) Reset() {
	m.Raw, m.Kind, m.Method, m.Keys = nil, 0, nil, 0
	m.ID, m.Params, m.Name, m.Result, m.Error = Span{}, Span{}, Span{}, Span{}, Span{}
	m.Meta, m.Claim, m.ResultType, m.InputRequests = Span{}, Span{}, Span{}, Span{}
	m.Ours = m.Ours[:0]
}

// Problem is why a line is not an acceptable message.
type Problem struct {
	Reason string // our own short text; quotes nothing from the line
	Offset int    // where it was found
	Code   int    // CodeParse or CodeInvalid
}

// JSON-RPC's codes for the two sorts of Problem.
const (
	CodeParse   = -32700 // not JSON
	CodeInvalid = -32600 // JSON, or nearly, but not a message, or ambiguous
)

// TwoKeys reports whether two keys of one object are equal, or equal to some parser.
func (p *Problem) TwoKeys() bool { return p.Reason == reasonTwoEqual || p.Reason == reasonTwoFolded }

func (p *Problem) Error() string { return fmt.Sprintf("%s (at byte %d)", p.Reason, p.Offset) }

// Scan reads one line as a JSON-RPC message in one pass and fills m. The error is always a *Problem; m then holds only Raw. It refuses
// everything that is not strictly JSON (RFC 8259, valid UTF-8, no byte order mark), batches, envelopes that are neither request nor
// response or both, and every ambiguous message: two keys of one object that are equal after unescaping or case folding, a known key of the
// envelope or of params in another case. Where the client uses its own names (params.arguments, params.context.arguments, result, error)
// only exact duplicates are refused.
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
	m.Meta, m.Claim, m.ResultType, m.InputRequests = s.spans[fieldMeta], s.spans[fieldClaim], s.spans[fieldResultType], s.spans[fieldInputRequests]
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

// Validate reads raw as one JSON value. It checks grammar, UTF-8 and depth, and that no two keys of an object are equal, also under case
// folding. The error is a *Problem.
func Validate(raw []byte) error {
	var s scanner
	s.begin(raw)
	if p := s.document(placeOther); p != nil {
		return p
	}
	return nil
}
