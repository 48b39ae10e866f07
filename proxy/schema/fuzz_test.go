package schema

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// FuzzCompile gives Compile what a server could declare. It fails by a panic, or by taking so long that the fuzzer gives up.
func FuzzCompile(f *testing.F) {
	for _, cases := range suite(f) {
		for _, c := range cases {
			f.Add([]byte(c.Schema))
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := Compile(raw)
		if (s == nil) == (err == nil) {
			t.Fatalf("%v, %v", s, err)
		}
		if err != nil && (strings.ContainsAny(err.Error(), "\n\"'") || len(err.Error()) > 300) {
			t.Fatalf("%q", err)
		}
	})
}

// FuzzValidate gives a value that could be anything to schemas that look at everything. What is JSON is read as encoding/json reads it.
func FuzzValidate(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2.50,-0e9,"\u00e9\ud83d\ude00\ud800",{"b":null}],"c":true}`, `[[],{},"",0]`, ` "x" `, `1e10001`, `{"a":1,"a":2}`, `"\`, `[1,`, "\xff"} {
		f.Add([]byte(seed))
	}
	var schemas []*Schema
	for _, raw := range []string{`{}`, `{"uniqueItems":true,"items":{"enum":[1,[],"é"]},"additionalProperties":{"pattern":"^(?!a)","multipleOf":0.3}}`,
		`{"$dynamicAnchor":"n","anyOf":[{"type":"integer","minimum":3},{"items":{"$dynamicRef":"#n"},"unevaluatedItems":false},{"propertyNames":{"maxLength":1}}],"unevaluatedProperties":{"$dynamicRef":"#n"}}`} {
		s, err := Compile([]byte(raw))
		if err != nil {
			f.Fatal(err)
		}
		schemas = append(schemas, s)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, s := range schemas {
			s.Validate(raw, generous)
		}
		readAlike(t, raw)
	})
}

// readAlike compares the canonical form of a value with that of what encoding/json makes of it.
func readAlike(t *testing.T, raw []byte) {
	o := sketch(string(raw))
	if o.depth > 64 || o.wild {
		return
	}
	trimmed := string(bytes.Trim(raw, " \t\r\n"))
	d, ok := decode(trimmed, o.nodes)
	theirs, err := decodedAny(string(raw))
	if err != nil {
		return
	}
	if !ok {
		t.Fatalf("%q is JSON", raw)
	}
	if len(d.nodes) != o.nodes {
		t.Fatalf("%q has %d nodes, not %d", raw, len(d.nodes), o.nodes)
	}
	if twice(&d) || !bytes.Equal(raw, bytes.ToValidUTF8(raw, nil)) {
		return // encoding/json takes the last of two members, and corrects what is not UTF-8
	}
	again, err := json.Marshal(theirs)
	if err != nil {
		t.Fatal(err)
	}
	e, ok := decode(string(again), sketch(string(again)).nodes)
	if !ok || string(d.appendValue(nil, 0)) != string(e.appendValue(nil, 0)) {
		t.Fatalf("%q is read as %q", raw, again)
	}
}

func twice(d *document) bool {
	for v, n := range d.nodes {
		if n.kind != object {
			continue
		}
		seen := map[string]bool{}
		for key := uint32(v) + 1; key < n.next; key = d.nodes[key+1].next {
			if seen[d.text(key)] {
				return true
			}
			seen[d.text(key)] = true
		}
	}
	return false
}
