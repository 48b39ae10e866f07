package app

import (
	"encoding/json"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/store"
)

// fileItemDetail is an item over a client's file whole.
func fileItemDetail(it store.Item) control.ItemDetail {
	d := readFileDetail(it)
	out := control.ItemDetail{InboxItem: inboxItem(it, store.Server{}), Decided: it.Decided, Details: []control.PartDetail{}, Findings: []inspect.Finding{}, Path: d.Path, Diff: d.Diff}
	for _, p := range it.Parts {
		out.Details = append(out.Details, control.PartDetail{
			Item: p.Item, State: p.State, Digest: pin.Digest(p.Digest), Findings: []inspect.Finding{},
			Changes: []pin.Change{{Path: p.Item, Op: changeOp(p.State), Words: d.Words[p.Item]}},
		})
	}
	return out
}

func changeOp(state string) string {
	switch state {
	case stateNew:
		return "added"
	case stateRemoved:
		return "removed"
	}
	return "changed"
}

// fileDetail is what an item over a client's file keeps beside its parts.
type fileDetail struct {
	Path   string            `json:"path"`
	Client string            `json:"client"`
	Diff   string            `json:"diff,omitempty"`
	Words  map[string]string `json:"words"`
}

func readFileDetail(it store.Item) (d fileDetail) {
	_ = json.Unmarshal(it.Detail, &d)
	return d
}
