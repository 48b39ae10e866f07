package office

import (
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// MaxReason limits a person's reason for a decision: a sentence or two.
const MaxReason = 500

// MaxName limits a name sent by a wrapper.
const MaxName = 256

// Selection is the part of an item that a decision covers.
func Selection(it store.Item, d control.Decide) (chosen map[string]bool, err error) {
	chosen = map[string]bool{}
	parts := map[string]store.Part{}
	it.Parts = review.ShownParts(it)
	for _, p := range it.Parts {
		parts[p.Item] = p
	}
	for _, name := range d.Items {
		p, ok := parts[name]
		switch {
		case !ok:
			return nil, Answer(control.CodeBadRequest, "%s has no item %s", it.Code, legible.Escape(cut.Bytes(name, 128)))
		case p.State == vocab.PartRemoved:
			return nil, Answer(control.CodeBadRequest, "%s is gone: nothing to decide", legible.Escape(cut.Bytes(name, 128)))
		case !d.Reject && review.Withheld(review.ReadFindings(p.Findings)):
			return nil, Answer(control.CodeBadRequest, "%s can't be allowed: its name is used twice, or its text can be read in two ways", legible.Escape(cut.Bytes(name, 128)))
		}
		chosen[name] = true
	}
	if it.Kind == vocab.ItemNewServer {
		// What was reviewed ran as shown: a person who allows anything has seen the launch too. Rejecting what a server declares says
		// nothing about what it runs.
		defer func() {
			if _, shown := parts[review.KeyLaunch]; shown && len(chosen) > 0 {
				chosen[review.KeyLaunch] = !d.Reject
			}
			if !chosen[review.KeyLaunch] {
				delete(chosen, review.KeyLaunch)
			}
		}()
	}
	if len(d.Items) > 0 {
		return chosen, nil
	}
	suspect := it.Kind == vocab.ItemNewServer && inspect.SuspectServer(review.ReadFindings(it.Findings))
	for _, p := range it.Parts {
		findings := review.ReadFindings(p.Findings)
		switch {
		case p.State == vocab.PartRemoved:
		case d.Reject:
			chosen[p.Item] = true
		case review.Withheld(findings):
		case d.All, review.Clean(findings) && !suspect:
			chosen[p.Item] = true
		}
	}
	return chosen, nil
}
