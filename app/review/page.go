package review

import (
	"strings"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
)

// PageOf is what a declared page may do in its client, and who may call a declared tool; nil for other items. Both are the server's claims.
func PageOf(part control.PartDetail) (page *pin.Reach, visibility []string) {
	switch {
	case part.Definition == nil:
		return nil, nil
	case pin.IsTool(part.Item):
		return nil, pin.Visibility(part.Definition)
	case strings.HasPrefix(part.Item, pin.Key(pin.Resource, "")):
		return pin.PageReach(part.Definition), nil
	}
	return nil, nil
}
