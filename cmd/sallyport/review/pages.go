package review

import (
	"slices"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
)

// pages says, for a server with pages, what no review of them can show.
func (p *page) pages(d control.ItemDetail) {
	if !slices.ContainsFunc(d.Details, func(part control.PartDetail) bool { return part.Page != nil }) {
		return
	}
	p.Printf("\n")
	p.Prose("", "This server has pages that the client draws. Tools that a page registers with the client never cross the wire: Sallyport can't see or block them.")
}

// draws says what a page may do, before any of its source.
func (p *page) draws(part control.PartDetail) {
	if part.PageOnly() {
		p.Prose("  ", "only the page can call this: the server hides it from the model")
	}
	if part.Page == nil {
		return
	}
	p.Printf("  what this page may do in the client:\n")
	for _, words := range pin.PageWords(part.Definition) {
		p.Line("    ", "", words)
	}
}
