package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
)

// maxShownAnswer is how much of one text of a held answer stands on a page. --json has all of it.
const maxShownAnswer = 64 << 10

func aboutHeld(d control.ItemDetail) bool { return d.Held != nil }

func heldMeaning(d control.ItemDetail) string {
	switch d.Held.Why {
	case control.HeldLimit:
		return "The answer is larger than what is looked at, so nobody knows what is in it. It was\nheld back before the model saw it; the call itself was made."
	case control.HeldProvider:
		return "The answer could not be looked at in full. It was held back before the model saw\nit; the call itself was made."
	}
	return "The answer reads like orders to the model, not like data for you. It was held\nback before the model saw it; the call itself was made. Nobody has done what it\nsays. What it says is below, as text and nothing else."
}

// heldConsequence says what happens if nothing is done, and where a decision is made.
func heldConsequence(d control.ItemDetail, decides control.Welcome) (lines []string) {
	held, code := d.Held, text(d.Code)
	if rest := heldBeside(d); rest != "" {
		defer func() { lines = append(lines, rest) }()
	}
	switch held.State {
	case control.HeldReleased:
		return []string{"It is released. The client gets it once, until " + clock(held.Until) + ", by its code or by the same", "request again; asked for by nobody until then, it waits here again."}
	case control.HeldTaken:
		return []string{"It is being handed over."}
	case control.HeldDelivered:
		return []string{"It was handed over at " + clock(held.Delivered) + ". It is handed over once, and not kept any more."}
	case control.HeldDiscarded:
		return []string{"It was thrown away."}
	case control.HeldGone:
		return []string{"Its text is not kept any more: there is nothing to release. What was found stays."}
	}
	lines = []string{"If you do nothing, the model never sees it."}
	if !held.Expires.IsZero() {
		lines = append(lines, "Its text is kept until "+clock(held.Expires)+".")
	}
	if held.State == control.HeldExpired {
		lines = append(lines, "It was released before, and nobody asked for it in time.")
	}
	if held.Unsure {
		lines = append(lines, "It was released before, and what was to hand it over ended in the middle: the model may", "have seen it.")
	}
	switch {
	case decides.Window:
		return append(lines, "Decide in the window.")
	case !decides.CLIApproval:
		return append(lines, "This hub decides nothing: open the Sallyport window to decide.")
	}
	lines = append(lines, fmt.Sprintf("sallyport release %s                    lets the model have it, once", code))
	if held.Why == control.HeldThreat {
		lines = append(lines, fmt.Sprintf("sallyport release %s --without-marked   the same without the sentences found here", code))
	}
	lines = append(lines, fmt.Sprintf("sallyport discard %s                    throws it away", code))
	if len(held.Excepts) > 0 {
		lines = append(lines, fmt.Sprintf("sallyport except %s                     lets this tool's answers pass these rules, for an hour", code))
	}
	return lines
}

// heldBeside says how many responses wait in the same item, "" where this is the only one.
func heldBeside(d control.ItemDetail) string {
	if d.Count < 2 {
		return ""
	}
	which := "This is one of them"
	if len(d.Codes) > 0 && d.Codes[0] == d.Code {
		which = "This is the newest"
	}
	return fmt.Sprintf("%d responses like it are held, from %s to %s. %s.", d.Count, clock(d.First), clock(d.Last), which)
}

func clock(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

// held prints what was asked and what came. Nothing of it is more than text: every row stands behind the gutter, escaped.
func (p *page) held(d control.ItemDetail) {
	held := d.Held
	fact := func(name, value string) {
		if value != "" {
			p.line("  ", fmt.Sprintf("%-13s", name), value)
		}
	}
	p.printf("\n%s\n", p.paint(bold, "What was asked"))
	fact("request", held.Method)
	fact("name", held.Name)
	fact("client", held.Client)
	fact("at", clock(held.Time))
	if len(held.Params) > 0 {
		p.printf("  with, secrets masked:\n")
		p.quoted("  ", indented(held.Params))
	}
	p.printf("\n%s\n", p.paint(bold, "What was found in the answer"))
	for _, part := range d.Details {
		p.findings("  ", part.Findings)
	}
	for _, check := range held.Checks {
		words := "looked for: "
		if !check.Ran {
			words = "not looked for: "
		}
		p.line("  ", words, strings.TrimSuffix(check.Check+", "+check.Why, ", "))
	}
	if held.Score > 0 {
		p.printf("  weighed together %.2f, by rule set %s\n", held.Score, text(held.RuleSet))
	}
	what := "The answer"
	if held.Error {
		what = "The answer, an error"
	}
	p.printf("\n%s\n", p.paint(bold, fmt.Sprintf("%s, %d bytes", what, held.Bytes)))
	if len(held.Answer) == 0 {
		p.printf("  its text is not kept any more\n")
		return
	}
	texts, whole := answerTexts(held.Answer)
	for i, t := range texts {
		p.printf("  text %d of %d:\n", i+1, len(texts))
		p.quoted("  ", inspect.Escape(t))
	}
	if !whole {
		p.printf("  all of it, as it came:\n")
		p.quoted("  ", indented(held.Answer))
	}
}

// quoted is quote, of no more than a person scrolls through.
func (p *page) quoted(indent, escaped string) {
	if len(escaped) > maxShownAnswer {
		cut := maxShownAnswer
		for cut > 0 && escaped[cut]&0xC0 == 0x80 {
			cut--
		}
		p.quote(indent, piece{text: escaped[:cut]})
		p.printf("%s%d bytes more: --json has all of it\n", indent, len(escaped)-cut)
		return
	}
	p.quote(indent, piece{text: escaped})
}

// answerTexts are the text blocks of a tool's result, as text. whole: there is nothing else in it.
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
