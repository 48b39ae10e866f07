package proxy

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/declared"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/refusal"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// exchange is what both directions share: the two pipes, the pending requests, the timeline, and the inspection of server text. It refuses,
// forwards and delivers; others decide what may pass.
type exchange struct {
	cfg    Config
	client *lineWriter
	server *lineWriter

	calls inFlight // requests to the server: the client's and our own
	asks  inFlight // the server's requests to the client

	eras    eras
	checks  *declared.Checker
	crowd   crowd
	life    life
	journal journal
	tasks   taskSet
	watch   inspect.Watch // inspects the server's responses
	rules   ownRules
	aside   *aside
	order   *deliveries
	came    *cameOut
}

// view is what may pass now.
func (x *exchange) view() *declared.View { return x.checks.View() }

// forward sends a request, registered first so that its response finds it.
func (x *exchange) forward(r *request, line []byte) {
	inFlight := x.calls.add(r)
	if inFlight == 0 {
		x.client.Enqueue(takenLine(r.id))
		return
	}
	x.crowd.see(inFlight, r.started)
	if err := x.server.Write(line); err != nil {
		time.AfterFunc(endsSoon, func() { x.untaken(r) })
	}
}

// endsSoon is how long a server that takes no more lines may take to exit. If it does, AnswerAll reports how.
const endsSoon = time.Second

// answerServer answers a request of the server ourselves. A server that asks endlessly and never reads fills its pipe, and this goroutine
// waits for it: the client's responses must not wait with it.
func (x *exchange) answerServer(line []byte) {
	x.client.Uncork()
	x.server.Enqueue(line)
}

// untaken answers a request that a living server did not take.
func (x *exchange) untaken(r *request) {
	if x.calls.take(r.id) != nil {
		x.client.Enqueue(errorLine(r.id, -32000, "[Sallyport] the server takes no more requests", nil))
		x.journal.answered(r, vocab.StatusError, 0)
	}
}

// refuse answers a request that did not reach the server, in our words, and records it.
func (x *exchange) refuse(r *request, why refusal.Reason) { x.refuseIn(r, why, false) }

// refuseResponse is refuse for a request that the server answered: the words do not say that nothing was run.
func (x *exchange) refuseResponse(r *request, why refusal.Reason) { x.refuseIn(r, why, true) }

func (x *exchange) refuseIn(r *request, why refusal.Reason, ran bool) {
	v := x.view()
	sub := x.subjectIn(v, r)
	sub.Ran = ran
	text, d := refusal.Of(why, sub, v.State)
	x.client.Enqueue(refusalLine(r, text, d))
	x.journal.refused(r, why, d, ran)
}

// beside runs f on another goroutine; r waits for it.
func (x *exchange) beside(r *request, f func()) {
	x.aside.run(func() {
		defer func() {
			if p := recover(); p != nil {
				x.journal.fault("a response", inspect.Fault(p))
				x.client.Enqueue(faultLine(r.id))
			}
		}()
		f()
	})
}

// clientNameLocked is the client's name: the value of --client, else its own name, cleaned. life.mu must be held.
func (x *exchange) clientNameLocked() string {
	if x.cfg.Client != "" {
		return x.cfg.Client
	}
	return legible.Name(strings.ReplaceAll(x.life.client, " ", "-"), "")
}

func (x *exchange) clientName() string {
	x.life.mu.Lock()
	defer x.life.mu.Unlock()
	return x.clientNameLocked()
}

// ownID is an id that nobody can guess, a number if the client uses numbers: one of 2^52 above any that a client counts to. A server can't
// forge a response to a request that it has not read.
func (x *exchange) ownID() []byte {
	var random [16]byte
	rand.Read(random[:])
	x.life.mu.Lock()
	numeric := x.life.numericIDs
	x.life.mu.Unlock()
	if numeric {
		n := binary.BigEndian.Uint64(random[:8])>>12 | 1<<51
		return strconv.AppendUint(nil, n, 10)
	}
	return []byte(`"` + hex.EncodeToString(random[:]) + `"`)
}

var (
	errUnreadable = errors.New("the response can be read in more than one way")
	errGone       = errors.New("the server did not respond")
)

// ask sends a request of our own, whose line has the id of r, and waits for the response: a readable message with result or error.
func (x *exchange) ask(ctx context.Context, r *request, line []byte) (answer []byte, err error) {
	if x.calls.add(r) == 0 {
		return nil, errGone
	}
	return x.sendOwn(ctx, r, line)
}

// sendOwn is ask for a request that is registered.
func (x *exchange) sendOwn(ctx context.Context, r *request, line []byte) (answer []byte, err error) {
	x.server.Enqueue(line)
	select {
	case <-ctx.Done():
		x.calls.take(r.id)
		return nil, errGone
	case answer := <-r.own:
		if answer == nil {
			return nil, errUnreadable
		}
		return answer, nil
	}
}

// ownRequest is a request of our own.
func (x *exchange) ownRequest(m method) *request {
	return &request{id: x.ownID(), method: m, modern: x.era() == eraModern, own: make(chan []byte, 1), started: time.Now()}
}

// state is the hub's last state, with the valid verdict on the launch: a hub that came back revokes none before it has been told.
func (x *exchange) state() *control.State {
	state := x.cfg.Gate.State()
	if x.cfg.Launch == nil {
		return state
	}
	verdict := x.cfg.Launch.verdict(state)
	if state.Launch != nil && state.Launch.Verdict == verdict {
		return state
	}
	with, launch := *state, control.LaunchState{Verdict: verdict}
	with.Launch = &launch
	return &with
}

// life is the state of the connection, and what the client said about itself.
type life struct {
	asked       atomic.Bool // the client has sent initialize
	answered    atomic.Bool // the server has answered it
	initialized atomic.Bool // the client has sent notifications/initialized
	wentOn      atomic.Bool // the client has sent more than initialize and ping
	apart       atomic.Bool // the server answered with a version we don't speak
	toldApart   atomic.Bool // the hub was told that the client and the server have no version in common
	discovered  atomic.Bool // the server has been greeted in the modern era, and serves it

	mu         sync.Mutex
	wanted     string // version requested by the client
	client     string // the client's own name
	numericIDs bool   // the client's ids are numbers, so ours are too

	stated sync.Once
	state  chan struct{} // closed once the hub's first state has come
}

// version is the version that the client asked for.
func (l *life) version() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.wanted
}

// stateCame wakes those who wait for the hub's first state.
func (l *life) stateCame() { l.stated.Do(func() { close(l.state) }) }

// awaitState waits for the first state of the hub, at most limit.
func (l *life) awaitState(limit time.Duration) {
	select {
	case <-l.state:
	case <-time.After(limit):
	}
}

// ready reports whether listings can be requested.
func (l *life) ready() bool { return l.answered.Load() && l.initialized.Load() }

// subjectOf reads the unescaped name in a request into r.
func (x *exchange) subjectOf(r *request, line []byte, m *frame.Message) {
	text := func(path ...string) string {
		span, ok := frame.Find(line, m.Params, path...)
		if !ok {
			return ""
		}
		name, wellFormed := frame.String(line, span)
		if !wellFormed {
			return ""
		}
		return name
	}
	switch r.method {
	case methodCall:
		if !m.Name.Empty() {
			name, wellFormed := frame.StringBytes(line, m.Name)
			if t, known := x.view().Tool(name); known && wellFormed {
				r.is(t)
				return
			}
		}
		r.means(x.view(), pin.Tool, text("name"))
	case methodGetPrompt:
		r.means(x.view(), pin.Prompt, text("name"))
	case methodComplete:
		if text("ref", "type") == "ref/prompt" {
			r.means(x.view(), pin.Prompt, text("ref", "name"))
		} else {
			r.name = text("ref", "uri")
			r.item = pin.Key(pin.ResourceTemplate, r.name)
		}
	case methodResource:
		r.name = text("uri")
		r.item = pin.Key(pin.Resource, r.name)
	case methodGetSkill, methodReadFolder:
		r.name = text("uri")
		r.item = pin.Key(pin.Skill, r.name)
	case methodTask:
		r.name = text("taskId")
		of := x.tasks.of(r.name)
		r.item, r.wish = of.item, of.wish
	case methodListTools, methodListPrompts, methodListResources, methodListTemplates, methodListSkills:
		r.cursor = text("cursor")
	}
}

func (x *exchange) subjectIn(v *declared.View, r *request) refusal.Subject {
	sub := refusal.Subject{Item: r.item, Name: r.known(), Noun: "request"}
	if r.said != "" && !v.Open() { // the other name would say that the item exists
		sub.Name = r.said
	}
	switch r.method {
	case methodCall:
		sub.Noun = "tool"
		sub.Ordinal = v.Ordinal(r.item)
	case methodGetPrompt:
		sub.Noun = "prompt"
	case methodResource, methodReadFolder:
		sub.Noun = "resource"
	case methodGetSkill:
		sub.Noun = "skill"
	case methodComplete:
		sub.Noun = "resource"
		if declared.HasKind(r.item, pin.Prompt) {
			sub.Noun = "prompt"
		}
	case methodTask:
		sub.Noun = "task"
	}
	return sub
}
