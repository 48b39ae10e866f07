package proxy

import (
	"bytes"
	"sync"
	"sync/atomic"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/declared"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// harmless inspects server text outside responses and pinned definitions: the rest of a listing, an acknowledgement, the server's name.
// Text that would be blocked is cut rather than held: nobody asked for it.
func (s *exchange) harmless(raw []byte) bool {
	own := s.rules.file.Load()
	if own.Count() == 0 && isShortWord(raw) {
		return true
	}
	if inspect.Worst(inspect.JSON(raw, "")).Rank() < inspect.High.Rank() && own.Threats(raw).Verdict != inspect.Block {
		return true
	}
	s.journal.counted(vocab.ModeAlways, "removed a text from the server because it had a warning", vocab.StatusBlocked, "inspect")
	return false
}

// harmlessError is harmless for an error that answers no request: it must not ask the user anything either.
func (s *exchange) harmlessError(line []byte) bool {
	failure, _ := bodyOf(line)
	return s.harmless(line) && elicitsNothing(line, failure)
}

// isShortWord reports whether a JSON value has no room for an attack: no string of more than two words or forty bytes, and only letters,
// digits and characters of names. Nearly every server's name is like that, and inspecting it would cost more than the rest of its start. (A
// person's own rule can still be about a single word.)
func isShortWord(raw []byte) bool {
	if len(raw) > 256 {
		return false
	}
	inside, length, words := false, 0, 0
	for _, c := range raw {
		switch {
		case c == '"':
			inside, length, words = !inside, 0, 0
			continue
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '-' || c == '_' || c == '/' || c == '@':
		case !inside && (c == '{' || c == '}' || c == '[' || c == ']' || c == ',' || c == ':' || c == ' '):
			continue
		case inside && c == ' ':
			words++
		default:
			return false
		}
		if length++; inside && (length > 40 || words > 1) {
			return false
		}
	}
	return true
}

func bodyOf(line []byte) (body frame.Span, failed bool) {
	root := frame.Root(line)
	if body, ok := frame.Find(line, root, "result"); ok {
		return body, false
	}
	body, _ = frame.Find(line, root, "error")
	return body, true
}

// watched inspects the text of a request or notification of the server: its params, or the whole line if there is more.
func (s *exchange) watched(v *declared.View, line []byte, m *frame.Message) inspect.AnswerVerdict {
	text := m.Params.Of(line)
	if s.saysMore(line, m) {
		text = line
	}
	if len(text) == 0 {
		return inspect.AnswerVerdict{Judged: inspect.Judged{Verdict: inspect.Clean, Whole: true}, RuleSet: s.rules.file.Load().RuleSet()}
	}
	found := s.watch.Answer(text, inspect.Terms{MaxBytes: v.Policy.MaxInspect})
	if found.Fault != "" {
		s.journal.fault("a message of the server", found.Fault)
	}
	return found
}

// saysMore reports whether a message of the server holds more than the protocol's members. A method or id counts as text if it is long or
// has unusual characters.
func (s *exchange) saysMore(line []byte, m *frame.Message) bool {
	return len(m.ID.Of(line)) > maxPlainID || !plainMethod(m.Method) || len(line)-len(m.Params.Of(line))-len(m.ID.Of(line))-len(m.Method) > plainEnvelope+len(`"method":"","params":,`)
}

// plainMethod reports whether a method is named as in the protocol and its extensions: in words that hold no sentence.
func plainMethod(method []byte) bool {
	for _, c := range method {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '/', c == '_', c == '.', c == '-', c == '$':
		default:
			return false
		}
	}
	return len(method) <= maxPlainMethod
}

// Anything longer may be text.
const (
	maxPlainID     = 64
	maxPlainMethod = 64
)

// ownRules are the rules that inspect.rules adds to the catalogue, as last sent by the hub.
type ownRules struct {
	mu   sync.Mutex
	raw  []byte                           // as sent, loadable or not
	file atomic.Pointer[inspect.RuleFile] // in force
}

// useRules applies what the hub sent, parsed once per change. The hub sends only what it can load; if this version of the program can't,
// the earlier rules stay in force.
func (s *exchange) useRules(raw []byte) {
	s.rules.mu.Lock()
	defer s.rules.mu.Unlock()
	if bytes.Equal(raw, s.rules.raw) {
		return
	}
	s.rules.raw = raw
	var file *inspect.RuleFile
	if len(raw) > 0 {
		var err error
		if file, err = inspect.LoadRules(raw); err != nil {
			s.journal.record(vocab.RecordProblem, vocab.StatusWarned, control.Record{
				Summary: "can't load the hub's rule file here; the earlier rules still apply: " + legible.Escape(err.Error()), Detail: facts{"check": "rules"}.detail(),
			})
			return
		}
	}
	s.rules.file.Store(file)
	s.watch.Use(file)
}
