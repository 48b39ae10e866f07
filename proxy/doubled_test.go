package proxy

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/frame"
)

func TestANewServerWithADoubledDefinitionIsReportedWhole(t *testing.T) {
	double := unreadEcho["keys that differ in case"]
	r := newRig(t, nil, func(r *rig) {
		r.server.tools = []string{double, addTool, `{"name":"a","name":"b"}`}
		r.server.prompts = []string{`{"name":"p","title":"t","Title":"u"}`}
		r.server.capabilities = `{"tools":{},"prompts":{}}`
	})
	r.initialize()
	r.eventually("all of it is reported", func() bool { return r.gate.reportCount() > 0 })
	for key, unread := range map[string]bool{"tool:echo": true, "tool:add": false, "prompt:p": true} {
		if item, ok := r.gate.reported(key); !ok || (item.Unread != nil) != unread {
			t.Errorf("%s: %+v", key, item)
		}
	}
	if item, _ := r.gate.reported("tool:echo"); item.Findings[0].Match != "x and X" || item.Findings[0].Where != "inputSchema.properties" {
		t.Errorf("it says %+v", item.Findings[0])
	}
	if found := r.gate.found(); len(found) != 1 || found[0].Rule != "unreadable_item" {
		t.Errorf("what has no sure name: %+v", found)
	}
}

func TestWhatIsDoubledAroundDefinitionsRefusesThePage(t *testing.T) {
	double := unreadEcho["a key twice"]
	for name, answer := range map[string]string{
		"beside the listing":             `"result":{"tools":[` + echoTool + `],"x":1,"X":2}`,
		"in a member beside it":          `"result":{"tools":[` + echoTool + `],"_meta":{"a":1,"a":2}}`,
		"both":                           `"result":{"tools":[` + double + `],"_meta":{"a":1,"a":2}}`,
		"the listing":                    `"result":{"tools":[` + double + `],"tools":[` + echoTool + `]}`,
		"the listing in another case":    `"result":{"Tools":[` + echoTool + `],"tools":[` + double + `]}`,
		"the result":                     `"result":{"tools":[` + double + `]},"result":{"tools":[` + echoTool + `]}`,
		"the id":                         `"result":{"tools":[` + double + `]},"id":99`,
		"an error beside it":             `"result":{"tools":[` + double + `]},"error":{"code":1,"message":"evil"}`,
		"bytes that are no text as well": `"result":{"tools":[` + double + `,{"name":"a","description":"` + "\xff" + `"}]}`,
		"no JSON as well":                `"result":{"tools":[` + double + `,]}`,
	} {
		t.Run(name, func(t *testing.T) {
			r := ready(t)
			r.server.declare(func(s *server) {
				s.handle = func(line string) (string, bool) {
					if !strings.Contains(line, `"tools/list"`) {
						return "", false
					}
					id := strings.TrimSuffix(between(line, `"id":`, `,`), "}")
					return `{"jsonrpc":"2.0","id":` + id + `,` + answer + `}`, true
				}
			})
			r.send(`{"jsonrpc":"2.0","id":5,"method":"tools/list"}`)
			if got := r.answerTo("5"); !strings.Contains(got, `"error"`) || !strings.Contains(got, "was blocked") || strings.Contains(got, "evil") {
				t.Errorf("the client got %s", got)
			}
		})
	}
}

func TestOnlyAnAnswerToAListingLosesItsDoubles(t *testing.T) {
	r := ready(t)
	answering(r, func(id string) []string {
		return []string{`{"jsonrpc":"2.0","id":` + id + `,"result":{"tools":[` + unreadEcho["a key twice"] + `]}}`}
	})
	if got := r.call("1", "echo"); !strings.Contains(got, `"error"`) {
		t.Errorf("a call: %s", got)
	}
}

// The strict scanner accepts a page without its ambiguous definitions, and all others are still on it, unchanged and in order.
func TestWhatIsLeftOfAPageHasOneReading(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	keys := []string{"name", "Name", "x", "X", `\u0078`, "description", "a", "ſ", "s", `\ud800`, `\ud801`}
	var value func(depth int) string
	object := func(depth int) string {
		var members []string
		for range dice.IntN(4) {
			members = append(members, fmt.Sprintf(`"%s":%s`, keys[dice.IntN(len(keys))], value(depth+1)))
		}
		return "{" + strings.Join(members, " ,") + "}"
	}
	value = func(depth int) string {
		switch n := dice.IntN(6); {
		case n < 2 && depth < 4:
			return object(depth)
		case n == 2 && depth < 4:
			return "[" + value(depth+1) + ", " + value(depth+1) + "]"
		case n == 3:
			return `"],\"}{"`
		}
		return "1"
	}
	cutSome := 0
	for range 20_000 {
		var items, want []string
		for range dice.IntN(5) {
			item := object(0)
			items = append(items, item)
			if frame.Validate([]byte(item)) == nil {
				want = append(want, item)
			}
		}
		line := []byte(`{"jsonrpc":"2.0","id":1,"result":{"tools":[` + strings.Join(items, ",") + "]}}\n")
		var m frame.Message
		why := frame.Scan(line, frame.FromServer, &m)
		if why == nil {
			continue
		}
		rest, cut := cutDoubled(line, why, "tools")
		if rest == nil {
			t.Fatalf("nothing is left of %s: %v", line, why)
		}
		cutSome++
		if err := frame.Scan(rest, frame.FromServer, &m); err != nil {
			t.Fatalf("%s is left of %s: %v", rest, line, err)
		}
		var left []string
		array, _ := frame.Find(rest, m.Result, "tools")
		frame.Elements(rest, array, func(_ int, v frame.Span) bool { left = append(left, string(v.Of(rest))); return true })
		if !slices.Equal(left, want) || len(left)+len(cut) != len(items) {
			t.Fatalf("%q is left of %s, want %q", left, line, want)
		}
		for _, gone := range cut {
			if !bytes.Contains(line, gone) {
				t.Fatalf("%s was never there", gone)
			}
		}
	}
	if cutSome < 1000 {
		t.Errorf("only %d pages had doubles", cutSome)
	}
}
