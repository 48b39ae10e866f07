package declared

import (
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/pin"
)

func isUserInterface(uri string) bool { return len(uri) >= 5 && uri[:5] == "ui://" }

// NameOf reads the name a definition is pinned under.
func NameOf(kind pin.Kind, raw []byte, value frame.Span) (string, bool) {
	var member string
	switch kind {
	case pin.ResourceTemplate:
		member = "uriTemplate"
	case pin.Resource:
		member = "uri"
	default:
		member = "name"
	}
	span, ok := frame.Find(raw, value, member)
	if !ok {
		return "", false
	}
	return frame.String(raw, span)
}

// ItemsOf reads the definitions on one page, and those that were cut out of it. Nameless ones are left out: they are never served either.
func ItemsOf(line []byte, unread [][]byte, l *List) ([]pin.Item, error) {
	array, ok := frame.Find(line, frame.Root(line), "result", l.Member)
	if !ok || frame.Type(line, array) != '[' {
		return nil, errNoPage
	}
	var items []pin.Item
	add := func(raw []byte) {
		if item, err := pin.Declared(l.Kind, raw); err == nil {
			items = append(items, item)
		}
	}
	frame.Elements(line, array, func(_ int, value frame.Span) bool {
		add(value.Of(line))
		return true
	})
	for _, raw := range unread {
		add(raw)
	}
	return items, nil
}
