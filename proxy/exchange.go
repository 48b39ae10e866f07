package proxy

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/declared"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
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

	checks  *declared.Checker
	crowd   crowd
	life    life
	journal journal
	tasks   taskSet
	watch   inspect.Watch // inspects the server's responses
	rules   ownRules
	aside   *aside
}

// view is what may pass now.
func (x *exchange) view() *declared.View { return x.checks.View() }

// forward sends a request, registered first so that its response finds it.
func (x *exchange) forward(r *request, line []byte) {
	inFlight := x.calls.add(r)
	if inFlight == 0 {
		x.client.Enqueue(errorLine(r.id, -32600, "[Sallyport] a request with this id is still in flight", nil))
		return
	}
	x.crowd.see(inFlight, r.started)
	if err := x.server.Write(line); err != nil {
		time.AfterFunc(endsSoon, func() { x.untaken(r) })
	}
}

// endsSoon is how long a server that takes no lines has to end: then its requests are told how it ended (AnswerAll).
const endsSoon = time.Second

// untaken answers a request that a living server did not take.
func (x *exchange) untaken(r *request) {
	if x.calls.take(r.id) != nil {
		x.client.Enqueue(errorLine(r.id, -32000, "[Sallyport] the server takes no more requests", nil))
		x.journal.answered(r, vocab.StatusError, 0)
	}
}

// refuse answers a request that did not reach the server, in our words, and records it.
func (x *exchange) refuse(r *request, why refusal.Reason) { x.refuseIn(r, why, false) }

// refuseAnswer is refuse for a request that the server answered: the words do not say that nothing was run.
func (x *exchange) refuseAnswer(r *request, why refusal.Reason) { x.refuseIn(r, why, true) }

func (x *exchange) refuseIn(r *request, why refusal.Reason, ran bool) {
	v := x.view()
	sub := x.subjectIn(v, r)
	sub.Ran = ran
	text, d := refusal.Of(why, sub, v.State)
	x.client.Enqueue(refusalLine(r.id, r.method, text, d))
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
	name := strings.Map(func(r rune) rune {
		if r == ' ' {
			return '-'
		}
		return r
	}, x.life.client)
	return legible.Name(name, "")
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
