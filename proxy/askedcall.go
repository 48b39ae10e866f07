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

// askedCalls are calls of tools that a person decides on one by one (tools.mode = ask). The hub is asked beside the reading goroutines; a call is
// answered at once and never held open for a person.
type askedCalls struct {
	*exchange
	asking atomic.Int32 // calls that wait for the hub
	sought inFlight     // those calls, which their client may cancel
}

// asks reports whether a call needs a person's word.
func (c *askedCalls) asks(v *declared.View, r *request) bool {
	return r.method == methodCall && v.PolicyOf(r.item).Mode == "ask" && !r.granted
}

// ask asks the hub about a call, which then goes on (admit) or is refused.
func (c *askedCalls) ask(v *declared.View, r *request, line []byte, admit func(v *declared.View, r *request, line []byte, now time.Time)) {
	call, ok := c.callOf(v, r, line)
	if !ok {
		text, d := refusal.TooLarge(c.subjectIn(v, r), v.State)
		c.refused(r, text, d, "its arguments can't be shown to you")
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
		answer, err := c.cfg.Gate.Call(ctx, call)
		if !c.sought.takeIf(r) {
			return // cancelled meanwhile: a grant that it took is used up
		}
		switch {
		case err != nil:
			c.refuse(r, refusal.NoHub)
		case answer.State == vocab.CallGranted:
			now := c.view()
			if now.Digest(r.item) != call.Defined { // the grant was for another definition
				c.ask(now, r, line, admit)
				return
			}
			r.granted = true
			admit(now, r, line, time.Now())
		default:
			text, d := refusal.Asked(answer, control.MostCalls, c.subjectIn(v, r), v.State)
			c.refused(r, text, d, askedWords[answer.State])
		}
	})
}

// askedWords are what the timeline says.
var askedWords = map[vocab.CallState]string{
	vocab.CallWaiting: "it needs your review",
	vocab.CallRefused: "you refused this call",
	vocab.CallFull:    "too many calls need your review",
}

func (c *askedCalls) refused(r *request, text string, d refusal.Decision, why string) {
	c.client.Enqueue(refusalLine(r, text, d))
	c.journal.asksFor(r, d, why)
}

// callOf is what the hub is asked; not ok if no person could be shown these arguments.
func (c *askedCalls) callOf(v *declared.View, r *request, line []byte) (call control.Call, ok bool) {
	params, _ := frame.Find(line, frame.Root(line), "params")
	arguments := []byte("{}")
	if span, found := frame.Find(line, params, "arguments"); found {
		arguments = span.Of(line)
	}
	if len(arguments) > control.MaxCallArguments {
		return call, false
	}
	same := params.Of(line)
	if r.alias || r.delivered != "" {
		same = r.renamed(same, r.known())
	}
	digest, err := pin.RequestDigest(r.methodName(), same)
	if err != nil {
		return call, false
	}
	return control.Call{Client: c.clientName(), Item: r.item, Defined: v.Digest(r.item), Same: digest, Arguments: bytes.Clone(arguments), Check: vocab.CheckAsk}, true
}
