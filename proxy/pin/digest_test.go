package pin

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func digest(t testing.TB, kind Kind, raw string) Digest {
	t.Helper()
	d, err := DigestOf(kind, "x", []byte(raw))
	if err != nil {
		t.Fatalf("DigestOf(%s): %v", raw, err)
	}
	return d
}

// mutations are all definitions that differ from n in one thing: a scalar, a key, one member or element more or less, or the order of an
// array whose order counts.
func mutations(n *node, visit func(what string, changed *node)) {
	n.walk("", func(path string, _ *node) {
		at := func(c *node) (found *node, where string) {
			var search func(c *node, p, w string)
			search = func(c *node, p, w string) {
				if p == path {
					found, where = c, w
				}
				for i, child := range c.children {
					step := fmt.Sprintf("%s[%d]", p, i)
					if c.kind == '{' {
						step = p + "/" + c.keys[i]
					}
					search(child, step, inside(w, c.kind, key(c, i)))
				}
			}
			search(c, "", "tool")
			return found, where
		}
		try := func(what string, change func(c *node, where string) bool) {
			whole := n.clone()
			found, where := at(whole)
			if change(found, where) {
				visit(what+" at "+path, whole)
			}
		}
		try("another value", func(c *node, _ string) bool {
			if c.kind != 0 {
				return false
			}
			switch c.scalar[0] {
			case '"':
				c.scalar = c.scalar[:len(c.scalar)-1] + "\u200b\""
			case 't':
				c.scalar = "false"
			case 'f', 'n':
				c.scalar = "true"
			default:
				c.scalar += ".0"
				if strings.Contains(c.scalar[:len(c.scalar)-2], ".") {
					c.scalar = c.scalar[:len(c.scalar)-2] + "0"
				}
			}
			return true
		})
		try("null for the value", func(c *node, _ string) bool {
			if c.scalar == "null" {
				return false
			}
			*c = node{scalar: "null"}
			return true
		})
		for i := range len(n.find(path).children) {
			try(fmt.Sprintf("child %d gone", i), func(c *node, _ string) bool {
				c.children = slices.Delete(c.children, i, i+1)
				if c.kind == '{' {
					c.keys = slices.Delete(c.keys, i, i+1)
				}
				return true
			})
			try(fmt.Sprintf("key %d spelled otherwise", i), func(c *node, _ string) bool {
				if c.kind == '{' {
					c.keys[i] += "\u2060"
				}
				return c.kind == '{'
			})
			try(fmt.Sprintf("element %d twice", i), func(c *node, _ string) bool {
				if c.kind == '[' {
					c.children = append(c.children, c.children[i])
				}
				return c.kind == '['
			})
			try(fmt.Sprintf("elements %d and the next exchanged", i), func(c *node, where string) bool {
				if c.kind != '[' || where == "set" || i+1 >= len(c.children) {
					return false
				}
				c.children[i], c.children[i+1] = c.children[i+1], c.children[i]
				return c.children[i].write(nil) != c.children[i+1].write(nil)
			})
		}
		try("one more", func(c *node, _ string) bool {
			if c.kind == '{' {
				c.keys = append(c.keys, "more")
			}
			if c.kind != 0 {
				c.children = append(c.children, &node{scalar: `"more"`})
			}
			return c.kind != 0
		})
	})
}

func (n *node) find(path string) (found *node) {
	n.walk("", func(p string, c *node) {
		if p == path {
			found = c
		}
	})
	return found
}

func TestT22EachLeafChangesTheDigestAndCompareSaysSo(t *testing.T) {
	n := parse(t, everything)
	raw := n.write(nil)
	want := digest(t, Tool, raw)
	count := 0
	mutations(n, func(what string, changed *node) {
		count++
		mutated := changed.write(nil)
		got := digest(t, Tool, mutated)
		if got == want {
			t.Errorf("%s: the digest is the same", what)
		}
		if len(Compare([]byte(raw), []byte(mutated), Tool)) == 0 {
			t.Errorf("%s: Compare finds nothing", what)
		}
		if len(Compare([]byte(mutated), []byte(raw), Tool)) == 0 {
			t.Errorf("%s: Compare finds nothing the other way round", what)
		}
	})
	if count < 500 {
		t.Errorf("only %d mutations: the test no longer walks the definition", count)
	}
}

func TestT22OrderThatDoesNotCountLeavesTheDigest(t *testing.T) {
	n := parse(t, everything)
	raw := n.write(nil)
	want := digest(t, Tool, raw)
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		other := n.clone()
		other.shuffle(random, "tool")
		text := other.write(random)
		if got := digest(t, Tool, text); got != want {
			t.Fatalf("another order or spelling has another digest:\n%s", text)
		}
		if changes := Compare([]byte(raw), []byte(text), Tool); len(changes) != 0 {
			t.Fatalf("Compare says %+v about\n%s", changes, text)
		}
	}
}

func TestWhatIsEqualAndWhatIsNot(t *testing.T) {
	schema := func(s string) string { return `{"name":"x","inputSchema":` + s + `}` }
	tests := []struct {
		name string
		kind Kind
		a, b string
		same bool
	}{
		{"order of members does not count", Tool, `{"a":1,"b":2}`, `{"b":2,"a":1}`, true},
		{"white space does not count", Tool, `{"a":[1,2]}`, "{ \"a\" :\n[ 1,\t2 ] }\r\n", true},
		{"an escape is the character it spells", Tool, `{"a":"\u0041\/"}`, `{"\u0061":"A/"}`, true},
		{"a pair of escapes is the character it spells", Tool, `{"a":"\ud83d\ude00"}`, `{"a":"😀"}`, true},
		{"order of required does not count", Tool, schema(`{"required":["a","b"]}`), schema(`{"required":["b","a"]}`), true},
		{"order of enum does not count", Tool, schema(`{"enum":["a",1]}`), schema(`{"enum":[1,"a"]}`), true},
		{"order of type does not count", Tool, schema(`{"type":["a","b"]}`), schema(`{"type":["b","a"]}`), true},
		{"order of required deep in a schema does not count", Tool,
			schema(`{"properties":{"p":{"items":{"anyOf":[{"required":["a","b"]}]}}}}`),
			schema(`{"properties":{"p":{"items":{"anyOf":[{"required":["b","a"]}]}}}}`), true},
		{"order of required in the list form of items does not count", Tool,
			schema(`{"items":[{"required":["a","b"]}]}`), schema(`{"items":[{"required":["b","a"]}]}`), true},
		{"a property named required is no keyword", Tool,
			schema(`{"properties":{"required":["a","b"]}}`), schema(`{"properties":{"required":["b","a"]}}`), false},
		{"an enum in a default is data", Tool, schema(`{"default":{"enum":[1,2]}}`), schema(`{"default":{"enum":[2,1]}}`), false},
		{"an enum in a const is data", Tool, schema(`{"const":{"enum":[1,2]}}`), schema(`{"const":{"enum":[2,1]}}`), false},
		{"a required in examples is data", Tool, schema(`{"examples":[{"required":[1,2]}]}`), schema(`{"examples":[{"required":[2,1]}]}`), false},
		{"an array in an enum is data", Tool, schema(`{"enum":[[1,2]]}`), schema(`{"enum":[[2,1]]}`), false},
		{"an object in an enum is data", Tool, schema(`{"enum":[{"enum":[1,2]}]}`), schema(`{"enum":[{"enum":[2,1]}]}`), false},
		{"what a vendor added is data", Tool, schema(`{"x-a":{"enum":[1,2]}}`), schema(`{"x-a":{"enum":[2,1]}}`), false},
		{"allOf that is no list holds no schema", Tool, schema(`{"allOf":{"enum":[1,2]}}`), schema(`{"allOf":{"enum":[2,1]}}`), false},
		{"order of anyOf counts", Tool, schema(`{"anyOf":[{},true]}`), schema(`{"anyOf":[true,{}]}`), false},
		{"order of dependentRequired counts", Tool, schema(`{"dependentRequired":{"a":["b","c"]}}`), schema(`{"dependentRequired":{"a":["c","b"]}}`), false},
		{"required beside the schema is data", Tool, `{"required":["a","b"]}`, `{"required":["b","a"]}`, false},
		{"required in _meta is data", Tool, `{"_meta":{"required":["a","b"]}}`, `{"_meta":{"required":["b","a"]}}`, false},
		{"order of a prompt's arguments counts", Prompt, `{"arguments":[{"name":"a"},{"name":"b"}]}`, `{"arguments":[{"name":"b"},{"name":"a"}]}`, false},
		{"a prompt has no schema", Prompt, schema(`{"enum":[1,2]}`), schema(`{"enum":[2,1]}`), false},
		{"an entry that stands twice in required", Tool, schema(`{"required":["a","a"]}`), schema(`{"required":["a"]}`), false},
		{"which entry stands twice in enum", Tool, schema(`{"enum":[1,1,2]}`), schema(`{"enum":[1,2,2]}`), false},
		{"integers beyond doubles", Tool, schema(`{"maximum":9007199254740993}`), schema(`{"maximum":9007199254740992}`), false},
		{"1.0 and 1", Tool, `{"a":1.0}`, `{"a":1}`, false},
		{"1e400 and another", Tool, `{"a":1e400}`, `{"a":1e401}`, false},
		{"-0 and 0", Tool, `{"a":-0}`, `{"a":0}`, false},
		{"a string that looks like JSON", Tool, `{"a":"[1]"}`, `{"a":[1]}`, false},
		{"one invisible character", Tool, `{"a":"x"}`, `{"a":"x\u200b"}`, false},
		{"composed and decomposed", Tool, `{"a":"é"}`, `{"a":"e\u0301"}`, false},
		{"null and absent", Tool, `{"a":null}`, `{}`, false},
		{"instructions in other words", Instructions, `"be kind"`, `"be cruel"`, false},
		{"instructions spelled with escapes", Instructions, `"be kind"`, `"be \u006bind"`, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := digest(t, test.kind, test.a) == digest(t, test.kind, test.b); got != test.same {
				t.Errorf("same digest: %v, want %v", got, test.same)
			}
			if got := len(Compare([]byte(test.a), []byte(test.b), test.kind)) == 0; got != test.same {
				t.Errorf("Compare finds nothing: %v, want %v", got, test.same)
			}
		})
	}
}

// In a digest over joined strings, part of the name could pass for part of the definition.
func TestKindNameAndDefinitionAreOneValue(t *testing.T) {
	seen := map[Digest]string{}
	for _, c := range []struct {
		kind Kind
		name string
		raw  string
	}{
		{Tool, "a", `{}`}, {Prompt, "a", `{}`}, {Resource, "a", `{}`}, {ResourceTemplate, "a", `{}`}, {Tool, "a{}", `{}`}, {Tool, "", `{}`},
		{Tool, `a","kind":"prompt`, `{}`}, {Tool, "a", `{"name":"a"}`}, {Tool, `","name":"a`, `{}`}, {Tool, "a", `"{}"`}, {Tool, "tool", `"a"`},
	} {
		d, err := DigestOf(c.kind, c.name, []byte(c.raw))
		if err != nil {
			t.Fatal(err)
		}
		if len(d) != 64 || strings.ToLower(string(d)) != string(d) {
			t.Errorf("digest %q is not 64 characters of lower-case hex", d)
		}
		if other, ok := seen[d]; ok {
			t.Errorf("%v has the digest of %s", c, other)
		}
		seen[d] = fmt.Sprint(c)
	}
}

func TestWhatHasNoOneReadingHasNoDigest(t *testing.T) {
	deep := strings.Repeat("[", 3000) + strings.Repeat("]", 3000)
	tests := []struct {
		name string
		raw  string
		want error
	}{
		{"a lone high surrogate", `{"a":"x\ud800y"}`, ErrLoneSurrogate},
		{"a lone low surrogate", `{"a":["\udc00"]}`, ErrLoneSurrogate},
		{"surrogates in the wrong order", `{"a":"\ude00\ud83d"}`, ErrLoneSurrogate},
		{"a lone surrogate in a key", `{"a":{"\ud800":1}}`, ErrLoneSurrogate},
		{"a key twice", `{"a":1,"a":2}`, ErrNotJSON},
		{"a key twice, once with an escape", `{"a":1,"\u0061":2}`, ErrNotJSON},
		{"a key twice deep inside", `{"a":[{"b":1,"b":1}]}`, ErrNotJSON},
		{"keys equal under case folding", `{"properties":1,"Properties":2}`, ErrNotJSON},
		{"invalid UTF-8", "{\"a\":\"\xff\"}", ErrNotJSON},
		{"a comment", `{} // x`, ErrNotJSON},
		{"two values", `{}{}`, ErrNotJSON},
		{"nothing", ``, ErrNotJSON},
		{"a byte order mark", "\ufeff{}", ErrNotJSON},
		{"nested without end", deep, ErrNotJSON},
		{"nested without being closed", strings.Repeat(`{"a":`, 100_000), ErrNotJSON},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if d, err := DigestOf(Tool, "x", []byte(test.raw)); !errors.Is(err, test.want) || d != "" {
				t.Errorf("got %q, %v; want %v", d, err, test.want)
			}
		})
	}
	t.Run("U+FFFD itself is a character like any other", func(t *testing.T) {
		if digest(t, Tool, `{"\ufffd":"\ufffd"}`) != digest(t, Tool, `{"�":"�"}`) {
			t.Error("two spellings of U+FFFD differ")
		}
	})
	t.Run("a name that is no UTF-8", func(t *testing.T) {
		if _, err := DigestOf(Tool, "\xff", []byte(`{}`)); err == nil {
			t.Error("digested")
		}
	})
}

// Each level visits everything inside it, so a chain of brackets around a large value needs a limit.
func TestDeepAndLargeIsRefusedNotRecomputed(t *testing.T) {
	large := `"` + strings.Repeat("a", 1<<20) + `"`
	raw := strings.Repeat("[", 900) + large + strings.Repeat("]", 900)
	if _, err := DigestOf(Tool, "x", []byte(raw)); !errors.Is(err, ErrTooDeep) {
		t.Errorf("got %v, want ErrTooDeep", err)
	}
	honest := strings.Repeat("[", 40) + large + strings.Repeat("]", 40)
	if _, err := DigestOf(Tool, "x", []byte(honest)); err != nil {
		t.Errorf("40 levels around 1 MiB: %v", err)
	}
}

// The invariant of the package: digests are equal if and only if every JSON parser reads the same, up to the orders that never count.
func FuzzDigest(f *testing.F) {
	f.Add([]byte(everything), []byte(`{"name":"x"}`), uint64(1))
	f.Add([]byte(`{"inputSchema":{"required":["a","b"],"enum":[1,1.0]}}`), []byte(`{"inputSchema":{"enum":[1.0,1],"required":["b","a"]}}`), uint64(2))
	f.Add([]byte(`{"a":"\ud83d\ude00"}`), []byte(`{"a":"😀"}`), uint64(3))
	f.Add([]byte(`{"inputSchema":{"items":[{"type":["a","b"]}],"properties":{"enum":[2,1]}}}`), []byte(`[]`), uint64(4))
	f.Fuzz(func(t *testing.T, a, b []byte, seed uint64) {
		digestA, err := DigestOf(Tool, "x", a)
		if err != nil {
			return
		}
		n := parse(t, string(a))
		random := rand.New(rand.NewPCG(seed, 0))
		n.shuffle(random, "tool")
		respelled := n.write(random)
		if other, err := DigestOf(Tool, "x", []byte(respelled)); err != nil || other != digestA {
			t.Fatalf("respelled:\n%s\n%s\n%v", a, respelled, err)
		}
		digestB, err := DigestOf(Tool, "x", b)
		if err != nil {
			return
		}
		equal := reflect.DeepEqual(normal(decoded(t, a), "tool"), normal(decoded(t, b), "tool"))
		if equal != (digestA == digestB) {
			t.Fatalf("equal to a parser: %v, one digest: %v\n%s\n%s", equal, digestA == digestB, a, b)
		}
	})
}

func decoded(t testing.TB, raw []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("digested, but encoding/json says %v:\n%s", err, raw)
	}
	return v
}

func FuzzCanonical(f *testing.F) {
	f.Add([]byte(everything))
	f.Add([]byte(`[1,"\u0000\/",{"b":[],"a":{}}]`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if check(raw) != nil {
			return
		}
		form, err := canonical(raw, tool)
		if err != nil {
			return
		}
		again, err := canonical(form, tool)
		if err != nil || string(again) != string(form) {
			t.Fatalf("not a fixed point: %v\n%s\n%s", err, form, again)
		}
		if !reflect.DeepEqual(normal(decoded(t, raw), "tool"), normal(decoded(t, form), "tool")) {
			t.Fatalf("the canonical form means something else:\n%s\n%s", raw, form)
		}
	})
}

func BenchmarkDigestOfListing(b *testing.B) {
	// Twelve tools of 1.3 KB: a listing of ordinary size (T22 in docs/relay.md).
	var tools [][]byte
	size := 0
	for i := range 12 {
		tool := fmt.Sprintf(`{"name":"tool_%d","description":%q,"inputSchema":{"type":"object","properties":{`, i, strings.Repeat("Does a thing with a path. ", 12))
		for p := range 6 {
			tool += fmt.Sprintf(`"p%d":{"type":"string","description":%q},`, p, strings.Repeat("a parameter of it ", 5))
		}
		tool += `"last":{"type":"integer"}},"required":["p0","p1"]},"annotations":{"readOnlyHint":true}}`
		tools = append(tools, []byte(tool))
		size += len(tool)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		for _, raw := range tools {
			if _, err := DigestOf(Tool, "x", raw); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkItemOfListing(b *testing.B) {
	raw := []byte(everything)
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ItemOf(Tool, raw); err != nil {
			b.Fatal(err)
		}
	}
}

func TestRequestsThatAskForTheSameHaveOneDigest(t *testing.T) {
	digest := func(method, params string) Digest {
		t.Helper()
		var raw []byte
		if params != "" {
			raw = []byte(params)
		}
		d, err := RequestDigest(method, raw)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	base := digest("tools/call", `{"name":"read","arguments":{"path":"a","n":1}}`)
	for name, same := range map[string]string{
		"order and space":        `{ "arguments": {"n":1, "path":"a"}, "name":"read" }`,
		"another progress token": `{"name":"read","arguments":{"path":"a","n":1},"_meta":{"progressToken":7}}`,
		"another spelling":       `{"name":"re\u0061d","arguments":{"path":"a","n":1}}`,
	} {
		if digest("tools/call", same) != base {
			t.Errorf("%s: another digest", name)
		}
	}
	for name, other := range map[string]string{
		"another argument":  `{"name":"read","arguments":{"path":"b","n":1}}`,
		"another number":    `{"name":"read","arguments":{"path":"a","n":1.0}}`,
		"one argument more": `{"name":"read","arguments":{"path":"a","n":1,"m":null}}`,
		"another tool":      `{"name":"reads","arguments":{"path":"a","n":1}}`,
	} {
		if digest("tools/call", other) == base {
			t.Errorf("%s: the same digest", name)
		}
	}
	if digest("prompts/get", `{"name":"read","arguments":{"path":"a","n":1}}`) == base {
		t.Error("another method: the same digest")
	}
	if digest("tools/call", `{"name":"x"}`) != digest("tools/call", `{"name":"x","arguments":{ }}`) {
		t.Error("no arguments are not the same as none")
	}
	if digest("tasks/list", "") != digest("tasks/list", "{}") {
		t.Error("no params are not the same as empty ones")
	}
}

func TestARequestThatReadsTwoWaysHasNoDigest(t *testing.T) {
	for _, params := range []string{`{"name":"\ud800"}`, `{"name":"a","name":"b"}`, `[`} {
		if d, err := RequestDigest("tools/call", []byte(params)); err == nil {
			t.Errorf("%s has the digest %s", params, d)
		}
	}
}
