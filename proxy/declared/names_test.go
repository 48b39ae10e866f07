package declared

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/sanitize"
)

// viewOf is a view in which all of these items are allowed, and have the names that n gives them.
func viewOf(n *naming, profile string, keys ...string) *View {
	seen := &Observation{digests: map[string]pin.Digest{}, withheld: map[string]bool{}}
	state := &control.State{Revision: 1, Open: true, Items: map[string]control.ItemState{}, Settings: map[string]string{"sanitizer.profile": profile}}
	for _, key := range keys {
		seen.digests[key] = "d"
		state.Items[key] = control.ItemState{State: "approved", Approved: []pin.Digest{"d"}}
	}
	v := newView(state, seen, true, false, nil)
	n.apply(v)
	return v
}

// Whatever a server declares, and in whatever order, a name that was delivered for one item never calls another one.
func TestNoSequenceOfDeclarationsMakesANameMeanAnotherItem(t *testing.T) {
	long := strings.Repeat("n", 140)
	names := []string{"a", "a\nx", "a\ny", "A\nz", "b\u200b", "b", long, long + "1", long[:80], long[:128], "c", " c", "approve", "approve\nx", "\u200b"}
	for _, name := range []string{"a\nx", "a\ny", "a", "approve\nx", long} { // a server can compute them
		names = append(names, sanitize.Apart(name, sanitize.Strict), sanitize.Apart(name, sanitize.Standard))
	}
	slices.Sort(names)
	names = slices.Compact(names)
	random := rand.New(rand.NewPCG(25, 4))
	for range 300 {
		n, meant := newNaming([]string{"approve"}), map[string]string{}
		for range 12 {
			var keys []string
			for _, name := range names {
				for _, kind := range []pin.Kind{pin.Tool, pin.Prompt} {
					if random.IntN(3) == 0 {
						keys = append(keys, pin.Key(kind, name))
					}
				}
			}
			v := viewOf(n, []string{"off", "standard", "strict"}[random.IntN(3)], keys...)
			listed := map[string]string{}
			for _, key := range keys {
				name, ok := v.Delivered(kindOf(key), nameOf(key))
				if !ok {
					continue
				}
				as := pin.Key(kindOf(key), name)
				if other, twice := listed[as]; twice {
					t.Fatalf("%q and %q are both listed as %q", key, other, name)
				}
				if was, known := meant[as]; known && was != key {
					t.Fatalf("%q meant %q, and is now %q", as, was, key)
				}
				if name == "approve" && nameOf(key) != name && kindOf(key) == pin.Tool {
					t.Fatalf("%q is listed under our own name", key)
				}
				listed[as], meant[as] = key, key
				if called, ok := v.byName(kindOf(key))[name]; !ok || called.Key != key || called.Delivered != name || called.Alias != (name != nameOf(key)) {
					t.Fatalf("%q is listed as %q, which calls %+v", key, name, called)
				}
			}
			for as, was := range meant {
				if called, ok := v.byName(kindOf(as))[nameOf(as)]; ok && called.Key != was {
					t.Fatalf("%q meant %q, and calls %q", as, was, called.Key)
				}
				if n, clear := v.Means(kindOf(as), nameOf(as)); clear && n.Key != was {
					t.Fatalf("%q meant %q, and means %q", as, was, n.Key)
				}
			}
		}
	}
}

// A server that renames its tools forever fills no memory. What is new then has the server's name alone.
func TestNamesThatAreRememberedAreBounded(t *testing.T) {
	n := newNaming(nil)
	for i := range maxMeanings {
		n.own[fmt.Sprintf("tool:%d", i)] = true
	}
	v := viewOf(n, "strict", "tool:a\nb", "tool:c")
	if name, listed := v.Delivered(pin.Tool, "a\nb"); listed {
		t.Errorf("listed as %q", name)
	}
	if name, listed := v.Delivered(pin.Tool, "c"); !listed || name != "c" {
		t.Errorf("c is listed as %q", name)
	}
	for name, want := range map[string]bool{"a\nb": true, "c": true, "a": false} {
		if _, ok := v.Tool([]byte(name)); ok != want {
			t.Errorf("%q can be called: %v", name, ok)
		}
	}
	if len(n.own)+len(n.aliases) > maxMeanings {
		t.Error("it remembers more")
	}
}

func BenchmarkNaming(b *testing.B) {
	for name, pattern := range map[string]string{"plain": "tool:get_%d", "cut": "tool:get\n%d"} {
		b.Run(name, func(b *testing.B) {
			var keys []string
			for i := range 1000 {
				keys = append(keys, fmt.Sprintf(pattern, i))
			}
			n := newNaming(nil)
			v := viewOf(n, "strict", keys...)
			for b.Loop() {
				n.apply(v)
			}
		})
	}
}
