package proxy

import (
	"github.com/sallyport/sallyport/proxy/declared"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// harmless looks at what a server says beside its answers and its pinned definitions: the rest of a listing, an
// acknowledgement, its own name. What is to be blocked there is cut, there being nothing to release: nobody asked for it.
func (s *exchange) harmless(raw []byte) bool {
	own := s.rules.file.Load()
	if own.Count() == 0 && isShortWord(raw) {
		return true
	}
	if inspect.Worst(inspect.JSON(raw, "")).Rank() < inspect.High.Rank() && own.Threats(raw).Verdict != inspect.Block {
		return true
	}
	s.journal.counted("removed a text from the server because it had a warning", vocab.StatusBlocked, "inspect")
	return false
}

// harmlessError is harmless for an error that is nobody's answer: it asks the user nothing either.
func (s *exchange) harmlessError(line []byte) bool {
	failure, _ := bodyOf(line)
	return s.harmless(line) && elicitsNothing(line, failure)
}

// isShortWord says of a JSON value that there is no room for anything in it: no string of more than two words or forty
// bytes, and nothing but letters, digits and what names are made of. Nearly every server is called so, and looking for
// threats there would cost its start more than the rest of it. A rule of one's own may be about a single word.
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

// bodyOf is the result or the error of an answer.
func bodyOf(line []byte) (body frame.Span, failed bool) {
	root := frame.Root(line)
	if body, ok := frame.Find(line, root, "result"); ok {
		return body, false
	}
	body, _ = frame.Find(line, root, "error")
	return body, true
}

// watched is what is found in the text of a request or notification of the server: in its params, or in the whole line where
// something stands beside them.
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

// saysMore says whether anything stands in a message of the server beside what the protocol has there. A method or an id that is
// long, or holds what no name of a method does, may be a text.
func (s *exchange) saysMore(line []byte, m *frame.Message) bool {
	return len(m.ID.Of(line)) > maxPlainID || !plainMethod(m.Method) || len(line)-len(m.Params.Of(line))-len(m.ID.Of(line))-len(m.Method) > plainEnvelope+len(`"method":"","params":,`)
}

// plainMethod says that a method is named as the protocol and its extensions name theirs: in words that hold no sentence.
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

// What is longer may say something.
const (
	maxPlainID     = 64
	maxPlainMethod = 64
)
