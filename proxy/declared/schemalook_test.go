package declared

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
)

func toolReturning(t *testing.T, name, output string) pin.Item {
	t.Helper()
	item, err := pin.ItemOf(pin.Tool, []byte(`{"name":"`+name+`","inputSchema":{"type":"object"},"outputSchema":`+output+`}`))
	if err != nil {
		t.Fatal(err)
	}
	return item
}

// found is how many of the items have the finding.
func found(items []pin.Item) (n int) {
	for _, item := range items {
		for _, f := range item.Findings {
			if f.Rule == inspect.OutputSchema {
				n++
			}
		}
	}
	return n
}

func TestASchemaThatDoesNotCompileIsFoundInEveryCheck(t *testing.T) {
	var look schemaLook
	for range 2 {
		items := []pin.Item{
			toolReturning(t, "good", `{"type":"object"}`), toolReturning(t, "none", `null`), toolReturning(t, "bad", `{"type":"decimal"}`),
			toolReturning(t, "large", `{"description":"`+strings.Repeat("x", 600<<10)+`"}`),
		}
		if whole := look.look(items); !whole || found(items[:2]) != 0 || found(items[2:]) != 2 {
			t.Errorf("whole %v, %d and %d findings", whole, found(items[:2]), found(items[2:]))
		}
	}
	if len(look.found) != 3 {
		t.Errorf("%d definitions are remembered", len(look.found))
	}
	if look.look(nil); len(look.found) != 0 {
		t.Error("definitions that are gone are remembered")
	}
}

func TestACheckCompilesOnlySoMuchAndTheNextOnesTheRest(t *testing.T) {
	var items []pin.Item
	for i := range 30 {
		items = append(items, toolReturning(t, fmt.Sprint("t", i), `{"type":"decimal","description":"`+strings.Repeat("x", 50<<10)+fmt.Sprint(i)+`"}`))
	}
	var look schemaLook
	fresh := func() []pin.Item {
		again := make([]pin.Item, len(items))
		for i, item := range items {
			again[i] = item
			again[i].Findings = nil
		}
		return again
	}
	var seen []int
	for range 3 {
		now := fresh()
		whole := look.look(now)
		seen = append(seen, found(now))
		if whole != (seen[len(seen)-1] == len(items)) {
			t.Errorf("whole %v after %v", whole, seen)
		}
	}
	if seen[0] != 10 || seen[1] != 20 || seen[2] != 30 {
		t.Errorf("found %v", seen)
	}
	look.bytes = schemasAtOnce + 1
	look.found = nil
	if whole := look.look(fresh()); !whole {
		t.Error("a server with schemas without end causes checks without end")
	}
}
