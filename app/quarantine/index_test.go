package quarantine

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// heldAs is the n-th response of a server's tool, with its findings by rule.
func heldAs(n int, server, item, client, levels string) store.Held {
	return store.Held{
		Code: fmt.Sprintf("C%03d", n), ID: fmt.Sprint(n), ServerID: server, Method: "tools/call", Item: item, Client: client, Why: vocab.HeldThreat, Levels: json.RawMessage(levels),
		State: vocab.HeldWaiting, Text: "t", Kept: 10, Stored: time.Date(2026, 3, 1, 12, 0, n, 0, time.UTC),
	}
}

func TestWhichResponsesAreOneItem(t *testing.T) {
	of := func(method, item, levels string) heldKey {
		one := heldAs(1, "s", item, "claude-desktop", levels)
		one.Method = method
		return keyOf(one)
	}
	same := func(what string, a, b heldKey, want bool) {
		t.Helper()
		if (a == b) != want {
			t.Errorf("%s: %+v and %+v", what, a, b)
		}
	}
	base := of("tools/call", "tool:read", `{"concealment":"high"}`)
	same("a milder rule beside it", base, of("tools/call", "tool:read", `{"concealment":"high","way_out":"medium"}`), true)
	same("the same rule, graver", base, of("tools/call", "tool:read", `{"concealment":"critical"}`), true)
	same("a graver rule", base, of("tools/call", "tool:read", `{"concealment":"high","way_out":"critical"}`), false)
	same("two rules as grave, in any order", of("tools/call", "tool:read", `{"b":"high","a":"high"}`), of("tools/call", "tool:read", `{"a":"high","b":"high"}`), true)
	same("another tool", base, of("tools/call", "tool:write", `{"concealment":"high"}`), false)
	same("two resources", of("resources/read", "resource:x://1", `{"a":"high"}`), of("resources/read", "resource:x://2", `{"a":"high"}`), true)
	same("two resources of templates", of("resources/read", "resource-template:x://{a}", `{"a":"high"}`), of("resources/read", "resource-template:x://{b}", `{"a":"high"}`), true)
	same("two prompts", of("prompts/get", "prompt:a", `{"a":"high"}`), of("prompts/get", "prompt:b", `{"a":"high"}`), false)
}

func TestAnItemIsAsGraveAsItsGravestResponse(t *testing.T) {
	x := newHeldIndex()
	x.put(heldAs(1, "s", "tool:read", "a", `{"concealment":"critical"}`))
	x.put(heldAs(2, "s", "tool:read", "a", `{"concealment":"high"}`))
	it := x.itemWith("C002")
	if len(x.items) != 1 || it == nil || it.newest().code != "C002" || it.gravest() != vocab.SeverityCritical {
		t.Fatalf("%+v", it)
	}
	x.drop("C001")
	if it.gravest() != vocab.SeverityHigh {
		t.Errorf("without the Critical one it is %s", it.gravest())
	}
}

func TestAnItemConcernsItsServerAndTheClientsWhoseResponsesItHas(t *testing.T) {
	x := newHeldIndex()
	x.put(heldAs(1, "s", "tool:read", "a", `{}`))
	x.put(heldAs(2, "s", "tool:read", "b", `{}`))
	it := x.itemWith("C001")
	for _, c := range []struct {
		client, server string
		want           bool
	}{{"a", "other", true}, {"b", "other", true}, {"c", "other", false}, {"c", "s", true}, {"", "s", true}, {"", "other", false}} {
		if got := it.Concerns(c.client, c.server); got != c.want {
			t.Errorf("client %q, server %q: %v", c.client, c.server, got)
		}
	}
	x.drop("C002")
	if it.Concerns("b", "other") {
		t.Error("it has no response of client b left")
	}
}

func TestNothingIsLeftOfResponsesThatWereForgotten(t *testing.T) {
	x := newHeldIndex()
	states := []vocab.HeldState{vocab.HeldWaiting, vocab.HeldReleased, vocab.HeldTaken, vocab.HeldDiscarded, vocab.HeldGone}
	for n := range 50 {
		one := heldAs(n, fmt.Sprint("s", n%3), fmt.Sprint("tool:", n%4), fmt.Sprint("c", n%2), `{"a":"high"}`)
		x.put(one)
		one.State = states[n%len(states)] // later changes of its state
		x.put(one)
	}
	if x.waiting != 20 || len(x.granted) != 20 || x.kept != 500 {
		t.Fatalf("%d wait, %d granted, %d bytes", x.waiting, len(x.granted), x.kept)
	}
	for n := range 50 {
		x.drop(fmt.Sprintf("C%03d", n))
	}
	if len(x.all)+len(x.ids)+len(x.items)+len(x.granted)+x.waiting != 0 || x.kept != 0 {
		t.Errorf("what is left: %+v", x)
	}
}
