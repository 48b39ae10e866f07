package proxy

import (
	"github.com/sallyport/sallyport/proxy/declared"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/pin"
)

// naming is what a request is about, and what both sides call it. A tool or a prompt whose name the sanitizer changed has two names: the
// server's, by which we decide and record and which goes to the server, and the delivered one, which is in everything that goes to the
// client.
type naming struct {
	item      string // pin key that the response depends on ("tool:echo"), "" for none
	name      string // as the server names it, unescaped; a URI for a resource
	delivered string // the name that the client was given; "" if that is the server's
	said      string // what the client wrote, if it was not found at once
	alias     bool   // the client wrote another name than the server's
	unclear   bool   // the name meant another item earlier in this session
	early     bool   // nothing was known yet: ask again before deciding
}

// means finds the item that the client means by a name.
func (n *naming) means(v *declared.View, kind pin.Kind, said string) {
	t, clear := v.Means(kind, said)
	n.is(t)
	n.said, n.unclear, n.early = said, !clear, v.Seen == nil
}

func (n *naming) is(t declared.Named) {
	n.item, n.name, n.alias, n.delivered = t.Key, t.Name, t.Alias, ""
	if t.Delivered != t.Name {
		n.delivered = t.Delivered
	}
}

// known is the name by which the client knows it.
func (n *naming) known() string {
	if n.delivered != "" {
		return n.delivered
	}
	return n.name
}

// withName is a JSON object with another name at a path.
func withName(object []byte, name string, path ...string) []byte {
	span, ok := frame.Find(object, frame.Root(object), path...)
	if !ok {
		return object
	}
	return frame.Splice(nil, object, []frame.Edit{{Start: span.Start, End: span.End, With: frame.AppendString(nil, name)}})
}
