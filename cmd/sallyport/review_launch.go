package main

import (
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
)

// launchMeaning says what it means that a server runs something else than was allowed. A grave change is one that could
// have run before anybody looked, and those are held back.
func launchMeaning(d control.ItemDetail) string {
	if d.Severity == "high" {
		return "What the server's command runs is not what was last allowed. Nothing of it was\nstarted, unless it ran already: a variable that loads code, or another program,\nwould run before anybody could look. Its calls are refused until this is decided."
	}
	return "What the server's command runs is not what was last allowed. Whether it runs\nmeanwhile is the setting pins.launch: with notify it does, with block its calls\nare refused. What a script imports is not covered (docs/launch.md)."
}

func launchConsequence(d control.ItemDetail) []string {
	if d.Severity == "high" {
		return []string{"If you do nothing, the server is not started. Waiting lets nothing through."}
	}
	return []string{"If you do nothing, pins.launch decides: with notify the server goes on, with block it is not started."}
}

// launched says all of what runs, in words: a new launch has said it in its changes already.
func (p *page) launched(part control.PartDetail) {
	if part.State == "new" || len(part.Definition) == 0 {
		return
	}
	p.printf("  all of it, as it is now:\n")
	for _, change := range pin.LaunchWords(part.Definition) {
		p.line("  ", "", change.Words)
		if change.After != "" {
			p.quote("  ", piece{text: marked(change.After)})
		}
	}
}
