package review

import (
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
)

// Fold counts the warnings of an inbox item. whole are the findings about the server as a whole.
func Fold(it *control.InboxItem, whole []inspect.Finding) {
	it.Warnings = len(inspect.Passages(whole))
	for i := range it.Parts {
		it.Parts[i].Passages = inspect.Passages(it.Parts[i].Findings)
		it.Warnings += len(it.Parts[i].Passages)
	}
}

// FoldDetail is Fold for a whole item. A held response has all of its findings in the detail, and only the most serious in its part.
func FoldDetail(d *control.ItemDetail) {
	d.Passages = inspect.Passages(d.Findings)
	d.Warnings = len(d.Passages)
	for i := range d.Details {
		d.Details[i].Passages = inspect.Passages(d.Details[i].Findings)
		d.Warnings += len(d.Details[i].Passages)
	}
}
