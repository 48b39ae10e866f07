package review

import (
	"regexp"
	"slices"
	"sync"

	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// launchMeaning explains that a server would run a different program than the allowed one, or is reached in another way.
func launchMeaning(d control.ItemDetail) string {
	switch {
	case d.Launch == pin.AboutLoader:
		return "A variable that can load code has a value you haven't allowed. That code would\nrun before you could review it, so the server has not been started. Its calls\nare blocked until you decide."
	case d.Launch == pin.AboutSecret:
		return "Its entry names one of your stored secrets, which you haven't allowed it. The\nserver would get the secret at its start, so it has not been started. Its calls\nare blocked until you decide."
	case d.Launch == pin.AboutAddress:
		return "Its name leads to another kind of address than the one you allowed, or it is\nspoken to in another way. Nothing is sent to it, and its calls are blocked until\nyou decide."
	case d.URL != "":
		return "You blocked the way to this server. Nothing is sent to it, and its calls are\nblocked until you allow it again."
	case d.Launch == pin.AboutSurroundings && d.Runs:
		return "It's the program you allowed, but the folder it starts in or a variable\nchanged. The server keeps running."
	case d.Launch == pin.AboutSurroundings:
		return "It's the program you allowed, but the folder it starts in or a variable\nchanged. It was not started because the setting pins.launch is block."
	case d.Severity == vocab.SeverityHigh:
		return "The program behind this command changed. It has not been started, and its\ncalls are blocked until you decide."
	case d.Launch == pin.AboutNothing:
		return "You blocked the program behind this command. It is not started, and its calls\nare blocked until you allow it again."
	case d.Runs:
		return "The program behind this command changed. The server keeps running; set\npins.launch to block to stop it. What a script imports is not covered\n(docs/launch.md)."
	}
	return "The program behind this command changed. Its calls are blocked until you\ndecide, because the setting pins.launch is block. What a script imports is not\ncovered (docs/launch.md)."
}

// launched describes the whole launch, unless it is new: then its changes do.
func (p *page) launched(part control.PartDetail) {
	if part.State == vocab.PartNew || len(part.Definition) == 0 {
		return
	}
	p.Printf("  all of it, as it is now:\n")
	for _, change := range pin.LaunchWords(part.Definition) {
		p.Line("  ", "", change.Words)
		if change.After != "" {
			p.Quote("  ", terminal.Piece{Text: marked(change.After)})
		}
	}
}

// technical are places in a definition that only programs read; the window shows them under Technical details.
var technical = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(^|\.)(\$schema|\$id|\$comment|\$anchor|additionalProperties)$|^(execution|_meta|icons)([.\[]|$)`)
})

// changes prints what is new or changed in a part, technical details last. In a new part they are only mentioned, because the definition
// follows; if nothing else changed they are shown like everything else.
func (p *page) changes(part control.PartDetail) {
	isTechnical := func(c pin.Change) bool { return part.Item != string(pin.Launch) && technical().MatchString(c.Path) }
	rest := slices.DeleteFunc(slices.Clone(part.Changes), func(c pin.Change) bool { return !isTechnical(c) })
	for _, c := range part.Changes {
		if !isTechnical(c) || len(rest) == len(part.Changes) {
			p.change(c)
		}
	}
	switch {
	case len(rest) == 0 || len(rest) == len(part.Changes):
	case part.State == vocab.PartNew:
		p.Printf("  technical details (%d) are in the definition below\n", len(rest))
	default:
		p.Printf("  technical details\n")
		for _, c := range rest {
			p.change(c)
		}
	}
}
