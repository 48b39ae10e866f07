package main

import (
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
)

// launchMeaning says what it means that a server would run something other than what was allowed.
func launchMeaning(d control.ItemDetail) string {
	switch {
	case d.Launch == pin.AboutLoader:
		return "A variable that loads code has a value that nobody has allowed. It would run code\nbefore anybody could look, so the server has not been started and its calls are\nrefused until you decide."
	case d.Launch == pin.AboutSurroundings && d.Runs:
		return "The program is the one you allowed. What is around it changed: the folder it\nstarts in, or a variable. The server runs meanwhile."
	case d.Launch == pin.AboutSurroundings:
		return "The program is the one you allowed. What is around it changed. It does not run\nbecause the setting pins.launch is block."
	case d.Severity == "high":
		return "The program behind this command changed. It has not been started, and its calls\nare refused until you decide."
	case d.Launch == pin.AboutNothing:
		return "What this command runs was allowed, and a person took that back. It is not\nstarted, and its calls are refused until you decide."
	case d.Runs:
		return "The program behind this command changed. It runs meanwhile; with pins.launch set\nto block it would not. What a script imports is not covered (docs/launch.md)."
	}
	return "The program behind this command changed. Its calls are refused until you decide,\nbecause the setting pins.launch is block. What a script imports is not covered\n(docs/launch.md)."
}

func launchConsequence(d control.ItemDetail) []string {
	if d.Runs {
		return []string{"If you do nothing, the server keeps running as it is now."}
	}
	return []string{"If you do nothing, the server is not started. Waiting lets nothing through."}
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
