package review

import (
	"fmt"
	"strings"
	"time"

	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// AboutCall reports whether an item is about a call that a person decides on.
func AboutCall(d control.ItemDetail) bool { return d.Kind == vocab.ItemCallWaiting && d.Call != nil }

// meaningOf says why the item is there.
func meaningOf(d control.ItemDetail) string {
	why := "a server's response\nordered it (flow.policy)"
	for _, r := range d.Reasons {
		switch {
		case r.Check == vocab.CheckAsk:
			return callMeaning + "you decide on\neach call of this tool (tools.mode). Nothing was run."
		case r.At != "" && r.Rule != control.RuleOfOrders:
			return callMeaning + "something in it\ncame out of a server's response (flow.policy). Nothing was run."
		case r.Rule == 4:
			why = "it changes access\n(flow.policy)"
		}
	}
	return callMeaning + why + ". Nothing was run."
}

const callMeaning = "The client made this call, and Sallyport did not pass it on, because "

// callEnds prints where each value came from that is a reason, and where it would go.
func (p *page) callEnds(d control.ItemDetail) {
	first := true
	for _, r := range d.Reasons {
		if r.Check != vocab.CheckFlow {
			continue
		}
		if first {
			p.Printf("\n%s\n", p.Paint(terminal.Bold, "Why you are asked"))
			first = false
		}
		if r.Value != "" {
			p.fact(r.Kind, r.Value)
		}
		p.Printf("  %s\n", ruleWords(r))
		for _, from := range r.From {
			how := "in running text"
			if from.As == "field" {
				how = "as a field"
				if from.Member != "" {
					how += " named " + terminal.Text(from.Member)
				}
			}
			p.fact("came from", strings.Join([]string{from.Server, from.Tool, terminal.Clock(from.Time), how}, " · "))
		}
		to := d.Server + " · " + d.Call.Tool
		if r.At != "" {
			to += " · " + r.At
		}
		p.fact("would go to", to)
	}
}

// ruleWords says what a rule of docs/flow.md found.
func ruleWords(r control.CallReason) string {
	switch {
	case r.Overflowed:
		return "No response is known to have held it, but not all is known any more of what servers said, and you have never used it."
	case r.Rule == 1:
		return "It came out of a response, and you have never used it. The call would pass something on to it."
	case r.Rule == 2:
		return "It came out of a response, and you have never used it. The call can't be taken back."
	case r.Rule == control.RuleOfOrders:
		return "A response ordered what this tool does."
	case r.Rule == 4:
		return "The call sets a password, a key, a role or a permission."
	case r.Rule == 5:
		return "The call would contact a host that came out of a response, or carry something out of a response to one."
	}
	return "It is a secret that came out of another server's response."
}

// call prints what would run, and for whom.
func (p *page) call(d control.ItemDetail) {
	p.callEnds(d)
	p.Printf("\n%s\n", p.Paint(terminal.Bold, "What it would run"))
	p.fact("tool", d.Call.Tool)
	p.fact("client", d.Client)
	switch {
	case len(d.Call.Arguments) > 0:
		p.Printf("  arguments, with secrets masked:\n")
		p.quoted("  ", terminal.Indented(d.Call.Arguments))
	default:
		p.Printf("  its arguments are no longer kept\n")
	}
	p.fact("tool digest", string(d.Call.ToolDigest))
	if d.Call.More > 0 {
		p.Printf("  %s refused since, because %d wait already\n", terminal.Counted(d.Call.More, "more call"), control.MostCalls)
	}
}

// ForGood is what passes without a question from then on if a person allows a call for good.
func ForGood(d control.ItemDetail) string {
	values := control.Allowable(d.Reasons)
	if len(values) == 0 {
		return "the same call"
	}
	for i, v := range values {
		values[i] = terminal.Short(v, 60)
	}
	return "any call of " + terminal.Short(d.Call.Tool, 32) + " with " + strings.Join(values, " or ")
}

// callConsequence says what happens if nothing is done, and where a decision is made.
func callConsequence(d control.ItemDetail, decides control.Welcome, now time.Time) []string {
	code := terminal.Text(d.Code)
	switch {
	case d.Call.TakenBack:
		return []string{"You allowed it for good, and took that back. The next call like it needs your review again."}
	case d.Call.Always:
		return []string{"You allowed it for good: " + ForGood(d) + " passes without a question, until you take that back.", fmt.Sprintf("sallyport flow forget %s  takes it back; sallyport flow lists what is allowed for good", code)}
	case d.Call.Used:
		return []string{"You allowed it, and it was made once. The next call like it needs your review again."}
	case d.Decided == vocab.DecidedApproved && now.Before(d.Call.Until):
		return []string{"You allowed it: the same call passes once, until " + terminal.Clock(d.Call.Until) + ".", "Sallyport never makes a call itself: tell the client to make it again."}
	case d.Decided == vocab.DecidedApproved:
		return []string{"You allowed it, but it wasn't made in time. The next call like it needs your review again."}
	case d.Decided == vocab.DecidedRejected && len(d.Call.Arguments) > 0:
		return append([]string{"You refused it. For ten minutes the same call is refused without asking you."}, whereToDecide(decides,
			fmt.Sprintf("sallyport approve %s          allows it after all, once", code))...)
	case d.Decided != "":
		return []string{"This item is decided."}
	}
	return append([]string{"If you do nothing, it is never run. It waits until " + terminal.Clock(d.Expires) + "."}, whereToDecide(decides,
		fmt.Sprintf("sallyport approve %s           allows exactly this call, once, within ten minutes", code),
		fmt.Sprintf("sallyport approve %s --always  lets %s pass without a question", code, ForGood(d)),
		fmt.Sprintf("sallyport reject %s            refuses it, and the same call for ten minutes", code))...)
}
