package proxy

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// isTaskNotice reports whether a notification tells of a task: its state, with the result once it has ended ("notifications/tasks/status" of
// 2025-11-25, "notifications/tasks" of the extension).
func isTaskNotice(method []byte) bool {
	return string(method) == "notifications/tasks" || bytes.HasPrefix(method, []byte("notifications/tasks/"))
}

// taskNotices judges what notifications tell of tasks, like the tool's response. No client waits for one, so what would be held or refused is
// dropped and recorded, and tasks/get decides anew.
type taskNotices struct {
	*exchange
	responses *responses
	keeper    *taskKeeper

	second time.Time // only the goroutine that reads the server uses it, and asked
	asked  int       // questions to the hub since then
}

// maxNoticed is how many tasks the hub is asked about in a second because a server tells of them: it can make up any number.
const maxNoticed = 64

// mayAsk reports whether the hub may be asked about one more.
func (s *taskNotices) mayAsk(now time.Time) bool {
	if now.Sub(s.second) >= time.Second {
		s.second, s.asked = now, 0
	}
	s.asked++
	return s.asked <= maxNoticed
}

// taskNotice is one such notification, and where it goes if it may pass.
type taskNotice struct {
	id, method string
	line       []byte
	deliver    func(id string, line []byte) error
}

// tell judges a notification, and hands what may pass of it to deliver, with the id of its task.
func (s *taskNotices) tell(line []byte, m *frame.Message, deliver func(id string, line []byte) error) error {
	if len(m.Ours) > 0 {
		s.journal.impersonated()
		line = frame.Splice(nil, line, m.CutOurs())
	}
	params, _ := frame.Find(line, frame.Root(line), "params")
	n := taskNotice{idOfTask(line, params), string(m.Method), line, deliver}
	if of := s.tasks.of(n.id); of.item != "" {
		return s.judge(n, of)
	}
	size := len(line)
	if n.id == "" || !s.mayAsk(time.Now()) || !s.aside.take(size) {
		s.journal.dropped(unknownNotice)
		return nil
	}
	if !s.keeper.enter() {
		s.aside.give(size)
		s.journal.dropped(unknownNotice)
		return nil
	}
	n.line = bytes.Clone(line)
	s.later(func() {
		defer s.aside.give(size)
		defer s.keeper.leave()
		ctx, cancel := context.WithTimeout(context.Background(), seekLimit)
		defer cancel()
		_ = s.keeper.learn(ctx, n.id)
		if of := s.tasks.of(n.id); of.item != "" {
			_ = s.judge(n, of) // the client's own reader notices that it is gone
			return
		}
		s.journal.dropped(unknownNotice)
	})
	return nil
}

const (
	unknownNotice   = "a notification about a task that no allowed tool started"
	forbiddenNotice = "a notification about a task of a tool that is not allowed"
	uncheckedNotice = "a notification about a task, because the server is being checked"
	askingNotice    = "a notification about a task that asks the user something (interaction.policy)"
)

// later runs f beside the reading goroutine. A bug of ours drops the notification.
func (s *taskNotices) later(f func()) {
	s.aside.run(func() {
		defer func() {
			if p := recover(); p != nil {
				s.journal.fault("a notification", inspect.Fault(p))
			}
		}()
		f()
	})
}

// judge judges a notification by its tool, beside the reading goroutine if that can take long.
func (s *taskNotices) judge(n taskNotice, of task) error {
	v := s.view()
	switch {
	case !v.Open() || !v.Verified || !v.Allows(of.item):
		s.journal.dropped(forbiddenNotice)
		return nil
	case s.checks.Waits():
		s.journal.dropped(uncheckedNotice)
		return nil
	}
	r := &request{method: methodTask, spelled: n.method, wish: of.wish, started: time.Now()}
	r.item = of.item
	params, _ := frame.Find(n.line, frame.Root(n.line), "params")
	e := &examined{v: v, policy: v.PolicyOf(of.item), r: r, line: n.line, body: params}
	_, returned := resultInTask(n.line, params)
	validated, size := returned && schemaOf(v, r) != nil, len(n.line)
	if !validated && size < asideFrom || !s.aside.take(size) {
		return s.examine(n, e)
	}
	n.line = bytes.Clone(n.line)
	e.line = n.line
	s.later(func() {
		defer s.aside.give(size)
		leave := s.responses.turn(r.item, validated, size)
		defer leave()
		_ = s.examine(n, e) // the client's own reader notices that it is gone
	})
	return nil
}

// examine takes a notification through the stages of a response.
func (s *taskNotices) examine(n taskNotice, e *examined) error {
	s.responses.validate(e)
	s.responses.inspect(e)
	s.responses.embeds(e)
	s.journal.violated(e)
	if e.policy.Guards == "" && e.policy.GuardsAway == "" || e.found.TooLong || e.found.held(e.policy) {
		e.found.unasked(e.policy)
		return s.finish(n, e)
	}
	s.askGuards(n, e)
	return nil
}

// askGuards asks the guardrail providers about a notification, beside the reading goroutine.
func (s *taskNotices) askGuards(n taskNotice, e *examined) {
	guards, size := s.responses.guards, len(n.line)
	room := guards.enter()
	if room && !s.aside.take(size) {
		guards.leave()
		room = false
	}
	if !room {
		s.journal.counted(errorMode(true), "dropped a notification about a task: too many responses are waiting for guardrail providers", vocab.StatusBlocked, "inspect")
		return
	}
	whole := len(e.judged) == size
	n.line = bytes.Clone(n.line)
	e.line = n.line
	if e.judged = e.body.Of(e.line); whole {
		e.judged = e.line
	}
	s.later(func() {
		defer s.aside.give(size)
		defer guards.leave()
		e.found.guard(guards.ask(e.policy, e.r.subject(), e.judged), s.responses.silencedNow(e))
		_ = s.finish(n, e) // the client's own reader notices that it is gone
	})
}

// finish drops a judged notification, or delivers it with the changes that the settings want.
func (s *taskNotices) finish(n taskNotice, e *examined) error {
	switch {
	case e.found.held(e.policy):
		s.journal.counted(heldMode(e), "dropped a notification about a task: as a response it would be held", vocab.StatusBlocked, "inspect", e.found.Findings...)
		return nil
	case e.violation != nil && e.policy.Validation == modeStrict:
		return nil // it is recorded
	case s.responses.interactions.refusesTask(e.v, e.r, e.line, e.body):
		s.journal.dropped(askingNotice)
		return nil
	case !s.view().Allows(e.r.item):
		s.journal.dropped(forbiddenNotice)
		return nil
	}
	sent, done, bad := s.change(e.policy, lightOf(e), e.line, e.found.Secrets)
	if bad.why != "" {
		s.journal.refusedLine(bad.mode, "server", bad.why)
		return nil
	}
	if e.found.worth() {
		s.journal.counted(vocab.ModeAlways, "a notification about a task passed with a warning", vocab.StatusWarned, "inspect", e.found.Findings...)
	}
	s.journal.changed(e.r, cameFrom{tool: e.r.called()}, done)
	return n.deliver(n.id, sent)
}

// tellTask gives the state of a task to the stream that it came on, or to each that asked for the task where the server doesn't say on which
// it sent it.
func (l *listens) tellTask(id string, line []byte) error {
	params, _ := frame.Find(line, frame.Root(line), "params")
	meta, says := frame.Find(line, params, "_meta")
	if _, on := frame.Find(line, meta, subscriptionKey); on {
		return l.client.Write(line)
	}
	told, odd := false, says && frame.Type(line, meta) != '{'
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, o := range l.open {
		if odd || !slices.Contains(o.tasks, id) {
			continue
		}
		told = true
		member := append([]byte(`"`+subscriptionKey+`":`), o.r.id...)
		if says {
			l.client.Enqueue(frame.Splice(nil, line, frame.AppendMember(line, meta, member)))
		} else {
			l.client.Enqueue(frame.Splice(nil, line, frame.AppendMember(line, params, slices.Concat([]byte(`"_meta":{`), member, []byte{'}'}))))
		}
	}
	if !told {
		l.journal.dropped("a notification about a task that no stream asked for")
	}
	return nil
}

// heldMode is the value of the setting because of which a response would be held.
func heldMode(e *examined) string {
	switch {
	case e.found.Verdict == inspect.Block:
		return vocab.ModeAlways
	case e.found.TooLong || e.found.guards.beyond && !e.found.guards.failed:
		return limitMode(true)
	default:
		return errorMode(true)
	}
}
