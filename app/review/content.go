package review

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// Content is the content of one inbox item. Equal digests mean equal content for a person.
type Content struct {
	Kind     vocab.ItemKind
	ServerID string
	Era      string
	Title    string
	Severity vocab.Severity
	Parts    []store.Part
	Findings json.RawMessage
	Clients  []string
	Detail   json.RawMessage // shown too, but not part of the digest
}

// Digest binds a decision to the content: it covers every part's state and definition, and every finding shown.
func (c *Content) Digest() string {
	type part struct {
		Item     string
		State    vocab.PartState
		Digest   string
		Findings json.RawMessage
		Era      string `json:",omitempty"`
	}
	whole := struct {
		V        int
		Kind     vocab.ItemKind
		Server   string
		Parts    []part
		Findings json.RawMessage
	}{V: 1, Kind: c.Kind, Server: c.ServerID, Findings: c.Findings}
	for _, p := range c.Parts {
		whole.Parts = append(whole.Parts, part{p.Item, p.State, p.Digest, p.Findings, p.Era})
	}
	raw, err := json.Marshal(whole)
	if err != nil {
		raw = []byte(string(c.Kind) + err.Error())
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// ContentOf is the pending content of one kind for a server, nil if there is none. Removed items are listed next to pending ones, so that a
// rename is visible; alone they need no decision.
func ContentOf(server store.Server, r Standing, kind vocab.ItemKind, drift func() pin.LaunchDrift) *Content {
	var waits []Judged
	var listed []Judged
	for _, j := range r.Items {
		switch {
		case j.Waits && j.Kind == kind:
			waits = append(waits, j)
			listed = append(listed, j)
		case kind == vocab.ItemChanged && j.State == vocab.PartRemoved:
			listed = append(listed, j)
		}
	}
	if len(waits) == 0 || kind == vocab.ItemNewServer && len(waits) == 1 && waits[0].Key == KeyLaunch {
		return nil
	}
	c := ContentWith(server, kind, listed)
	if kind == vocab.ItemLaunch {
		aboutLaunch(c, identity.ShortName(server), drift())
		return c
	}
	c.Severity = severityOf(waits, ReadFindings(server.Findings))
	c.Title = TitleOf(identity.ShortName(server), kind, listed, r.Blocked)
	return c
}

func ContentWith(server store.Server, kind vocab.ItemKind, listed []Judged) *Content {
	c := &Content{Kind: kind, ServerID: server.ID, Era: server.Era, Findings: server.Findings, Clients: server.Clients, Severity: vocab.SeverityReview}
	for _, j := range listed {
		c.Parts = append(c.Parts, store.Part{Item: j.Key, State: j.State, Digest: string(j.Declared), Findings: WriteFindings(j.Findings), Era: j.Era})
	}
	return c
}

// PartKey identifies a part within its item: an item with a form in each era is two parts.
func PartKey(p store.Part) string {
	if p.Era == "" {
		return p.Item
	}
	return p.Item + "\x00" + p.Era
}

// TitleOf is ours: counts and kinds, and a name only if it is harmless.
func TitleOf(server string, kind vocab.ItemKind, parts []Judged, blocked bool) string {
	if kind == vocab.ItemNewServer {
		counts := map[pin.Kind]int{}
		for _, p := range eachOnce(parts) {
			k, _, _ := strings.Cut(p.Key, ":")
			counts[pin.Kind(k)]++
		}
		var words []string
		for _, k := range []struct {
			kind pin.Kind
			word string
		}{{pin.Tool, "tool"}, {pin.Prompt, "prompt"}, {pin.ResourceTemplate, "resource template"}, {pin.Resource, "resource"}, {pin.Skill, "skill"}} {
			if n := counts[k.kind]; n > 0 {
				words = append(words, Count(n, k.word))
			}
		}
		if counts[pin.Instructions] > 0 {
			words = append(words, "instructions")
		}
		return server + " is new: " + strings.Join(words, ", ")
	}
	verbs := map[vocab.PartState]string{vocab.PartChanged: "changed", vocab.PartNew: "is new", vocab.PartRejected: "is blocked", vocab.PartRemoved: "is gone", vocab.PartApproved: "changed and changed back"}
	var words []string
	for _, state := range []vocab.PartState{vocab.PartChanged, vocab.PartNew, vocab.PartRejected, vocab.PartApproved, vocab.PartRemoved} {
		var of []Judged
		for _, p := range parts {
			if p.State == state {
				of = append(of, p)
			}
		}
		of = eachOnce(of)
		switch {
		case len(of) == 1:
			words = append(words, ItemSaid(of[0].Key, verbs[state]))
		case len(of) > 1:
			words = append(words, fmt.Sprintf("%d items %s", len(of), strings.NewReplacer("is ", "are ").Replace(verbs[state])))
		}
	}
	title := server + ": " + strings.Join(words, ", ")
	if blocked {
		title += "; the whole server is blocked"
	}
	return title
}

// eachOnce leaves out the second forms of items: for a person who counts they are one.
func eachOnce(parts []Judged) []Judged {
	seen := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(parts), func(p Judged) bool {
		before := seen[p.Key]
		seen[p.Key] = true
		return before
	})
}
