package schema

import (
	"fmt"
	"strings"
	"testing"
)

// rows are honest structured content: the schema of a search tool, and a response of at least so many bytes.
func rows(size int) (schema, value string) {
	schema = `{"type":"object","required":["rows","total"],"additionalProperties":false,"properties":{"total":{"type":"integer","minimum":0},"rows":{"type":"array","items":{"$ref":"#/$defs/row"}}},
		"$defs":{"row":{"type":"object","required":["id","title","state","author"],"properties":{"id":{"type":"integer"},"title":{"type":"string","maxLength":200},
		"state":{"enum":["open","closed","merged"]},"score":{"type":["number","null"],"minimum":0,"maximum":1},"labels":{"type":"array","items":{"type":"string"},"uniqueItems":true},
		"author":{"type":"object","required":["name"],"properties":{"name":{"type":"string","pattern":"^[A-Za-z ]{1,64}$"},"url":{"type":"string","format":"uri"}}},
		"created":{"anyOf":[{"type":"string","format":"date-time"},{"type":"null"}]}}}}}`
	var b strings.Builder
	n := 0
	for ; b.Len() < size; n++ {
		fmt.Fprintf(&b, `,{"id":%d,"title":"A pull request with a title that says \"what\" it does, number %d","state":"merged","score":0.%d,"labels":["bug","proxy","p%d"],`+
			`"author":{"name":"Ada Lovelace","url":"https://example.com/users/%d"},"created":"2026-01-02T03:04:05Z"}`, n, n, n, n%10, n)
	}
	return schema, fmt.Sprintf(`{"rows":[%s],"total":%d}`, b.String()[1:], n)
}

// expression is a recursive schema, and a tree with so many nodes.
func expression(nodes int) (schema, value string) {
	schema = `{"$ref":"#/$defs/node","$defs":{"node":{"oneOf":[
		{"type":"object","properties":{"op":{"enum":["add","mul","sub"]},"left":{"$ref":"#/$defs/node"},"right":{"$ref":"#/$defs/node"}},"required":["op","left","right"],"additionalProperties":false},
		{"type":"object","properties":{"value":{"type":"number"}},"required":["value"],"additionalProperties":false}]}}}`
	var tree func(n int) string
	tree = func(n int) string {
		if n < 3 {
			return fmt.Sprintf(`{"value":%d.5}`, n)
		}
		left := (n - 1) / 2
		return fmt.Sprintf(`{"op":"add","left":%s,"right":%s}`, tree(left), tree(n-1-left))
	}
	return schema, tree(nodes)
}

func BenchmarkValidate(b *testing.B) {
	for _, c := range []struct {
		name string
		of   func(int) (string, string)
		size int
	}{{"rows 10 KB", rows, 10 << 10}, {"rows 1 MB", rows, 1 << 20}, {"rows 8 MB", rows, 8<<20 - 1000}, {"expression tree of 4,000 nodes", expression, 4000}} {
		b.Run(c.name, func(b *testing.B) {
			schema, value := c.of(c.size)
			s, err := Compile([]byte(schema))
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(value)))
			b.ReportAllocs()
			for b.Loop() {
				if v := s.Validate([]byte(value), generous); v != nil {
					b.Fatalf("%+v", v)
				}
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	for _, c := range []struct{ name, schema string }{
		{"rows", first(rows(1))},
		{"4,000 subschemas", `{"properties":{` + items(3999, `"p%d":{"type":"string"}`) + `}}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Compile([]byte(c.schema)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func first(a, _ string) string { return a }

func BenchmarkCacheHit(b *testing.B) {
	schema, _ := rows(1)
	var c Cache
	for b.Loop() {
		if _, err := c.Get([]byte(schema)); err != nil {
			b.Fatal(err)
		}
	}
}
