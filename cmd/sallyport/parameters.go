package main

import (
	"encoding/json"
	"maps"
	"slices"
)

// parameterNames are a tool's parameters for one of our lines: sorted, the required ones said to be so.
func parameterNames(properties map[string]json.RawMessage, required []string) []string {
	names := slices.Sorted(maps.Keys(properties))
	for i, name := range names {
		if slices.Contains(required, name) {
			names[i] = text(name) + " (required)"
		} else {
			names[i] = text(name)
		}
	}
	return names
}
