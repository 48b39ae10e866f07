package proxy

import (
	"bytes"
	"context"
	"sync/atomic"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/declared"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/refusal"
	"github.com/sallyport/sallyport/proxy/vocab"
)

const (
	// callLimit is how long a call waits for the hub's word, which is no person's: the hub answers at once.
	callLimit = 5 * time.Second
	// maxAskedCalls limits the calls that wait for it.
	maxAskedCalls = 1024
)

// askedCalls are calls that a person may have to decide on: each call of a tool whose mode says so (tools.mode = ask), and one that may carry what
// came out of a server to another place (flow.policy). The hub is asked beside the reading goroutines; a call is answered at once and never held
// open for a person.
type askedCalls struct {
	*exchange
	asking atomic.Int32 // calls that wait for the hub
	sought inFlight     // those calls, which their client may cancel
}

// askedCall is what the hub is asked, and by what.
type askedCall struct {
	control.Call
	check vocab.CallCheck
	said  []byte // what the hub is told if it is not asked (cameOut.say)
}

// asks reports whether the hub has to be asked about a call, and what.
func (c *askedCalls) asks(v *declared.View, r *request, line []byte) (call askedCall, asks bool) {
	if r.method != methodCall || r.granted {
		return call, false
	}
	call.Arguments = argumentsOf(line)
	call.said, asks = c.came.flowOf(v, r.item, call.Arguments, &call.Call)
	call.check = vocab.CheckFlow
	if v.PolicyOf(r.item).Mode == "ask" {
		call.check, asks = vocab.CheckAsk, true
	}
	return call, asks
}

// ask asks the hub about a call, which then goes on (admit) or is refused.
func (c *askedCalls) ask(v *declared.View, r *request, line []byte, call askedCall, admit func(v *declared.View, r *request, line []byte, now time.Time)) {
	if !c.complete(v, r, line, &call) {
		c.tooLarge(v, r, call.check, nil)
		return
	}
	if c.asking.Add(1) > maxAskedCalls {
		c.asking.Add(-1)
		c.refuse(r, refusal.NoHub)
		return
	}
	if c.sought.add(r) == 0 {
		c.asking.Add(-1)
		c.client.Enqueue(takenLine(r.id))
		return
	}
	line = bytes.Clone(line)
	c.beside(r, func() {
		defer c.asking.Add(-1)
		ctx, cancel := context.WithTimeout(context.Background(), callLimit)
		defer cancel()
		answer, err := c.cfg.Gate.Call(ctx, call.Call)
		if !c.sought.takeIf(r) {
			return // cancelled meanwhile: a grant that it took is used up
		}
		if err != nil && call.check == vocab.CheckFlow && call.Flow == "note" {
			answer, err = control.CallAnswer{State: vocab.CallFree}, nil // it would not have been held up
		}
		switch {
		case err != nil:
			c.refuse(r, refusal.NoHub)
		case answer.State == vocab.CallGranted, answer.State == vocab.CallFree:
			now := c.view()
			if now.Digest(r.item) != call.Defined { // the answer was for another definition
				if call, asks := c.asks(now, r, line); asks {
					c.ask(now, r, line, call, admit)
					return
				}
			}
			if len(answer.Rules) > 0 {
				c.journal.flowNotes(r, call.Flow, answer.Rules)
			}
			r.granted = true
			admit(now, r, line, time.Now())
		case answer.State == vocab.CallLarge:
			c.tooLarge(v, r, call.check, answer.Rules)
		default:
			text, d := refusal.Asked(answer, call.check, control.MostCalls, c.subjectIn(v, r), v.State)
			c.refused(r, text, d, call.check, askedWords[answer.State])
		}
	})
}

// askedWords are what the timeline says.
var askedWords = map[vocab.CallState]string{
	vocab.CallWaiting: "it needs your review",
	vocab.CallRefused: "you refused this call",
	vocab.CallFull:    "too many calls need your review",
}

func (c *askedCalls) refused(r *request, text string, d refusal.Decision, check vocab.CallCheck, why string) {
	c.client.Enqueue(refusalLine(r, text, d))
	c.journal.asksFor(r, d, check, why)
}

// complete fills in the rest of what the hub is asked; not ok if no person could be shown these arguments.
func (c *askedCalls) complete(v *declared.View, r *request, line []byte, call *askedCall) (ok bool) {
	most := control.MaxCallArguments
	if call.check == vocab.CheckFlow {
		most = control.MaxFlowArguments
	}
	if len(call.Arguments) > most {
		return false
	}
	params, _ := frame.Find(line, frame.Root(line), "params")
	same := params.Of(line)
	if r.alias || r.delivered != "" {
		same = r.renamed(same, r.known())
	}
	digest, err := pin.RequestDigest(r.methodName(), same)
	if err != nil {
		return false
	}
	call.Client, call.Item, call.Defined, call.Same, call.Arguments, call.Check = c.clientName(), r.item, v.Digest(r.item), digest, bytes.Clone(call.Arguments), call.check
	return true
}

// tooLarge is what the client is told of a call whose arguments can't be shown.
func (c *askedCalls) tooLarge(v *declared.View, r *request, check vocab.CallCheck, rules []int) {
	text, d := refusal.TooLarge(rules, check, c.subjectIn(v, r), v.State)
	c.refused(r, text, d, check, "its arguments can't be shown to you")
}

// argumentsOf are the arguments of a call.
func argumentsOf(line []byte) []byte {
	if span, found := frame.Find(line, frame.Root(line), "params", "arguments"); found {
		return span.Of(line)
	}
	return []byte("{}")
}
