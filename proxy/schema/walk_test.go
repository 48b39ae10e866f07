package schema

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// nothing is the library's loader.
type nothing struct{}

func (nothing) Load(string) (any, error) { return nil, errOutside }

// String and MatchString make our patterns the library's.
func (p *pattern) String() string { return p.source }

func (p *pattern) MatchString(s string) bool {
	b := newBudget(len(s))
	return b.match(p, s)
}

func theirPattern(source string) (jsonschema.Regexp, error) { return compilePattern(source) }

// theirs compiles a schema for the library's own evaluation, and counts how often it applies a subschema.
//
// The library has no hook for that, but a compiled schema is a plain struct: each subschema gets a format, which the library checks at
// the beginning of each application. Types, const and enum, which it checks before, move into the format. true and false become a subschema
// with a format only.
func theirs(raw string) (sch *jsonschema.Schema, applied *int, err error) {
	defer func() {
		if recover() != nil {
			err = errPattern
		}
	}()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(raw))
	if err != nil {
		return nil, nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(nothing{})
	compiler.UseRegexpEngine(theirPattern)
	if err := compiler.AddResource(base, doc); err != nil {
		return nil, nil, err
	}
	if sch, err = compiler.Compile(base); err != nil {
		return nil, nil, err
	}
	applied = new(int)
	hooked := map[*jsonschema.Schema]bool{}
	var hook func(*jsonschema.Schema)
	hook = func(s *jsonschema.Schema) {
		if s == nil || hooked[s] {
			return
		}
		hooked[s] = true
		own := *s
		inner := &jsonschema.Schema{DraftVersion: own.DraftVersion, Location: own.Location, Types: own.Types, Const: own.Const, Enum: own.Enum, Bool: own.Bool}
		s.Types, s.Const, s.Enum, s.Bool = nil, nil, nil, nil
		s.Format = &jsonschema.Format{Name: "counted", Validate: func(v any) error { *applied++; return asError(inner, v) }}
		for _, list := range [][]*jsonschema.Schema{s.AllOf, s.AnyOf, s.OneOf, s.PrefixItems, {s.Ref, s.RecursiveRef, s.Not, s.If, s.Then, s.Else, s.PropertyNames, s.UnevaluatedProperties,
			s.Contains, s.Items2020, s.UnevaluatedItems}} {
			for _, one := range list {
				hook(one)
			}
		}
		for _, of := range []map[string]*jsonschema.Schema{s.Properties, s.DependentSchemas} {
			for _, one := range of {
				hook(one)
			}
		}
		for _, one := range s.PatternProperties {
			hook(one)
		}
		for _, one := range s.Dependencies {
			hookAny(hook, one)
		}
		for _, one := range []any{s.AdditionalProperties, s.AdditionalItems, s.Items} {
			hookAny(hook, one)
		}
		if s.DynamicRef != nil {
			hook(s.DynamicRef.Ref)
		}
	}
	hook(sch)
	return sch, applied, nil
}

func hookAny(hook func(*jsonschema.Schema), of any) {
	switch of := of.(type) {
	case *jsonschema.Schema:
		hook(of)
	case []*jsonschema.Schema:
		for _, one := range of {
			hook(one)
		}
	}
}

func asError(s *jsonschema.Schema, v any) error {
	if s.Bool != nil {
		if *s.Bool {
			return nil
		}
		return errPattern
	}
	return s.Validate(v)
}

// bothWays judges a value by our evaluation and the library's. It checks that neither applies more than was counted, and that they agree. It reports
// whether there was something to judge.
func bothWays(t *testing.T, schema, value string) bool {
	t.Helper()
	s, err := Compile([]byte(schema))
	if err != nil || !json.Valid([]byte(value)) || !utf8.ValidString(schema+value) { // encoding/json corrects what is not UTF-8
		return false
	}
	o := sketch(value)
	if o.depth > 64 || o.wild {
		return false
	}
	d, ok := decode(strings.TrimSpace(value), o.nodes)
	if !ok {
		t.Fatalf("%q is JSON", value)
	}
	c := s.counting(&d)
	if c.count(s.root, 0); c.over {
		return false
	}
	valid := false
	for _, detailed := range []bool{false, true} {
		e := s.evaluation(&d, c.work, detailed)
		ok := e.apply(s.root, 0, "", nil)
		if e.applied > c.total {
			t.Fatalf("%s applied to %s: %d applications, %d counted", schema, value, e.applied, c.total)
		}
		if e.stopped {
			return false
		}
		if detailed && ok != valid {
			t.Fatalf("%s applied to %s: %v in short, %v in detail", schema, value, valid, ok)
		}
		if valid = ok; ok == (len(e.failures) > 0) {
			t.Fatalf("%s applied to %s: %v with %d failures", schema, value, ok, len(e.failures))
		}
		if !ok {
			toldWell(t, schema, value, e.violation())
		}
	}
	if twice(&d) { // they keep one of the two; a response with such a member is refused before it is validated
		return false
	}
	return theirWay(t, schema, value, c.total, valid)
}

func theirWay(t *testing.T, schema, value string, count int, valid bool) bool {
	t.Helper()
	sch, applied, err := theirs(schema)
	if err != nil {
		if !strings.Contains(err.Error(), "is not valid") { // a format in the metaschema, or a pattern that nothing leads to
			t.Fatalf("%s compiles, but not for the library: %v", schema, err)
		}
		return false
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(value))
	if err != nil {
		return false
	}
	err = sch.Validate(v)
	if *applied > count {
		t.Fatalf("%s applied to %s: the library applies %d times, %d counted", schema, value, *applied, count)
	}
	if (err == nil) != valid && !unlike(schema) {
		t.Fatalf("%s applied to %s: %v, the library says %v", schema, value, valid, err)
	}
	return true
}

// unlike reports whether the library and we judge differently by a schema. It looks at a const beside a $ref in draft-06 and -07, which say to
// ignore it. In propertyNames it forgets the way that led there, which a reference can be bound to. It follows a $recursiveRef in 2020-12,
// which has none. It cuts large counts to their lowest bits.
func unlike(schema string) bool {
	has := func(words ...string) bool {
		return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(schema, word) })
	}
	return has("draft-0", "$ref", "const") || has("propertyNames", "$dynamicRef") || has("propertyNames", "$recursiveRef") || has("2020-12", "$recursiveRef") ||
		largeCount.MatchString(schema)
}

var largeCount = regexp.MustCompile(`(?s)(min|max)(Length|Items|Properties|Contains)"\s*:\s*[^,}]{9,}`)

func toldWell(t *testing.T, schema, value string, v *Violation) {
	t.Helper()
	if v.Keyword == "" || v.Message == "" || len(v.Message) > 500 || v.More < 0 {
		t.Fatalf("%s applied to %s: %+v", schema, value, v)
	}
	if v.Schema != "" {
		doc, err := decodedAny(schema)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := find(doc, v.Schema); !ok && len(v.Schema) < maxPointer {
			t.Fatalf("%s applied to %s: nothing at %s", schema, value, v.Schema)
		}
	}
	doc, err := decodedAny(value)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := find(doc, v.Instance); !ok && len(v.Instance) < maxPointer {
		t.Fatalf("%s applied to %s: nothing at %s", schema, value, v.Instance)
	}
}

func FuzzCountingWalk(f *testing.F) {
	for _, cases := range suite(f) {
		for _, c := range cases {
			for _, test := range c.Tests {
				f.Add(string(c.Schema), string(test.Data))
			}
		}
	}
	f.Fuzz(func(t *testing.T, schema, value string) { bothWays(t, schema, value) })
}
