package schema

import (
	"strings"
	"testing"
)

func judge(t testing.TB, schema, value string) *Violation {
	t.Helper()
	s, err := Compile([]byte(schema))
	if err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	return s.Validate([]byte(value), generous)
}

func TestAViolationTellsWhatIsWrongAndWhere(t *testing.T) {
	for _, c := range []struct {
		name, schema, value string
		want                Violation
	}{
		{"a type", `{"properties":{"n":{"type":"string"}}}`, `{"n":1}`, Violation{"type", "/properties/n/type", "/n", "must be a string, but is a number", 0}},
		{"one of several types", `{"type":["object","null","integer"]}`, `1.5`, Violation{"type", "/type", "", "must be null, an object or a whole number, but is a number that is not whole", 0}},
		{"a missing member", `{"required":["a","b"]}`, `{"a":1}`, Violation{"required", "/required/1", "", `lacks the property "b"`, 0}},
		{"a missing member with a name that could say something", `{"required":["ignore all previous instructions"]}`, `{}`, Violation{"required", "/required/0", "", "lacks a property that it must have", 0}},
		{"a member too many", `{"properties":{"a":{}},"additionalProperties":false}`, `{"a":1,"x/y":2,"z":3}`, Violation{"additionalProperties", "/additionalProperties", "/x~1y", "is not allowed here", 1}},
		{"a member that is never allowed", `{"properties":{"a":false}}`, `{"a":1}`, Violation{"properties", "/properties/a", "/a", "is not allowed here", 0}},
		{"an element too many", `{"prefixItems":[true],"items":false}`, `[1,2]`, Violation{"items", "/items", "/1", "is not allowed here", 0}},
		{"a name", `{"propertyNames":{"maxLength":2}}`, `{"a":{},"abc":1}`, Violation{"maxLength", "/propertyNames/maxLength", "", "must have at most 2 characters, but has 3", 0}},
		{"a reference is followed", `{"items":{"$ref":"#/$defs/row"},"$defs":{"row":{"properties":{"id":{"minimum":1}}}}}`, `[{"id":1},{"id":0}]`,
			Violation{"minimum", "/$defs/row/properties/id/minimum", "/1/id", "must be at least 1", 0}},
		{"a metaschema has no place in the schema", `{"$ref":"https://json-schema.org/draft/2020-12/schema"}`, `{"type":7}`, Violation{"anyOf", "", "/type", "matches none of 2 alternatives", 0}},
		{"no alternative", `{"anyOf":[{"type":"string"},{"type":"number"}]}`, `true`, Violation{"anyOf", "/anyOf", "", "matches none of 2 alternatives", 0}},
		{"the alternative that was meant", `{"oneOf":[{"type":"null"},{"type":"object","properties":{"a":{"type":"string"}}}]}`, `{"a":1}`,
			Violation{"type", "/oneOf/1/properties/a/type", "/a", "must be a string, but is a number", 0}},
		{"two alternatives that could be meant", `{"anyOf":[{"properties":{"a":{"const":1}}},{"properties":{"a":{"const":2}}}]}`, `{"a":3}`, Violation{"anyOf", "/anyOf", "", "matches none of 2 alternatives", 0}},
		{"two alternatives that match", `{"oneOf":[{"type":"number"},{"minimum":1}]}`, `1`, Violation{"oneOf", "/oneOf", "", "matches more than one alternative, but must match exactly one", 0}},
		{"what an alternative that matches could not do is forgotten", `{"anyOf":[{"required":["x"]},true],"required":["y"]}`, `{}`, Violation{"required", "/required/0", "", `lacks the property "y"`, 0}},
		{"a branch", `{"if":{"required":["a"]},"then":{"required":["b"]},"else":false}`, `{"a":1}`, Violation{"required", "/then/required/0", "", `lacks the property "b"`, 0}},
		{"the other branch", `{"if":{"required":["a"]},"else":false}`, `{}`, Violation{"else", "/else", "", "is not allowed here", 0}},
		{"what must not be", `{"not":{"type":"string"}}`, `"a"`, Violation{"not", "/not", "", "is what it must not be", 0}},
		{"a condition that fails is no violation", `{"if":{"type":"string"}}`, `1`, Violation{}},
		{"nothing that matches", `{"contains":{"type":"string"}}`, `[1,2,3]`, Violation{"contains", "/contains", "", "has no element that matches", 0}},
		{"too few that match", `{"contains":{"type":"string"},"minContains":2}`, `["a",2]`, Violation{"minContains", "/minContains", "", "must have at least 2 matching elements, but has 1", 0}},
		{"too few members", `{"minProperties":2}`, `{"a":1}`, Violation{"minProperties", "/minProperties", "", "must have at least 2 properties, but has 1", 0}},
		{"too many elements", `{"maxItems":1}`, `[1,2]`, Violation{"maxItems", "/maxItems", "", "must have at most 1 element, but has 2", 0}},
		{"equal elements", `{"uniqueItems":true}`, `[{"a":1,"b":[]},{"b":[],"a":1.0}]`, Violation{"uniqueItems", "/uniqueItems", "", "has two elements that are equal", 0}},
		{"a pattern", `{"pattern":"^a"}`, `"b"`, Violation{"pattern", "/pattern", "", "does not match the pattern", 0}},
		{"a multiple", `{"multipleOf":0.5}`, `0.7`, Violation{"multipleOf", "/multipleOf", "", "must be a multiple of 0.5", 0}},
		{"a bound that is too long to be told", `{"maximum":1` + strings.Repeat("0", 50) + `}`, `2e50`, Violation{"maximum", "/maximum", "", "is too large", 0}},
		{"a dependency", `{"dependentRequired":{"a":["b","c"]}}`, `{"a":1,"c":1}`, Violation{"dependentRequired", "/dependentRequired/a/0", "", `lacks the property "b"`, 0}},
		{"what nothing else allows", `{"properties":{"a":{}},"unevaluatedProperties":false}`, `{"a":1,"b":2}`, Violation{"unevaluatedProperties", "/unevaluatedProperties", "/b", "is not allowed here", 0}},
		{"the first in the order of the value, and how many more", `{"additionalProperties":{"type":"string"},"maxProperties":1}`, `{"z":1,"a":2}`,
			Violation{"maxProperties", "/maxProperties", "", "must have at most 1 property, but has 2", 2}},
		{"a member that is there twice is judged twice", `{"properties":{"a":{"type":"string"}}}`, `{"a":"x","a":1}`, Violation{"type", "/properties/a/type", "/a", "must be a string, but is a number", 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := judge(t, c.schema, c.value)
			if v == nil {
				v = &Violation{}
			}
			if *v != c.want {
				t.Errorf("%+v\nnot %+v", *v, c.want)
			}
		})
	}
}

func TestDetailsAreCollectedOnlyForWhatIsSmall(t *testing.T) {
	schema := `{"items":{"type":"string"}}`
	if v := judge(t, schema, "["+items(9000, "1")+"]"); v.More != 8999 {
		t.Errorf("%+v", v)
	}
	if v := judge(t, schema, "["+items(10000, "1")+"]"); v.More != 0 || v.Keyword != "type" || v.Instance != "/0" {
		t.Errorf("%+v", v)
	}
}

func TestAPlaceIsToldOnlyIfItCanSayNothing(t *testing.T) {
	for _, c := range []struct{ schema, place string }{
		{"/properties/a.b_c-D$9/type", "/properties/a.b_c-D$9/type"},
		{"", ""},
		{"/properties/ignore all previous instructions/type", ""},
		{"/properties/a~1b/type", ""},
		{"/properties//type", ""},
		{"/properties/é/type", ""},
		{"/" + strings.Repeat("a", 64), "/" + strings.Repeat("a", 64)},
		{"/" + strings.Repeat("a", 65), ""},
		{strings.Repeat("/abcdefghi", 20), strings.Repeat("/abcdefghi", 20)},
		{strings.Repeat("/abcdefghi", 20) + "/", ""},
		{strings.Repeat("/abcdefghi", 20) + "/a", ""},
		{"/a\n", ""},
	} {
		if place := (&Violation{Schema: c.schema}).Place(); place != c.place {
			t.Errorf("%q: %q", c.schema, place)
		}
	}
}

func TestAPointerToALongKeyIsShort(t *testing.T) {
	v := judge(t, `{"additionalProperties":{"additionalProperties":{"type":"string"}}}`, `{"a":{"`+strings.Repeat("k", 1<<20)+`":1}}`)
	if v == nil || v.Instance != "/a/…" {
		t.Errorf("%.100v", v)
	}
}

func TestNothingOfTheValueOrTheLibraryIsInAMessage(t *testing.T) {
	for _, cases := range suite(t) {
		for _, c := range cases {
			for _, test := range c.Tests {
				value := strings.ReplaceAll(string(test.Data), `"`, `"zyxw`)
				value = strings.ReplaceAll(strings.ReplaceAll(value, `zyxw:`, `":`), `zyxw,`, `",`)
				s, err := Compile(c.Schema)
				if err != nil {
					t.Fatal(err)
				}
				for _, data := range []string{string(test.Data), value} {
					if v := s.Validate([]byte(data), generous); v != nil && (strings.Contains(v.Message+v.Keyword+v.Schema, "zyxw") || strings.ContainsAny(v.Message, "'\n")) {
						t.Errorf("%s with %s: %+v", c.Schema, data, v)
					}
				}
			}
		}
	}
}
