package pin

import (
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// words are keywords of JSON Schema and MCP, also in places where they mean nothing.
var vocabulary = strings.Fields(`name title description inputSchema outputSchema annotations properties required enum type items
	prefixItems anyOf allOf not additionalProperties default const examples $defs dependentSchemas x-vendor readOnlyHint arguments a b`)

// generate makes a JSON value of at most depth levels, mostly of those words.
func generate(random *rand.Rand, depth int) *node {
	scalars := []string{`"object"`, `"a"`, `"b"`, `"\u200b"`, `1`, `1.0`, `true`, `false`, `null`, `""`, `"a b"`, `9007199254740993`}
	kind := random.IntN(5)
	if depth == 0 || kind == 0 {
		return &node{scalar: scalars[random.IntN(len(scalars))]}
	}
	n := &node{kind: '{'}
	if kind == 1 {
		n.kind = '['
	}
	used := map[string]bool{}
	for range random.IntN(5) {
		if n.kind == '{' {
			word := vocabulary[random.IntN(len(vocabulary))]
			if used[word] {
				continue
			}
			used[word] = true
			n.keys = append(n.keys, word)
		}
		n.children = append(n.children, generate(random, depth-1))
	}
	return n
}

// disturb changes one thing somewhere: perhaps an order that counts, perhaps one that does not.
func (n *node) disturb(random *rand.Rand) {
	var all []*node
	n.walk("", func(_ string, c *node) { all = append(all, c) })
	c := all[random.IntN(len(all))]
	switch count := len(c.children); {
	case count == 0 || random.IntN(4) == 0:
		*c = *generate(random, 2)
	case random.IntN(2) == 0 && count > 1:
		i, j := random.IntN(count), random.IntN(count)
		c.children[i], c.children[j] = c.children[j], c.children[i]
	case c.kind == '[':
		c.children = append(c.children, c.children[random.IntN(count)])
	default:
		i := random.IntN(count)
		c.keys[i] = vocabulary[random.IntN(len(vocabulary))]
	}
}

// For random definitions, digests are equal if and only if a JSON parser reads the same, up to the orders that never count, and Compare
// lists changes if and only if the digests differ.
func TestRandomDefinitionsHaveOneDigestOnlyIfTheyAreEqual(t *testing.T) {
	rounds := 5_000
	if testing.Short() {
		rounds = 1_000
	}
	random := rand.New(rand.NewPCG(5, 6))
	equals, differs := 0, 0
	for i := range rounds {
		n := &node{kind: '{', keys: []string{"inputSchema", "x"}, children: []*node{generate(random, 4), generate(random, 2)}}
		m := n.clone()
		m.shuffle(random, "tool")
		if i%3 > 0 {
			m.disturb(random)
		}
		a, b := n.write(random), m.write(random)
		digestA, errA := DigestOf(Tool, strconv.Itoa(i), []byte(a))
		digestB, errB := DigestOf(Tool, strconv.Itoa(i), []byte(b))
		if errA != nil || errB != nil { // disturb can make a key stand twice
			continue
		}
		equal := reflect.DeepEqual(normal(decoded(t, []byte(a)), "tool"), normal(decoded(t, []byte(b)), "tool"))
		if equal {
			equals++
		} else {
			differs++
		}
		if equal != (digestA == digestB) {
			t.Fatalf("equal to a parser: %v, one digest: %v\n%s\n%s", equal, digestA == digestB, a, b)
		}
		changes := Compare([]byte(a), []byte(b), Tool)
		if silent := len(changes) == 0; silent != equal {
			t.Fatalf("equal: %v, Compare finds nothing: %v\n%s\n%s", equal, silent, a, b)
		}
		if len(changes) == 1 && changes[0].Path == "" && m.kind == '{' {
			t.Fatalf("only %q about\n%s\n%s", changes[0].Words, a, b)
		}
	}
	if equals < rounds/5 || differs < rounds/5 {
		t.Errorf("%d equal and %d different pairs: the test has lost one side", equals, differs)
	}
}

// A change of a required list is always reported, for a field or for the list, on top of any other difference.
func TestRequiredIsNeverLostBesideOtherDifferences(t *testing.T) {
	schemas := []string{
		`{"properties":{"a":{"type":"string"}},"required":["a"]}`, `{"properties":{"a":{"type":"string"}}}`, `{"properties":{},"required":["a"]}`,
		`{"properties":["a"],"required":["a"]}`, `{"required":["a"]}`, `{"properties":{"a":true},"required":["b"]}`, `{"required":["a","a"]}`,
		`{"required":"a"}`, `{}`, `{"properties":{"b":{}},"required":["b","a"]}`,
	}
	for _, before := range schemas {
		for _, after := range schemas {
			b, a := `{"inputSchema":`+before+`}`, `{"inputSchema":`+after+`}`
			wasA, isA := strings.Contains(before, `"required":["a"`), strings.Contains(after, `"required":["a"`)
			if wasA == isA || strings.Contains(before+after, `"required":"a"`) {
				continue
			}
			got := strings.Join(words(Compare([]byte(b), []byte(a), Tool)), "\n")
			if !strings.Contains(got, "required") {
				t.Errorf("%s → %s says nothing about required:\n%s", b, a, got)
			}
		}
	}
}
