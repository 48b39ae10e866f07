package proxy

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
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

const (
	// askLimit is how long a server waits until the hub has stored a refused request.
	askLimit = 5 * time.Second
	// askTurns is how many refused requests are reported to the hub at once, which is how many of a kind an item shows. If a server asks
	// faster, requests are refused without a code and only counted.
	askTurns = 10
)

// askVerdict is the decision on a request of the server.
type askVerdict uint8

const (
	askRefuse askVerdict = iota // by the setting; no item
	askHold                     // refused, but a person can decide
	askPass
)

// judgeAsk applies interaction.policy: a pure function from facts to verdict. grave means a finding of High or above, or a total score that
// blocks; allowed is what a person approved for this kind.
func judgeAsk(policy string, grave bool, allowed control.Allowed, digest pin.Digest) askVerdict {
	approved := digest != "" && slices.Contains(allowed.Requests, digest)
	switch policy {
	case "allow":
		return askPass
	case "guard":
		if !grave || approved {
			return askPass
		}
		return askHold
	case "ask": // as strict as guard, and also asks
		if approved || allowed.All && !grave {
			return askPass
		}
		return askHold
	}
	return askRefuse
}

// interactions applies interaction.policy to a server's requests to the client or the person.
type interactions struct {
	*exchange
	turns chan struct{} // one token for each refused request being reported to the hub

	questions questionLog
}

// refusesAsk inspects a request of an open server before the client sees it, and reports whether it was refused.
func (s *interactions) refusesAsk(v *declared.View, line []byte, m *frame.Message) bool {
	id, params := m.ID.Of(line), m.Params.Of(line)
	method := string(m.Method)
	kind := vocab.AskOf(method)
	found := s.watched(v, line, m)
	found.Findings = append(inspect.Asked(method, params), found.Findings...)
	digest, err := askDigest(method, params)
	if err == nil && s.saysMore(line, m) { // text outside the params counts too
		whole := bytes.TrimSpace(frame.Splice(nil, line, frame.CutMembers(line, frame.Root(line), func(key string, _ frame.Member) bool { return key == "id" })))
		digest, err = pin.DigestOf("request", method, whole)
	}
	if err != nil || len(params) > 0 && params[0] != '{' { // lists have no digest of their own
		digest = ""
	}
	verdict := weighAsk(v, kind, found, digest)
	page, shown := s.unapprovedPage(v, params)
	if shown {
		verdict, found.Findings = askRefuse, append(found.Findings, page.finding)
	}
	if verdict == askPass {
		s.journal.asked(kind, v.Policy.Interaction, found)
		return false
	}
	s.client.Uncork() // the server's pipe may be full: don't let the client's responses wait for it
	id = bytes.Clone(id)
	mode := v.Policy.Interaction
	asked, started := askedOf(m.Method, line), time.Now()
	refused := control.Interaction{Method: method, Params: params, Client: s.clientName(), Findings: found.Findings}
	s.askPerson(verdict == askHold && digest != "", refused, func(code string) {
		code = cmp.Or(code, page.code)
		text, d := s.askRefused(kind, code, page)
		s.server.Enqueue(errorLine(id, CodeRefused, text, d.Append(nil)))
		s.journal.refusedInteraction(kind, mode, code, found)
		s.journal.asks.note(&s.journal, asked, outcome{status: vocab.StatusBlocked, code: code}, started)
	})
	return true
}

// weighAsk is judgeAsk for an inspected request; one without a digest can't have been approved.
func weighAsk(v *declared.View, kind vocab.Ask, found inspect.AnswerVerdict, digest pin.Digest) askVerdict {
	grave := digest == "" || found.Verdict == inspect.Block || found.TooLong && v.Policy.HoldBeyond || inspect.Worst(found.Findings).Rank() >= inspect.High.Rank()
	var allowed control.Allowed
	for _, a := range v.State.Asks {
		if a.Kind == kind {
			allowed = a
		}
	}
	return judgeAsk(v.Policy.Interaction, grave, allowed, digest)
}

// askPerson stores a refused request for a person, if there is anything to decide, and then calls say with its item's code, or "".
func (s *interactions) askPerson(decides bool, refused control.Interaction, say func(code string)) {
	if !decides || len(refused.Params) > control.MaxInteraction {
		say("")
		return
	}
	select {
	case s.turns <- struct{}{}:
	default:
		say("")
		return
	}
	refused.Params = bytes.Clone(refused.Params)
	s.aside.run(func() {
		defer func() { <-s.turns }()
		ctx, cancel := context.WithTimeout(context.Background(), askLimit)
		defer cancel()
		kept, err := s.cfg.Gate.Interaction(ctx, refused)
		if err != nil {
			kept.Code = "" // refused anyway; the record waits for the hub
		}
		say(kept.Code)
	})
}

// askDigest is what an approval of a request is bound to: all of its params, except the progress token, which differs each time and is not
// text.
func askDigest(method string, params []byte) (pin.Digest, error) {
	if len(params) == 0 || params[0] != '{' {
		return pin.RequestDigest(method, params)
	}
	meta, ok := frame.Find(params, frame.Root(params), "_meta")
	only := !ok
	if ok && frame.Type(params, meta) == '{' {
		only = true
		frame.Members(params, meta, func(key string, m frame.Member) bool {
			only = key == "progressToken" && len(m.Value.Of(params)) <= 40
			return only
		})
	}
	if only {
		return pin.RequestDigest(method, params)
	}
	return pin.DigestOf("request", method, params)
}

// askWords are our words for kinds of requests.
var askWords = map[vocab.Ask]string{
	vocab.AskSampling:    "The server %q asked for a text to be written. The request",
	vocab.AskElicitation: "The question from the server %q to the user",
	vocab.AskRoots:       "The request from the server %q for the user's folders",
	vocab.AskOther:       "A request from the server %q",
}

// askRefused is our message for a refused request.
func (s *interactions) askRefused(kind vocab.Ask, code string, page askedPage) (text string, d refusal.Decision) {
	state := s.view().State
	server := legible.SpokenServer(state.Name, "this server")
	text = "[Sallyport] " + fmt.Sprintf(askWords[kind], server) + " was blocked" + page.because() + "."
	if code != "" {
		text += fmt.Sprintf(" The user can decide on it in Sallyport, inbox item %s.", code)
	}
	return text + " Do not retry; retrying will not help.", refusal.Decision{Code: code, Kind: vocab.ItemInteraction, Server: server, Status: vocab.OutcomeBlocked}
}

// passesNotification reports whether a notification of an open server may pass; otherwise it is dropped and recorded.
func (s *interactions) passesNotification(line []byte, m *frame.Message) bool {
	v := s.view()
	found := s.watched(v, line, m)
	switch {
	case found.Verdict == inspect.Block:
		s.journal.counted(vocab.ModeAlways, "dropped a notification from the server because it had a warning", vocab.StatusBlocked, "inspect", found.Findings...)
		return false
	case found.TooLong && v.Policy.HoldBeyond:
		s.journal.counted(limitMode(true), "dropped a notification from the server: it is larger than inspect.max_bytes", vocab.StatusBlocked, "inspect")
		return false
	case found.TooLong:
		s.journal.counted(limitMode(false), "a notification from the server passed unchecked: it is larger than inspect.max_bytes", vocab.StatusWarned, "inspect")
	case found.Verdict == inspect.Flag:
		s.journal.counted(vocab.ModeAlways, "a notification from the server passed with a warning", vocab.StatusWarned, "inspect", found.Findings...)
	}
	return true
}
