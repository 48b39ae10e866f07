package proxy

import (
	"bytes"
	"slices"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/declared"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/policy"
	"github.com/sallyport/sallyport/proxy/refusal"
	"github.com/sallyport/sallyport/proxy/sanitize"
	"github.com/sallyport/sallyport/proxy/schema"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// examined is a response between its arrival and its end: delivered, held or refused.
type examined struct {
	v         *declared.View
	policy    *policy.Wrapper // the settings for its item
	r         *request
	line      []byte     // as it will be delivered
	own       bool       // line is in memory of its own, and not in the reader's
	body      frame.Span // the result or the error in it; absent once the line was changed
	judged    []byte     // what was judged in the line: the body, or all of it
	failed    bool       // the body is an error
	found     found
	taken     *taken            // its values, nil if they are not taken yet
	names     bool              // it may hold the address of a page
	violation *schema.Violation // of the tool's output schema, nil for none
	said      bool              // the client has the response, or a refusal, or something else will send it one
}

// examine takes a response through its stages. Their order is part of what Sallyport promises: the server's own bytes are judged first and
// as a whole, and only what may be delivered is changed.
func (s *responses) examine(v *declared.View, r *request, line []byte, own bool) (err error) {
	e := &examined{v: v, policy: v.PolicyOf(r.item), r: r, line: line, own: own, body: r.body}
	defer s.caught(e, &err)
	if e.body.Empty() {
		e.body, e.failed = bodyOf(line)
	}
	if s.anotherPage(e) {
		return nil
	}
	s.validate(e)
	s.inspect(e)
	s.embeds(e)
	s.journal.violated(e)
	if s.held(e) || s.awaits(e) {
		return nil
	}
	return s.pass(e)
}

// anotherPage refuses a page that is not what was allowed. A check reads it again first, so that the refusal names the item in which a person
// sees what it is now. Neither an error nor a question is a page, as long as it holds none.
func (s *responses) anotherPage(e *examined) bool {
	r := e.r
	if !r.readsPage() || e.failed {
		return false
	}
	span, holds := frame.Find(e.line, e.body, "contents")
	if !holds && r.asks {
		return false
	}
	contents, allowed := pageIn(e.v, r.name, span.Of(e.line))
	if allowed {
		return false
	}
	e.said = true
	if contents != nil && !r.reread {
		r.reread = true
		r.need = s.checks.AnotherPage(r.name, contents)
		if s.checks.Keep(r, e.line) {
			return true
		}
	}
	s.refuseResponse(r, refusal.AnotherPage)
	return true
}

// awaits reports whether a response waits for guardrail providers. It then goes on beside the reading goroutine: nothing else waits with it.
func (s *responses) awaits(e *examined) bool {
	p := e.policy
	if p.Guards == "" && p.GuardsAway == "" || e.found.TooLong {
		e.found.unasked(p)
		return false
	}
	n, room := len(e.line), s.guards.enter()
	if room && !s.aside.take(n) {
		s.guards.leave()
		room = false
	}
	if !room {
		e.found.guard(guarded{verdicts: failedAll(p, "too many responses are waiting for it"), failed: true}, nil)
		return s.held(e)
	}
	later := *e // a copy, so that a response that waits for nobody is in no memory of its own
	whole := len(later.judged) == n
	later.line, later.own = bytes.Clone(later.line), true
	if later.judged = later.body.Of(later.line); whole {
		later.judged = later.line
	}
	s.aside.run(func() { s.afterGuards(&later) })
	return true
}

// afterGuards takes a response through the rest of its stages once the providers have judged it.
func (s *responses) afterGuards(e *examined) {
	n := len(e.line)
	defer func() {
		s.guards.leave()
		s.aside.give(n)
	}()
	var err error // the client's own reader notices that it is gone
	defer s.caught(e, &err)
	e.found.guard(s.guards.ask(e.policy, e.r.subject(), e.judged), s.silencedNow(e))
	if !s.held(e) {
		err = s.pass(e)
	}
}

// silencedNow are the rules excepted for the response's item.
func (s *responses) silencedNow(e *examined) []control.Exception {
	return slices.DeleteFunc(slices.Clone(e.v.State.Exceptions), func(one control.Exception) bool {
		return one.Item != e.r.item || !time.Now().Before(one.Until)
	})
}

// pass takes a response that is not held through the rest of its stages.
func (s *responses) pass(e *examined) error {
	if s.mismatched(e) || s.elicits(e) || s.overtaken(e) {
		return nil
	}
	if e.r.asks && !e.failed && e.r.method != methodTask {
		s.interactions.passedOn(e.r, e.line, e.body)
	}
	return s.send(e)
}

// caught gives the client its response after a bug of ours. It is deferred.
func (s *responses) caught(e *examined, err *error) {
	if p := recover(); p != nil {
		s.journal.fault("a response", inspect.Fault(p))
		if !e.said {
			*err = s.client.Write(faultLine(e.r.id))
		}
	}
}

// validate compares structured content with the tool's output schema, before anything of it is decoded.
func (s *responses) validate(e *examined) {
	result, ended := e.body, true
	if e.r.holdsState() {
		result, ended = resultInTask(e.line, e.body)
	}
	if output := schemaOf(e.v, e.r); output != nil && !e.failed && ended {
		began := time.Now()
		e.violation = s.validation.judge(output, e.policy, e.line, result, e.r.wantsTask)
		s.validation.took(e.r.item, time.Since(began))
	}
}

// inspect judges the server's own bytes. The values of a long response are taken meanwhile, those of another as it is read.
func (s *responses) inspect(e *examined) {
	var g *gatherer
	if s.came.on(e.policy) {
		if len(e.line) < besideFrom {
			g = s.came.listen()
		} else {
			wait := s.came.takeBeside(saidIn(e.line, e.body, e.r.id))
			defer func() { t := wait(); e.taken = &t }() // whatever happens: the text may change after that
		}
	}
	e.found = s.judgeResponse(e, g)
}

// besideFrom is how long a response is whose values are taken beside its inspection, in bytes. Another processor begins about a tenth of a
// millisecond after it is asked to; shorter responses gain nothing from that (docs/performance.md).
const besideFrom = 16 << 10

// embeds adds the finding for a result that holds a page nobody approved, or another than the approved one. It is held as a whole: a client
// would draw the page in the conversation.
func (s *responses) embeds(e *examined) {
	if e.names = mayNamePage(e.line); !e.names {
		return
	}
	var read frame.Span
	if e.r.readsPage() && !e.failed {
		read, _ = frame.Find(e.line, e.body, "contents") // anotherPage has compared it, as a whole
	}
	uri, found := embeddedPage(e.v, e.line, e.body, read)
	if !found {
		return
	}
	s.checks.NamePage(uri)
	e.found.add(inspect.Finding{
		Rule: inspect.UnreviewedPage, Level: inspect.High, Category: "threat", Title: titleOtherPage,
		Match: cut.Runes(uri, maxPageMatch),
	}, s.silencedNow(e))
}

// held holds a response whose verdict says so.
func (s *responses) held(e *examined) bool {
	if !e.found.held(e.policy) {
		return false
	}
	e.said = true
	if e.r.imitates {
		e.found.imitates() // what is held lacks these members, so only the finding says that they were there
	}
	s.quarantine.holdBack(e.r, bytes.Clone(e.body.Of(e.line)), e.failed, e.found)
	return true
}

// mismatched refuses a response that breaks its tool's output schema, in strict mode. Nothing of it is kept.
func (s *responses) mismatched(e *examined) bool {
	if e.violation == nil || e.policy.Validation != modeStrict {
		return false
	}
	sub := refusal.Subject{Item: e.r.item, Name: toolKnown(e.v, e.r), Noun: "tool", Ordinal: e.v.Ordinal(e.r.item), Ran: true}
	text, d := refusal.Mismatch(e.violation.Keyword, e.violation.Place(), sub, e.v.State)
	e.said = true
	s.client.Enqueue(refusalLine(e.r, text, d))
	s.journal.mismatched(e.r)
	return true
}

// elicits refuses a response that asks the user something, if the policy for requests says so.
func (s *responses) elicits(e *examined) bool {
	switch {
	case e.failed:
		e.said = s.interactions.refusesElicitation(e.v, e.r, e.line, e.body)
	case e.r.method == methodTask:
		e.said = s.interactions.refusesTask(e.v, e.r, e.line, e.body)
	case e.r.asks:
		e.said = s.interactions.refusesInputs(e.v, e.r, e.line, e.body)
	}
	return e.said
}

// overtaken refuses a response whose item was blocked while the response was judged.
func (s *responses) overtaken(e *examined) bool {
	now := s.view()
	if now == e.v {
		return false
	}
	why := stillAllowed(now, e.r)
	if why == refusal.None {
		why = refusesFile(now, e.r, e.line)
	}
	if why == refusal.None {
		return false
	}
	s.refuseResponse(e.r, why)
	return true
}

// send delivers a response, with the changes that the settings want.
func (s *responses) send(e *examined) error {
	if e.r.imitates {
		e.found.imitates()
	}
	if e.names && e.r.method != methodResource {
		namePages(s.checks, e.line)
	}
	if e.r.modern && e.r.method == methodResource {
		e.line, e.body = uncached(e.line), frame.Span{}
	}
	sent, done, bad := s.change(e.policy, lightOf(e), e.line, e.found.Secrets)
	e.said = true
	if bad.why != "" {
		s.journal.answered(e.r, vocab.StatusBlocked, 0)
		return s.unclean(e.line, bad)
	}
	if s.came.on(e.policy) {
		// What is delivered is what counts: before the marks and boundaries of ours.
		if e.taken == nil {
			now := s.came.take(saidIn(e.line, e.body, e.r.id))
			e.taken = &now
		}
		if v, news := s.came.newsOf(*e.taken, e.r.subjectItem(), e.found.Verdict != inspect.Clean); news {
			v.Request = s.journal.requestID(e.r)
			s.deliverBehind(e, &v, sent, done)
			return nil
		}
	}
	if s.order.waits() {
		s.deliverBehind(e, nil, sent, done)
		return nil
	}
	return s.deliverNow(e, sent, done)
}

// deliverBehind delivers a response behind those that wait, and once the hub knows its values, nil for none.
func (s *responses) deliverBehind(e *examined, v *control.Values, sent []byte, done changes) {
	later, line := *e, sent
	if !e.own || &sent[0] != &e.line[0] {
		line = bytes.Clone(sent)
	}
	s.order.add(delivery{values: v, bytes: len(line), deliver: func() {
		var err error // the client's own reader notices that it is gone
		defer s.caught(&later, &err)
		err = s.deliverNow(&later, line, done)
	}})
}

// deliverNow writes a response to the client, and records it.
func (s *responses) deliverNow(e *examined, sent []byte, done changes) error {
	err := s.client.Write(sent)
	if e.r.texts != nil {
		body, _ := bodyOf(sent)
		e.r.texts.response = body.Of(sent)
	}
	s.journal.delivered(e.r, len(sent), e.found, secretsUnder(e.policy))
	s.journal.changed(e.r, cameFrom{tool: e.r.called()}, done)
	return err
}

// lightOf is how a response is spotlighted.
func lightOf(e *examined) spotlight {
	light := spotlightUnder(e.policy, e.r.wish)
	if e.r.reads() && e.v.BindsFile(e.r.name) {
		return spotlight{} // a client compares the bytes
	}
	if light.on() {
		light.source, light.task = spotlightSource(e.v, e.r), e.r.method == methodTask
	}
	return light
}

// changes is what was changed in a response on its way to the client.
type changes struct {
	secrets  redaction
	light    spotlight
	replaced sanitize.Replaced
	hygiene  string // the mode under which something was done about what a terminal would obey, "" if nothing was
}

// change makes what the client gets of a response that may be delivered. The order is part of what Sallyport promises: marks for secrets,
// marks for triggers, hygiene, and last the boundaries, which are ours and which no later step may touch. Each goes by the settings for what
// the response came from: another wrapper of its client may deliver it. bad says why if it can't be delivered.
func (x *exchange) change(of *policy.Wrapper, light spotlight, line []byte, secrets []inspect.Finding) (out []byte, done changes, bad unfit) {
	done.light = light
	var err error
	if out, done.secrets, err = redact(of, line, secrets); err != nil {
		return nil, done, unfit{whySecrets, of.Redact}
	}
	if light.on() {
		if out, done.replaced, err = sanitize.Triggers(out); err != nil {
			return nil, done, unfit{whyTriggers, light.mode}
		}
	}
	// The mode is that of the server the text came from: a held response may be delivered by another wrapper of its client.
	clean, changed, err := sanitize.Line(out, of.ANSI)
	if err != nil {
		return nil, done, unfit{whyUnclean, of.ANSI}
	}
	if changed > 0 {
		done.hygiene = of.ANSI
	}
	if !light.on() {
		return clean, done, bad
	}
	if &clean[0] != &out[0] { // where a sequence was removed, what was around it may have become a trigger
		var again sanitize.Replaced
		if clean, again, err = sanitize.Triggers(clean); err != nil {
			return nil, done, unfit{whyTriggers, light.mode}
		}
		done.replaced = done.replaced.Plus(again)
	}
	bounded := sanitize.Boundaries
	if light.task {
		bounded = sanitize.TaskBoundaries
	}
	if out, err = bounded(clean, light.source); err != nil {
		return nil, done, unfit{whyTexts, light.mode}
	}
	return out, done, bad
}

// toolKnown is the name by which the client knows the tool that a response counts as.
func toolKnown(v *declared.View, r *request) string {
	if r.method != methodTask {
		return r.known()
	}
	name := r.tool()
	if known, ok := v.Delivered(pin.Tool, name); ok {
		name = known
	}
	return name
}

// spotlightSource names where a response comes from: the server, and the tool or prompt as the client knows it, or the address.
func spotlightSource(v *declared.View, r *request) string {
	name := r.known()
	switch {
	case r.method == methodTask:
		name = toolKnown(v, r)
	case name == "":
		name = r.methodName()
	}
	return v.State.Name + "/" + name
}
