package control

import (
	"cmp"
	"encoding/json"
)

// Kinds of records of which there is one for each request: of the client (a call, a read, a prompt) or of the server (what it asks the
// client for). There are as many as there is traffic, so they join under pressure and go first where there is no room.
const (
	KindCall        = "tool_call"
	KindRead        = "resource_read"
	KindPrompt      = "prompt_get"
	KindSampling    = "sampling"
	KindElicitation = "elicitation"
)

// IsTraffic says that a kind is one of those.
func IsTraffic(kind string) bool {
	switch kind {
	case KindCall, KindRead, KindPrompt, KindSampling, KindElicitation:
		return true
	}
	return false
}

// Named is what a read names: the URI or the prompt's name as the record keeps it, "" for other records. It is the server's or the
// client's own text, cleaned and with secrets masked.
func (r *Record) Named() string {
	if r.Kind != KindRead && r.Kind != KindPrompt || len(r.Detail) == 0 {
		return ""
	}
	var detail struct{ URI, Prompt string }
	if json.Unmarshal(r.Detail, &detail) != nil {
		return ""
	}
	return cmp.Or(detail.URI, detail.Prompt)
}
