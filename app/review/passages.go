package review

import (
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
)

// Fold says of an item of the inbox how many warnings it is for a person. whole is what was found of the server as a whole.
func Fold(it *control.InboxItem, whole []inspect.Finding) {
	it.Warnings = len(inspect.Passages(whole))
	for i := range it.Parts {
		it.Parts[i].Passages = inspect.Passages(it.Parts[i].Findings)
		it.Warnings += len(it.Parts[i].Passages)
	}
}

// FoldDetail is fold for an item whole. What is held has all of its findings in its detail, and the gravest alone in its part.
func FoldDetail(d *control.ItemDetail) {
	d.Passages = inspect.Passages(d.Findings)
	d.Warnings = len(d.Passages)
	for i := range d.Details {
		d.Details[i].Passages = inspect.Passages(d.Details[i].Findings)
		d.Warnings += len(d.Details[i].Passages)
	}
}
