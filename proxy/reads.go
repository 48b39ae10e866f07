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

// Records of what a client reads: one a request, with what it names and never with a text. They are written once
// the client has its answer.

const (
	// maxNamed is how many characters of a URI or of a prompt's name a record keeps.
	maxNamed = 512
	// maxLookedAt is how much of one is looked through for secrets: what lies beyond is not kept.
	maxLookedAt = 8 << 10
)

// recordKind is what a record about a request is: of a call, of a read, or of our own doing.
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

// counts says that each request of this kind has its record, whatever became of it.
func (r *request) counts() bool { return r.recordKind() != vocab.RecordPolicyDecision }

// called is the tool that a record names. A read names what it read in its detail.
func (r *request) called() string {
	switch r.recordKind() {
	case vocab.RecordRead, vocab.RecordPrompt:
		return ""
	}
	return legible.Name(r.name, "a tool")
}

// detail is what a record about this request says beside its fields: more, and what a read names.
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
	}
	return more.detail()
}

// namedIn is a URI or a name as it may be kept: without what cannot be seen, without secrets, and short.
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

// inOrder are findings by where they begin.
func inOrder(found []inspect.Finding) []inspect.Finding {
	slices.SortStableFunc(found, func(a, b inspect.Finding) int { return a.Start - b.Start })
	return found
}
