package desktop

import (
	"strings"

	"github.com/sallyport/sallyport/proxy/vocab"
)

// Event is one thing that was decided about a part of a server, or that happened to it.
type Event struct {
	Item   string       `json:"item"` // pin key
	Kind   string       `json:"kind"`
	Name   string       `json:"name"` // server text
	At     string       `json:"at"`
	Action vocab.Action `json:"action"`
	By     vocab.By     `json:"by"`
	Digest string       `json:"digest"`
	Before string       `json:"before"` // the digest before
	Code   string       `json:"code"`   // of the item it was decided on
}

// History is what was decided about the parts of a server, newest first.
func (p *Page) History(identity string) ([]Event, error) {
	h, err := p.engine()
	if err != nil {
		return nil, err
	}
	all, err := h.History(identity)
	out := make([]Event, 0, len(all))
	for _, e := range all {
		kind, name, _ := strings.Cut(e.Item, ":")
		out = append(out, Event{
			Item: e.Item, Kind: kind, Name: name, At: stamp(e.At), Action: e.Action, By: e.By, Digest: e.Digest, Before: e.Before, Code: e.Code,
		})
	}
	return out, err
}
