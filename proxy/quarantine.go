package proxy

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/policy"
	"github.com/sallyport/sallyport/proxy/refusal"
	"github.com/sallyport/sallyport/proxy/vocab"
)

const (
	// holdLimit is how long a client waits until the hub has stored a held response; after that it goes to disk.
	holdLimit = 5 * time.Second
	// maxHolding limits the held responses on their way to the hub, which stores one after the other and has each several times until then.
	maxHolding = 4
	// takeLimit is how long it waits for the hub to grant a released response.
	takeLimit = 10 * time.Second
	// maxParams limits the parameters kept with a request in flight, to be shown if its response is held.
	maxParams = 8 << 20
	// maxItem is the longest item name kept with a held response.
	maxItem = 16 << 10
)

// quarantine stores responses that may not reach the client, and delivers those that a person released.
type quarantine struct {
	*exchange
	turns    chan struct{} // one token for each response that is being stored
	releases releases
}

// holdBack stores a whole response and then tells the client. It returns at once: nothing else waits for it.
func (q *quarantine) holdBack(r *request, body []byte, failed bool, f found) {
	held := control.Held{
		ID: q.journal.requestID(r), Time: time.Now().UTC(), Client: q.clientName(), Session: q.cfg.Session, Era: q.era().String(),
		Method: cut.Bytes(r.methodName(), 200), Item: r.item, Name: r.subject(), Params: r.params, Answer: body, Bytes: int64(len(body)), Error: failed,
		Why: vocab.HeldThreat, Score: f.Score, Findings: slices.Concat(f.Findings, f.Secrets), Checks: f.Checks, RuleSet: f.RuleSet, Guards: f.guards.verdicts,
	}
	switch {
	case f.Verdict == inspect.Block:
	case f.TooLong || f.guards.beyond && !f.guards.failed:
		held.Why = vocab.HeldLimit
	case f.guards.failed:
		held.Why = vocab.HeldProvider
		held.Findings = append(held.Findings, unguarded(f.guards))
	}
	if len(held.Item) > maxItem { // no pinned item has a URI as long as a page
		held.Item, held.Name = "", cut.Bytes(held.Name, maxItem)
	}
	if len(body) > control.MaxHeldAnswer {
		held.Answer = nil
	}
	if same, err := r.same(); err == nil && !r.cut {
		held.Same = same // an ambiguous one never counts as the same
	}
	q.beside(r, func() {
		ctx, cancel := context.WithTimeout(context.Background(), holdLimit)
		defer cancel()
		select {
		case q.turns <- struct{}{}:
			defer func() { <-q.turns }()
		case <-ctx.Done(): // it goes to disk
		}
		kept, err := q.cfg.Gate.Hold(ctx, held)
		if err != nil {
			q.journal.unkept(err)
		}
		text, d := q.heldWords(r, &held, kept.Code, err == nil)
		q.client.Enqueue(refusalLine(r, text, d))
		q.journal.held(r, kept.Code, held, len(body))
	})
}

// heldWords is what the client is told about a held response.
func (q *quarantine) heldWords(r *request, held *control.Held, code string, kept bool) (string, refusal.Decision) {
	v := q.view()
	sub := q.subjectIn(v, r)
	server := legible.SpokenServer(v.State.Name, "this server")
	phrase, clean := refusal.Spoken(sub, server)
	d := refusal.Decision{Code: code, Kind: vocab.ItemResponseHeld, Server: server, Status: vocab.OutcomeHeld}
	if sub.Noun == "tool" {
		d.Tool = clean
	}
	because := "it may try to make you do something the user did not ask for"
	switch held.Why {
	case vocab.HeldLimit:
		because = "it is too large to check"
	case vocab.HeldProvider:
		because = "a check that the user asked for could not be made"
	case vocab.HeldThreat:
	}
	text := fmt.Sprintf("[Sallyport] %s was run, and its response was held because %s.", phrase, because)
	if r.method != methodCall {
		text = fmt.Sprintf("[Sallyport] The response from %s was held because %s.", strings.ToLower(phrase[:1])+phrase[1:], because)
	}
	switch {
	case !kept:
		return text + " It couldn't be stored, so it is lost. Tell the user: open Sallyport.", d
	case code == "":
		return text + " Tell the user: open Sallyport. Do not retry before the user has decided.", d
	case r.method != methodCall || held.Error: // our own tool could not deliver anything but a tool's result
		return text + fmt.Sprintf(" Tell the user: open Sallyport, inbox item %s. Do not retry before the user says it is released; then make the same request again.", code), d
	}
	return text + fmt.Sprintf(" Tell the user: open Sallyport, inbox item %s. Do not retry; retrying will not help. Once the user says it is released, call %s with quarantine_id %s.", code, toolRelease, code), d
}

// releases are the held responses that this session delivers or has delivered: none goes out twice, whatever the hub hears and when.
type releases struct {
	mu   sync.Mutex
	code map[string]bool // delivered; false while it is on its way
}

// begin claims a code for one delivery: taken says what has it already, "" when this delivery is the only one. The delivery that has it
// calls release when it delivers nothing.
func (l *releases) begin(code string) (taken vocab.HeldState) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch delivered, known := l.code[code]; {
	case delivered:
		return vocab.HeldDelivered
	case known:
		return vocab.HeldTaken
	}
	if l.code == nil {
		l.code = map[string]bool{}
	}
	l.code[code] = false
	return ""
}

func (l *releases) delivered(code string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.code[code] = true
}

func (l *releases) release(code string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.code, code)
}

// releasedFor is the code of a released response that this request gets instead of running again, "" for none. It reads the hub's last
// state itself: the view may be a moment behind.
func (q *quarantine) releasedFor(r *request, now time.Time) string {
	state := q.cfg.Gate.State()
	released := state.Released
	if len(released) == 0 || r.cut || r.retries() {
		return ""
	}
	same, err := r.same()
	if err != nil {
		return ""
	}
	if len(state.SameKey) > 0 {
		same = control.Keyed(state.SameKey, same)
	}
	for _, one := range released {
		if one.Same == same && now.Before(one.Until) {
			return one.Code
		}
	}
	return ""
}

// deliverReleased delivers a released response, once. same: to the same request made again, else to quarantine_release.
func (q *quarantine) deliverReleased(r *request, code string, same bool) {
	waiting := code
	refuseWith := func(text string) {
		v := q.view()
		d := refusal.Decision{Code: waiting, Kind: vocab.ItemResponseHeld, Server: legible.SpokenServer(v.State.Name, "this server"), Status: vocab.OutcomeHeld}
		q.client.Enqueue(refusalLine(r, text, d))
	}
	if taken := q.releases.begin(code); taken != "" {
		refuseWith(takenText(taken, code))
		return
	}
	giveBack := sync.OnceFunc(func() { q.releases.release(code) })
	delivered := false
	defer func() {
		if !delivered {
			giveBack()
		}
	}()
	refuse := func(text string) {
		giveBack() // first: a client that hears the refusal may ask again at once
		refuseWith(text)
	}
	ctx, cancel := context.WithTimeout(context.Background(), takeLimit)
	defer cancel()
	taken, err := q.cfg.Gate.Take(ctx, control.Take{Code: code, Client: q.clientName(), Same: same})
	switch {
	case err != nil:
		refuse(fmt.Sprintf("[Sallyport] Sallyport isn't responding, so it can't deliver the response held as %s now. Try again in a minute.", code))
		return
	case taken.State != vocab.HeldTaken || taken.Answer == nil:
		switch taken.State {
		case vocab.HeldWaiting, vocab.HeldReleased, vocab.HeldExpired:
		default:
			waiting = "" // nothing is held under that code
		}
		refuse(takenText(taken.State, code))
		return
	}
	line := q.releasedLine(r, taken, code)
	if line == nil {
		refuse(fmt.Sprintf("[Sallyport] The response held as %s can't be delivered: it is damaged. Tell the user: open Sallyport.", code))
		return
	}
	if same && refusesFile(q.view(), r, line) != refusal.None { // its skill has changed since, or its marked parts were removed
		refuse(fmt.Sprintf("[Sallyport] The response held as %s can't be delivered: it is not the file that its skill lists. Tell the user: open Sallyport.", code))
		return
	}
	of := policy.ForWrapper(taken.Settings) // the settings of the tool it came from
	light, tool := spotlightUnder(&of, r.wish), r.called()
	light.source = spotlightSource(q.view(), r)
	if !same { // the tool that was called is ours
		tool = recorded(taken.Tool)
		light.source = taken.Server + "/" + legible.Name(q.knownTool(taken), "a tool")
	}
	sent, done, bad := q.change(&of, light, line, secretsIn(&of, taken.Answer))
	if bad.why != "" {
		refuse(fmt.Sprintf("[Sallyport] The response held as %s can't be delivered: %s. Tell the user: open Sallyport.", code, bad.why))
		return
	}
	if q.came.on(&of) {
		if v, news := q.came.values(pin.Key(pin.Tool, taken.Tool), taken.Answer, true); news {
			v.Request = q.journal.requestID(r)
			q.came.tell([]control.Values{v})
		}
	}
	q.releases.delivered(code) // first, too: it may ask again as soon as it has it
	if q.client.Write(sent) != nil || q.client.Flush() != nil {
		return // the client is gone; the hub makes it available again
	}
	delivered = true
	q.journal.releaseDelivered(r, taken, code, len(line))
	q.journal.changed(r, cameFrom{tool, code}, done)
}

// releasedLine is the response: the server's own object with all its parts, and our note that it was released.
func (q *quarantine) releasedLine(r *request, taken control.Taken, code string) []byte {
	answer := taken.Answer
	if frame.Validate(answer) != nil {
		return nil
	}
	root := frame.Root(answer)
	if taken.Error {
		line := append(appendHead(nil, r.id), `,"error":`...)
		return append(append(line, answer...), "}\n"...)
	}
	if frame.Type(answer, root) == '{' {
		d := refusal.Decision{Code: code, Kind: vocab.ItemResponseHeld, Server: legible.SpokenServer(taken.Server, "this server"), Tool: legible.Name(q.knownTool(taken), ""), Status: vocab.OutcomeReleased}
		word := append([]byte(`"sallyport/decision":`), d.Append(nil)...)
		var edits []frame.Edit
		if meta, ok := frame.Find(answer, root, "_meta"); ok && frame.Type(answer, meta) == '{' {
			edits = frame.AppendMember(answer, meta, word)
		} else if !ok {
			edits = frame.AppendMember(answer, root, append(append([]byte(`"_meta":{`), word...), '}'))
		}
		answer = frame.Splice(nil, answer, edits)
	}
	return resultLine(r, answer)
}

// takenText says why nothing is delivered, with a sentence for each reason.
func takenText(state vocab.HeldState, code string) string {
	switch state {
	case vocab.HeldWaiting:
		return fmt.Sprintf("[Sallyport] The response held as %s needs the user's review. Tell the user: open Sallyport, inbox item %s. Do not retry before the user has decided.", code, code)
	case vocab.HeldReleased:
		return fmt.Sprintf("[Sallyport] The response held as %s is released, but it is not a tool's result: make the same request again to get it.", code)
	case vocab.HeldTaken:
		return fmt.Sprintf("[Sallyport] The response held as %s is being delivered to another call right now.", code)
	case vocab.HeldDelivered:
		return fmt.Sprintf("[Sallyport] The response held as %s was already delivered. A response is delivered only once.", code)
	case vocab.HeldExpired:
		return fmt.Sprintf("[Sallyport] The release of %s ran out before the response was collected. Tell the user: open Sallyport, inbox item %s, and release it again.", code, code)
	case vocab.HeldDiscarded:
		return fmt.Sprintf("[Sallyport] The user discarded the response held as %s.", code)
	case vocab.HeldGone:
		return fmt.Sprintf("[Sallyport] The response held as %s is no longer stored.", code)
	}
	return fmt.Sprintf("[Sallyport] No response is held as %s.", code)
}

// knownTool is the name by which the client knows the tool that a released response is from, as far as this wrapper can tell: it may be
// another server's.
func (q *quarantine) knownTool(taken control.Taken) string {
	v := q.view()
	if name, ok := v.Delivered(pin.Tool, taken.Tool); ok && taken.Server == v.State.Name {
		return name
	}
	return taken.Tool
}
