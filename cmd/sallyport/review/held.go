package review

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// maxShownAnswer is how much of one text of a held response a page shows. --json has all of it.
const maxShownAnswer = 64 << 10

func AboutHeld(d control.ItemDetail) bool { return d.Held != nil }

func heldMeaning(d control.ItemDetail) string {
	switch d.Held.Why {
	case vocab.HeldLimit:
		return "The response is too large to check, so Sallyport can't say what is in it. It\nwas held before the model saw it. The call itself was made."
	case vocab.HeldProvider:
		return "Sallyport couldn't check all of the response. It was held before the model saw\nit. The call itself was made."
	default:
		if byProviders(d) {
			return "An extra check that you switched on says it is an attack; Sallyport's own rules\nfound less. It was held before the model saw it. The call itself was made, and\nnothing the response asks for was done. Its text is below, as text and nothing\nelse."
		}
		return "The response reads like orders to the model, not like data for you. It was\nheld before the model saw it. The call itself was made, and nothing the\nresponse asks for was done. Its text is below, as text and nothing else."
	}
}

// byProviders reports whether guardrail providers alone hold a response: nothing of our own rules is serious.
func byProviders(d control.ItemDetail) bool {
	held := false
	for _, f := range findingsOf(d) {
		if f.Level.Rank() < inspect.High.Rank() {
			continue
		}
		if !strings.HasPrefix(f.Rule, inspect.GuardrailPrefix) {
			return false
		}
		held = true
	}
	return held
}

func findingsOf(d control.ItemDetail) (all []inspect.Finding) {
	for _, part := range d.Details {
		all = append(all, part.Findings...)
	}
	return all
}

// heldConsequence says what happens if nothing is done, and where a decision is made.
func heldConsequence(d control.ItemDetail, decides control.Welcome) (lines []string) {
	held, code := d.Held, terminal.Text(d.Code)
	switch held.State {
	case vocab.HeldReleased:
		return []string{"It is released. The client can collect it once, until " + terminal.Clock(held.Until) + ",", "with the code or by the same request again. After that, it's held again."}
	case vocab.HeldTaken:
		return []string{"It is being delivered."}
	case vocab.HeldDelivered:
		return []string{"It was delivered at " + terminal.Clock(held.Delivered) + ". A response is delivered once and then deleted."}
	case vocab.HeldDiscarded:
		return []string{"It was deleted."}
	case vocab.HeldGone:
		return []string{"Its text is no longer stored, so there is nothing to release. The warnings stay."}
	case vocab.HeldWaiting, vocab.HeldExpired: // it can be decided on
	}
	lines = []string{"If you do nothing, the model never sees it."}
	if !held.Expires.IsZero() {
		lines = append(lines, "Its text is kept until "+terminal.Clock(held.Expires)+".")
	}
	if held.State == vocab.HeldExpired {
		lines = append(lines, "It was released before and not collected in time.")
	}
	if held.Unsure {
		lines = append(lines, "Its delivery was interrupted before: the model may have seen it.")
	}
	commands := []string{fmt.Sprintf("sallyport release %s                    releases it, once", code)}
	if held.Why == vocab.HeldThreat && inspect.Removable(findingsOf(d)) {
		commands = append(commands, fmt.Sprintf("sallyport release %s --without-marked   releases it without the marked sentences", code))
	}
	commands = append(commands, fmt.Sprintf("sallyport discard %s                    deletes it", code))
	if len(held.Excepts) > 0 {
		commands = append(commands, fmt.Sprintf("sallyport except %s                     allows responses like this one from the tool for an hour", code))
	}
	return append(lines, whereToDecide(decides, commands...)...)
}

// heldBeside is a line that counts the other responses in the same item, if there are any.
func heldBeside(d control.ItemDetail) []string {
	if d.Count < 2 {
		return nil
	}
	which := "This is one of them"
	if len(d.Codes) > 0 && d.Codes[0] == d.Code {
		which = "This is the newest"
	}
	return []string{fmt.Sprintf("%d responses like it are held, from %s to %s. %s.", d.Count, terminal.Clock(d.First), terminal.Clock(d.Last), which)}
}

// held prints the request and the response, as plain text: every row is behind the gutter, escaped.
func (p *page) held(d control.ItemDetail) {
	held := d.Held
	p.Printf("\n%s\n", p.Paint(terminal.Bold, "What was asked"))
	p.fact("request", held.Method)
	p.fact("name", held.Name)
	p.fact("client", held.Client)
	p.fact("at", terminal.Clock(held.Time))
	if len(held.Params) > 0 {
		p.Printf("  arguments, with secrets masked:\n")
		p.quoted("  ", terminal.Indented(held.Params))
	}
	n := 0
	for _, part := range d.Details {
		n += inspect.Warnings(inspect.Passages(part.Findings))
	}
	p.Printf("\n%s\n", p.Paint(terminal.Bold, fmt.Sprintf("Warnings in the response (%d)", n)))
	for _, part := range d.Details {
		p.warnings("  ", part.Findings)
	}
	for _, check := range held.Checks {
		words := "checked: "
		if !check.Ran {
			words = "not checked: "
		}
		p.Line("  ", words, strings.TrimSuffix(check.Check+", "+check.Why, ", "))
	}
	p.guards(held.Guards)
	if held.Score > 0 {
		p.Printf("  score %.2f, rule set %s\n", held.Score, terminal.Text(held.RuleSet))
	}
	what := "The response"
	if held.Error {
		what = "The response (an error)"
	}
	p.Printf("\n%s\n", p.Paint(terminal.Bold, fmt.Sprintf("%s, %d bytes", what, held.Bytes)))
	if len(held.Answer) == 0 {
		p.Printf("  its text is no longer stored\n")
		return
	}
	texts, whole := answerTexts(held.Answer)
	for i, t := range texts {
		p.Printf("  text %d of %d:\n", i+1, len(texts))
		p.quoted("  ", legible.Escape(t))
	}
	if !whole {
		p.Printf("  all of it, as received:\n")
		p.quoted("  ", terminal.Indented(held.Answer))
	}
}

// guards prints what guardrail providers said. A reason is a provider's own text, so it is quoted like the server's.
func (p *page) guards(verdicts []control.GuardVerdict) {
	for _, v := range verdicts {
		switch {
		case v.Unasked != "":
			p.Line("  ", "not asked: ", v.Provider+", "+v.Unasked)
			continue
		case v.Verdict == "":
			p.Line("  ", "no verdict: ", fmt.Sprintf("%s, %s", v.Provider, v.Failed))
			continue
		}
		p.Line("  ", "guardrail provider ", fmt.Sprintf("%s: %s, score %.2f, in %s", v.Provider, v.Verdict, v.Score, time.Duration(v.DurationUS)*time.Microsecond))
		if v.Failed != "" {
			p.Line("  ", "then it failed: ", v.Failed)
		}
		if v.Reason != "" {
			p.Printf("  its reason, in its own words, which may be wrong or made up:\n")
			p.quoted("  ", legible.Escape(v.Reason))
		}
	}
}

// quoted is Quote, limited to what a person would scroll through.
func (p *page) quoted(indent, escaped string) {
	shown := cut.Bytes(escaped, maxShownAnswer)
	p.Quote(indent, terminal.Piece{Text: shown})
	if more := len(escaped) - len(shown); more > 0 {
		p.Printf("%s%d more bytes: use --json to see all of it\n", indent, more)
	}
}

// answerTexts are the text blocks of a tool's result. whole: there is nothing else in it.
func answerTexts(raw json.RawMessage) (texts []string, whole bool) {
	var members map[string]json.RawMessage
	var blocks []map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil || json.Unmarshal(members["content"], &blocks) != nil {
		return nil, false
	}
	whole = len(members) == 1
	for _, block := range blocks {
		var kind string
		var text *string
		if json.Unmarshal(block["type"], &kind) != nil || kind != "text" || json.Unmarshal(block["text"], &text) != nil || text == nil {
			whole = false
			continue
		}
		whole = whole && len(block) == 2
		texts = append(texts, *text)
	}
	return texts, whole
}
