package quarantine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// itemOfHeld is the stored item of a held response; store.Held has what happened since.
func itemOfHeld(one store.Held, digest string, findings []inspect.Finding, now time.Time) store.Item {
	shown := slices.Clone(findings)
	slices.SortStableFunc(shown, func(a, b inspect.Finding) int { return b.Level.Rank() - a.Level.Rank() })
	it := store.Item{
		Code: one.Code, Kind: vocab.ItemResponseHeld, ServerID: one.ServerID, Severity: severityOfHeld(one), Title: heldTitle(one), Digest: digest, Era: one.Era,
		Created: now, Updated: now,
		Parts: []store.Part{{Item: heldPart(one), State: partState(one.State), Digest: one.Text, Findings: review.WriteFindings(shown[:min(len(shown), maxShownFindings)])}},
	}
	if one.Client != "" {
		it.Clients = []string{one.Client}
	}
	return it
}

// partState is the state of the one part of such an item: where the response is, for there is nothing that was approved before.
func partState(state vocab.HeldState) vocab.PartState { return vocab.PartState(state) }

func heldPart(one store.Held) string {
	return cmp.Or(one.Item, one.Method)
}

// heldTool is the tool as records name it, "" if it was no call.
func heldTool(one store.Held) string {
	if one.Method != "tools/call" {
		return ""
	}
	return legible.Recorded(one.Name)
}

// heldTitle names a tool only if the name is harmless.
func heldTitle(one store.Held) string {
	what := "Response"
	if one.Error {
		what = "Error"
	}
	kind, _, _ := strings.Cut(one.Item, ":")
	switch name := legible.Name(one.Name, ""); {
	case one.Method == "tools/call" && name != "":
		what += fmt.Sprintf(" from %q", name)
	case one.Method == "tools/call":
		what += " from a tool"
	case one.Method == "prompts/get" && name != "":
		what += fmt.Sprintf(" from the prompt %q", name)
	case one.Method == "resources/read", kind == string(pin.Resource), kind == string(pin.ResourceTemplate):
		what += " from a resource"
	case legible.Name(strings.ReplaceAll(one.Method, "/", "."), "") != "":
		what += fmt.Sprintf(" to %q", one.Method)
	}
	what += " held for review"
	switch one.Why {
	case vocab.HeldLimit:
		return what + ": it is larger than Sallyport inspects"
	case vocab.HeldProvider:
		return what + ": it couldn't be inspected in full"
	default:
		return what
	}
}

// rulesIn are the names of the rules that matched, each once.
func rulesIn(findings []inspect.Finding) []string {
	names := []string{}
	for _, f := range findings {
		if !slices.Contains(names, f.Rule) && len(names) < office.MaxListed {
			names = append(names, f.Rule)
		}
	}
	slices.Sort(names)
	return names
}
