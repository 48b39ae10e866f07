package declared

import (
	"slices"

	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
)

// callLook finds tools that can't be called on the way to the server, whatever it allows. It looks at each definition once for as long as it is listed.
type callLook struct {
	found map[pin.Digest]string
}

// look adds a finding to each of them.
func (l *callLook) look(items []pin.Item, uncallable func(definition []byte) string) {
	now := map[pin.Digest]string{}
	for i := range items {
		item := &items[i]
		if item.Kind != pin.Tool || item.Raw == nil {
			continue
		}
		why, known := l.found[item.Digest]
		if !known {
			why = uncallable(item.Raw)
		}
		now[item.Digest] = why
		if why != "" {
			item.Findings = append(item.Findings, inspect.Finding{
				Rule: inspect.HeaderArgument, Level: inspect.Medium, Category: "threat", Where: "inputSchema", Title: "It can't be called over HTTP: " + why,
			})
		}
	}
	l.found = now
}

// uncallable reports whether a look found that of an item.
func uncallable(item pin.Item) bool {
	return slices.ContainsFunc(item.Findings, func(f inspect.Finding) bool { return f.Rule == inspect.HeaderArgument })
}
