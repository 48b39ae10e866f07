package review

import (
	"strings"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/powers"
)

// Does is what a tool can do, as declared now; nil for other items. It informs a person and decides nothing.
func Does(part control.PartDetail) *powers.Tool {
	if !strings.HasPrefix(part.Item, string(pin.Tool)+":") || part.Definition == nil {
		return nil
	}
	tool := powers.Of(part.Definition)
	return &tool
}

// CanDo summarises what the tools among these parts can do; nil if there are none.
func CanDo(parts []control.PartDetail) *powers.Summary {
	var tools []powers.Tool
	for _, p := range parts {
		if p.Does != nil {
			tools = append(tools, *p.Does)
		}
	}
	if len(tools) == 0 {
		return nil
	}
	summary := powers.Sum(tools)
	return &summary
}
