package app

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/store"
)

// content is what one inbox item is about. Two contents with one digest are the same to a person.
type content struct {
	kind     string
	serverID string
	era      string
	title    string
	severity string
	parts    []store.Part
	findings json.RawMessage
	clients  []string
	detail   json.RawMessage // shown with it, and no part of its digest
}

// digest is what a decision binds to. Every part's state and definition count, and every finding that was shown.
func (c *content) digest() string {
	type part struct {
		Item, State, Digest string
		Findings            json.RawMessage
	}
	whole := struct {
		V            int
		Kind, Server string
		Parts        []part
		Findings     json.RawMessage
	}{V: 1, Kind: c.kind, Server: c.serverID, Findings: c.findings}
	for _, p := range c.parts {
		whole.Parts = append(whole.Parts, part{p.Item, p.State, p.Digest, p.Findings})
	}
	raw, err := json.Marshal(whole)
	if err != nil {
		raw = []byte(c.kind + err.Error())
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// contentOf is what waits of one kind for a server, nil if nothing does. Items that are gone stand in it beside what
// waits, so that a rename can be seen as one; alone they wait for nobody.
func contentOf(server store.Server, r reviewed, kind string, drift func() pin.LaunchDrift) *content {
	var waits []judged
	var listed []judged
	for _, j := range r.Items {
		switch {
		case j.Waits && j.Kind == kind:
			waits = append(waits, j)
			listed = append(listed, j)
		case kind == kindChanged && j.State == stateRemoved:
			listed = append(listed, j)
		}
	}
	if len(waits) == 0 || kind == kindNewServer && len(waits) == 1 && waits[0].Key == keyLaunch {
		return nil
	}
	c := contentWith(server, kind, listed)
	if kind == kindLaunch {
		aboutLaunch(c, identity.ShortName(server), drift())
		return c
	}
	c.severity = severityOf(waits, readFindings(server.Findings))
	c.title = titleOf(identity.ShortName(server), kind, listed, r.Blocked)
	return c
}

func contentWith(server store.Server, kind string, listed []judged) *content {
	c := &content{kind: kind, serverID: server.ID, era: server.Era, findings: server.Findings, clients: server.Clients, severity: severityReview}
	for _, j := range listed {
		c.parts = append(c.parts, store.Part{Item: j.Key, State: j.State, Digest: string(j.Declared), Findings: writeFindings(j.Findings)})
	}
	return c
}

// titleOf is ours: counts and kinds, and a name only where it is harmless.
func titleOf(server, kind string, parts []judged, blocked bool) string {
	if kind == kindNewServer {
		counts := map[pin.Kind]int{}
		for _, p := range parts {
			k, _, _ := strings.Cut(p.Key, ":")
			counts[pin.Kind(k)]++
		}
		var words []string
		for _, k := range []struct {
			kind pin.Kind
			word string
		}{{pin.Tool, "tool"}, {pin.Prompt, "prompt"}, {pin.ResourceTemplate, "resource template"}, {pin.Resource, "resource"}} {
			if n := counts[k.kind]; n > 0 {
				words = append(words, count(n, k.word))
			}
		}
		if counts[pin.Instructions] > 0 {
			words = append(words, "instructions")
		}
		return server + " is new: " + strings.Join(words, ", ")
	}
	verbs := map[string]string{stateChanged: "changed", stateNew: "is new", stateRejected: "is blocked", stateRemoved: "is gone", stateApproved: "changed and changed back"}
	var words []string
	for _, state := range []string{stateChanged, stateNew, stateRejected, stateApproved, stateRemoved} {
		var of []judged
		for _, p := range parts {
			if p.State == state {
				of = append(of, p)
			}
		}
		switch {
		case len(of) == 1:
			words = append(words, itemSaid(of[0].Key, verbs[state]))
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
