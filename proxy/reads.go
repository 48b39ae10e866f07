package proxy

import (
	"encoding/json"
	"slices"

	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/inspect/secrets"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// Records of what a client reads: one per request, with the name but never the text. They are written once the client has its response.

const (
	// maxNamed is how many characters of a URI or prompt name a record keeps.
	maxNamed = 512
	// maxLookedAt is how much of one is searched for secrets: nothing beyond is kept.
	maxLookedAt = 8 << 10
)

// recordKind is the kind of the record about a request: a call, a read, or our own decision.
func (r *request) recordKind() vocab.RecordKind {
	switch {
	case r.method == methodCall:
		return vocab.RecordCall
	case r.method == methodGetPrompt:
		return vocab.RecordPrompt
	case r.method == methodResource && r.spelled == "resources/read":
		return vocab.RecordRead
	}
	return vocab.RecordPolicyDecision
}

// counts reports whether each request of this kind gets a record, whatever its outcome.
func (r *request) counts() bool { return r.recordKind() != vocab.RecordPolicyDecision }

// called is the tool that a record names. A read names its subject in the detail.
func (r *request) called() string {
	switch r.recordKind() {
	case vocab.RecordRead, vocab.RecordPrompt:
		return ""
	default:
		return legible.Name(r.name, "a tool")
	}
}

// detail is the JSON detail of the record about this request: more, and the subject of a read.
func (r *request) detail(more facts) json.RawMessage {
	kind := r.recordKind()
	if more == nil && kind != vocab.RecordRead && kind != vocab.RecordPrompt {
		return nil
	}
	if more == nil {
		more = facts{}
	}
	switch kind {
	case vocab.RecordRead:
		more["uri"] = namedIn(r.name)
	case vocab.RecordPrompt:
		more["prompt"] = namedIn(r.name)
	default: // it names nothing
	}
	return more.detail()
}

// namedIn is a URI or name as a record keeps it: cleaned, without secrets, and short.
func namedIn(name string) string {
	name = cut.Bytes(name, maxLookedAt)
	found, whole := inspect.SecretsInText(name, secrets.Precise)
	if !whole {
		return "not stored: it may contain secrets"
	}
	masked, at := "", 0
	for _, f := range inOrder(found) {
		if f.Start < at || f.End > len(name) {
			continue // inside the one before
		}
		masked, at = masked+name[at:f.Start]+"***", f.End
	}
	return legible.Text(masked+name[at:], maxNamed)
}

func inOrder(found []inspect.Finding) []inspect.Finding {
	slices.SortStableFunc(found, func(a, b inspect.Finding) int { return a.Start - b.Start })
	return found
}
