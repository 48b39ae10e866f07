package schema

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
)

// grower makes schemas and values out of bytes, so that a fuzzer changes what they are instead of breaking their grammar.
type grower struct {
	bytes   []byte
	dialect string
}

func (g *grower) pick(n int) int {
	if len(g.bytes) == 0 {
		return 0
	}
	b := int(g.bytes[0])
	g.bytes = g.bytes[1:]
	return b % n
}

func (g *grower) name() string { return string(rune('a' + g.pick(3))) }

// dialects by the number that keywords are chosen with.
var grownDialects = []string{
	"https://json-schema.org/draft/2020-12/schema", "https://json-schema.org/draft/2019-09/schema", "http://json-schema.org/draft-07/schema#", "http://json-schema.org/draft-06/schema#",
	"http://json-schema.org/draft-04/schema#",
}

func (g *grower) schema() string {
	g.dialect = grownDialects[g.pick(len(grownDialects))]
	root := g.subschema(4)
	root["$schema"] = g.dialect
	defs := map[string]any{}
	for _, name := range []string{"a", "b", "c"} {
		of := g.subschema(3)
		if g.dialect == grownDialects[0] && g.pick(4) == 0 {
			of["$id"], of["$dynamicAnchor"] = name, "n"
		}
		if g.dialect == grownDialects[1] && g.pick(4) == 0 {
			of["$id"], of["$recursiveAnchor"] = name, true
		}
		defs[name] = of
	}
	root["definitions"] = defs
	if g.dialect == grownDialects[1] && g.pick(2) == 0 {
		root["$recursiveAnchor"] = true
	}
	raw, _ := json.Marshal(root)
	return string(raw)
}

// any is a subschema, or true or false where the dialect has them.
func (g *grower) any(depth int) any {
	if g.dialect != grownDialects[4] && g.pick(8) == 0 {
		return g.pick(2) == 0
	}
	return g.subschema(depth - 1)
}

func (g *grower) subschema(depth int) map[string]any {
	s := map[string]any{}
	for range 1 + g.pick(3) {
		if depth <= 0 {
			g.assertion(s)
		} else {
			g.applicator(s, depth)
		}
	}
	if _, ok := s["$ref"]; ok && g.dialect != grownDialects[0] && g.dialect != grownDialects[1] {
		delete(s, "const") // the library looks at it, beside a reference
	}
	return s
}

func (g *grower) assertion(s map[string]any) {
	types := []string{"null", "boolean", "number", "integer", "string", "array", "object"}
	switch g.pick(14) {
	case 0:
		s["type"] = types[g.pick(7)]
	case 1:
		s["type"] = []string{types[g.pick(3)], types[3+g.pick(4)]}
	case 2:
		s["const"] = g.value(1)
	case 3:
		s["enum"] = []any{g.value(1), fmt.Sprint(g.value(2))}
	case 4:
		s["minimum"] = g.pick(5)
	case 5:
		s["maximum"] = json.Number(fmt.Sprintf("%d.%de%d", g.pick(5), g.pick(10), g.pick(2)))
	case 6:
		s["multipleOf"] = json.Number(fmt.Sprintf("%de-%d", 1+g.pick(9), g.pick(3)))
	case 7:
		s["minLength"] = g.pick(3)
	case 8:
		s["pattern"] = []string{"^a", "b$", "^(?!c)", "[ab]{2}"}[g.pick(4)]
	case 9:
		s["maxItems"], s["minItems"] = g.pick(4), g.pick(2)
	case 10:
		s["uniqueItems"] = true
	case 11:
		s["required"] = []string{g.name()}
	case 12:
		s["maxProperties"] = g.pick(4)
	case 13:
		s["$ref"] = "#/definitions/" + g.name()
	}
}

func (g *grower) applicator(s map[string]any, depth int) {
	switch g.pick(22) {
	case 0:
		s["properties"] = map[string]any{g.name(): g.any(depth), g.name(): g.any(depth)}
	case 1:
		s["patternProperties"] = map[string]any{"[" + g.name() + g.name() + "]": g.any(depth)}
	case 2:
		s["additionalProperties"] = g.any(depth)
	case 3:
		s["propertyNames"] = g.any(depth)
	case 4:
		s["items"] = g.any(depth)
	case 5:
		s["prefixItems"] = []any{g.any(depth), g.any(depth)}
	case 6:
		if g.dialect != grownDialects[0] {
			s["items"], s["additionalItems"] = []any{g.any(depth)}, g.any(depth)
		}
	case 7:
		s["contains"] = g.any(depth)
	case 8:
		s["contains"], s["minContains"], s["maxContains"] = g.any(depth), g.pick(3), g.pick(4)
	case 9, 10:
		s["allOf"] = []any{g.any(depth), g.any(depth)}
	case 11, 12:
		s["anyOf"] = []any{g.any(depth), g.any(depth)}
	case 13, 14:
		s["oneOf"] = []any{g.any(depth), g.any(depth)}
	case 15:
		s["not"] = g.any(depth)
	case 16:
		s["if"], s["then"], s["else"] = g.any(depth), g.any(depth), g.any(depth)
	case 17:
		s["dependentSchemas"] = map[string]any{g.name(): g.any(depth)}
	case 18:
		s["dependencies"] = map[string]any{g.name(): []string{g.name()}, g.name(): g.any(depth)}
	case 19:
		s["unevaluatedProperties"], s["unevaluatedItems"] = g.any(depth), g.any(depth)
	case 20:
		s["$ref"] = "#/definitions/" + g.name()
	case 21:
		switch g.dialect {
		case grownDialects[0]:
			s["$dynamicRef"] = "#/definitions/" + g.name()
		case grownDialects[1]:
			s["$recursiveRef"] = "#"
		}
	}
}

func (g *grower) value(depth int) any {
	switch k := g.pick(9); {
	case k < 1 || depth > 3:
		return g.pick(3)
	case k < 2:
		return json.Number(fmt.Sprintf("%d.%d0E%d", g.pick(4), g.pick(3), g.pick(3)))
	case k < 3:
		return []string{"", "a", "ab", "cb", "é😀"}[g.pick(5)]
	case k < 4:
		return []any{nil, true, false}[g.pick(3)]
	case k < 6:
		var all []any
		for range g.pick(4) {
			all = append(all, g.value(depth+1))
		}
		return append([]any{}, all...)
	default:
		of := map[string]any{}
		for range g.pick(4) {
			of[g.name()] = g.value(depth + 1)
		}
		return of
	}
}

// grow makes a schema of the first bytes and a value of the last.
func grow(b []byte) (schema, value string) {
	half := len(b) / 3
	g := grower{bytes: b[half:]}
	schema = g.schema()
	raw, _ := json.Marshal((&grower{bytes: b[:half]}).value(0))
	return schema, string(raw)
}

func TestGrownSchemasAreJudgedAsTheLibraryJudgesThem(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	judged := 0
	for range 1000 {
		b := make([]byte, 300)
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		schema, value := grow(b)
		if bothWays(t, schema, value) {
			judged++
		}
	}
	if judged < 500 {
		t.Errorf("only %d of 1000 were judged", judged)
	}
}

func FuzzGrownSchemas(f *testing.F) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 0))
		b := make([]byte, 200)
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		schema, value := grow(b)
		bothWays(t, schema, value)
	})
}
