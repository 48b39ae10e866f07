package review

import (
	"regexp"
	"slices"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// technical are the places in a definition that only programs read, as the window has them behind Technical details.
var technical = regexp.MustCompile(`(^|\.)(\$schema|\$id|\$comment|\$anchor|additionalProperties)$|^(execution|_meta|icons)([.\[]|$)`)

// changes prints what is new or changed in a part, what only programs read last. Of a new part it is in the definition below, and only said
// to be there; where nothing else changed it is shown as everything else is.
func (p *page) changes(part control.PartDetail) {
	isTechnical := func(c pin.Change) bool { return part.Item != string(pin.Launch) && technical.MatchString(c.Path) }
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
