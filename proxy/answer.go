package proxy

import (
	"bytes"
	"slices"
	"sync"
	"time"

	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/refusal"
)

const (
	// asideFrom is the size from which an answer is looked at beside the reading goroutine: shorter ones cost less than the
	// change of goroutines, longer ones would have every other answer wait.
	asideFrom = 256 << 10
	// maxAside bounds the bytes of answers that are looked at so; beyond it the reading goroutine does it, and the server's
	// pipe fills.
	maxAside = 256 << 20
	// plainEnvelope is the most that an answer's line has beside its id and its body where nothing else stands in it:
	// `{"jsonrpc":"2.0","id":,"result":}`, and some white space.
	plainEnvelope = 40
)

// aside is what goes on beside the reading goroutines and must come to its end before the session does.
type aside struct {
	turn chan struct{} // one token for each answer that is looked at at once

	mu      sync.Mutex
	ended   sync.Cond
	running int
	bytes   int
}

func newAside() *aside {
	a := &aside{turn: make(chan struct{}, 2)}
	a.ended.L = &a.mu
	return a
}

// run has f run beside whoever calls.
func (a *aside) run(f func()) {
	a.mu.Lock()
	a.running++
	a.mu.Unlock()
	go func() {
		defer func() {
			a.mu.Lock()
			a.running--
			a.ended.Broadcast()
			a.mu.Unlock()
		}()
		f()
	}()
}

// wait waits until nothing runs.
func (a *aside) wait() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for a.running > 0 {
		a.ended.Wait()
	}
}

// take reserves room for an answer of n bytes.
func (a *aside) take(n int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.bytes+n > maxAside {
		return false
	}
	a.bytes += n
	return true
}

func (a *aside) give(n int) {
	a.mu.Lock()
	a.bytes -= n
	a.mu.Unlock()
}

// deliver hands an answer to the client, if what it came from may still be called at this moment and nothing is found in it.
func (s *Session) deliver(r *request, line []byte) error {
	v := s.view.Load()
	if why := s.stillAllowed(v, r); why != refusal.None {
		s.refuseAnswer(r, why)
		return nil
	}
	if len(line) < asideFrom || !s.aside.take(len(line)) {
		return s.examine(v, r, line)
	}
	line = bytes.Clone(line)
	s.aside.run(func() {
		s.aside.turn <- struct{}{}
		defer func() {
			<-s.aside.turn
			s.aside.give(len(line))
		}()
		_ = s.examine(v, r, line) // that the client is gone, its own reader finds
	})
	return nil
}

// examine looks at an answer and delivers it, or has it held.
func (s *Session) examine(v *view, r *request, line []byte) (err error) {
	said := false
	defer func() {
		if p := recover(); p != nil {
			s.journal.fault("an answer", inspect.Fault(p))
			if !said {
				err = s.client.Write(faultLine(r.id))
			}
		}
	}()
	body, failed := r.body, false
	if body.Empty() {
		body, failed = bodyOf(line)
	}
	found := s.judgeAnswer(v, r, line, body)
	if found.held(v) {
		said = true
		s.holdBack(r, bytes.Clone(body.Of(line)), failed, found)
		return nil
	}
	if failed && s.refusesElicitation(v, r, line, body) {
		said = true
		return nil
	}
	if r.imitates {
		found.imitates()
	}
	if now := s.view.Load(); now != v { // it took its time, and somebody decided meanwhile
		if why := s.stillAllowed(now, r); why != refusal.None {
			s.refuseAnswer(r, why)
			return nil
		}
	}
	sent, done, err := redact(v.policy, line, found.Secrets)
	if err != nil {
		return s.unclean(line, whySecrets)
	}
	delivered, err := s.toClientWhole(sent)
	said = true
	s.journal.delivered(r, delivered, found, secretsUnder(v.policy))
	s.journal.secrets(r, done)
	return err
}

// judgeAnswer looks at the result or the error, and at the whole line where the server put more into it.
func (s *Session) judgeAnswer(v *view, r *request, line []byte, body frame.Span) found {
	text := body.Of(line)
	if len(line)-len(text)-len(r.id) > plainEnvelope {
		text = line
	}
	terms := inspect.Terms{MaxBytes: v.policy.MaxInspect, Secrets: secretsUnder(v.policy)}
	if len(v.state.Exceptions) > 0 {
		terms.Silenced = v.silenced(r.item, time.Now())
	}
	f := found{AnswerVerdict: s.watch.Answer(text, terms)}
	if f.Fault != "" {
		s.journal.fault("an answer", f.Fault)
	}
	for _, e := range v.state.Exceptions {
		if e.Item == r.item && slices.Contains(f.Passed, e.Rule) {
			f.exceptions = append(f.exceptions, e.ID)
		}
	}
	return f
}

// silenced are the rules that a person has excepted for an item.
func (v *view) silenced(item string, now time.Time) map[string]inspect.Level {
	rules := map[string]inspect.Level{}
	for _, e := range v.state.Exceptions {
		if e.Item == item && now.Before(e.Until) {
			rules[e.Rule] = e.Level
		}
	}
	return rules
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

// harmless looks at what a server says beside its answers and its pinned definitions: the rest of a listing, an
// acknowledgement, its own name. What is to be blocked there is cut, there being nothing to release: nobody asked for it.
func (s *Session) harmless(raw []byte) bool {
	own := s.rules.file.Load()
	if own.Count() == 0 && isShortWord(raw) {
		return true
	}
	if inspect.Worst(inspect.JSON(raw, "")).Rank() < inspect.High.Rank() && own.Threats(raw).Verdict != inspect.Block {
		return true
	}
	s.journal.counted("removed a text from the server because it had a warning", "policy_decision", "blocked", "inspect")
	return false
}

// harmlessError is harmless for an error that is nobody's answer: it asks the user nothing either.
func (s *Session) harmlessError(line []byte) bool {
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
