package review

import (
	"encoding/json"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// FileItemDetail is an item over a client's file whole.
func FileItemDetail(it store.Item) control.ItemDetail {
	d := ReadFileDetail(it)
	out := control.ItemDetail{InboxItem: InboxItem(it, store.Server{}), Decided: it.Decided, Details: []control.PartDetail{}, Findings: []inspect.Finding{}, Path: d.Path, Diff: d.Diff}
	for _, p := range it.Parts {
		out.Details = append(out.Details, control.PartDetail{
			Item: p.Item, State: p.State, Digest: pin.Digest(p.Digest), Findings: []inspect.Finding{},
			Changes: []pin.Change{{Path: p.Item, Op: changeOp(p.State), Words: d.Words[p.Item]}},
		})
	}
	return out
}

func changeOp(state vocab.PartState) pin.Op {
	switch state {
	case vocab.PartNew:
		return pin.Added
	case vocab.PartRemoved:
		return pin.Removed
	default:
		return pin.Changed
	}
}

// FileDetail is what an item over a client's file keeps beside its parts.
type FileDetail struct {
	Path   string            `json:"path"`
	Client string            `json:"client"`
	Diff   string            `json:"diff,omitempty"`
	Words  map[string]string `json:"words"`
}

func ReadFileDetail(it store.Item) (d FileDetail) {
	_ = json.Unmarshal(it.Detail, &d)
	return d
}
