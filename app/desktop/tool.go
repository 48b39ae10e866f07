package desktop

import (
	"bytes"
	"encoding/json"

	"github.com/sallyport/sallyport/proxy/pin"
)

// bytesPerToken is how many bytes of a definition are one token of a model, about: makers of models give it as a rule of thumb for English text, and
// none counts the same. The page says "about".
const bytesPerToken = 4

// tokensOf is what a tool's definition costs in every conversation, in tokens, about; 0 for other items.
func tokensOf(item string, definition []byte) int {
	var whole bytes.Buffer
	if !pin.IsTool(item) || json.Compact(&whole, definition) != nil {
		return 0
	}
	return (whole.Len() + bytesPerToken - 1) / bytesPerToken
}

// readOnly reports whether a tool claims to change nothing (annotations.readOnlyHint). A hint of another type is none.
func readOnly(item string, definition []byte) bool {
	var tool struct {
		Annotations map[string]json.RawMessage `json:"annotations"`
	}
	return pin.IsTool(item) && json.Unmarshal(definition, &tool) == nil && string(tool.Annotations["readOnlyHint"]) == "true"
}
