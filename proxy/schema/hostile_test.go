package schema

import (
	"fmt"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"
	"time"
)

// answered compiles and validates, and fails if that takes longer than a call can wait, or more memory than it can have: 2 s and 64 MiB plus 30
// times the value. The deadline has room for a busy machine, and for the race detector.
func answered(t *testing.T, schema, value string) (*Violation, error) {
	t.Helper()
	return answeredAt(t, 64, schema, value)
}

func answeredAt(t *testing.T, depth int, schema, value string) (*Violation, error) {
	t.Helper()
	type result struct {
		v   *Violation
		err error
	}
	done := make(chan result, 1)
	runtime.GC()
	before := heap()
	start := time.Now()
	go func() {
		s, err := Compile([]byte(schema))
		if err != nil {
			done <- result{nil, err}
			return
		}
		done <- result{s.Validate([]byte(value), Limits{MaxBytes: 8 << 20, MaxDepth: depth}), nil}
	}()
	peak := before
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(20 * time.Second)
	for {
		select {
		case r := <-done:
			used := max(peak, heap()) - before
			if most := int64(64<<20 + 30*len(value)); used > most {
				t.Errorf("took %d MiB, at most %d are allowed", used>>20, most>>20)
			}
			t.Logf("%v, %d MiB: %+v %v", time.Since(start).Round(time.Millisecond), used>>20, r.v, r.err)
			return r.v, r.err
		case <-tick.C:
			peak = max(peak, heap())
		case <-deadline:
			t.Fatal("no answer")
		}
	}
}

// heap is what heap and stacks hold now, garbage included. It does not stop the program, as runtime.ReadMemStats does.
func heap() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64() + sample[1].Value.Uint64())
}

// The deepest content that output_validation.max_depth can allow takes no more memory than any other.
func TestTheDepthThatASettingCanAllowIsBounded(t *testing.T) {
	long := strings.Repeat("k", 8000)
	for name, c := range map[string]struct{ schema, level, want string }{
		"every level unevaluated": {`{"properties":{"c":{"$ref":"#"}},"unevaluatedProperties":false}`, `{"c":`, ""},
		"and in violation":        {`{"properties":{"c":{"$ref":"#"}},"unevaluatedProperties":false}`, `{"d":1,"c":`, "unevaluatedProperties"},
		"eight rules a level":     {`{"allOf":[{"$ref":"#/$defs/n"}],"$defs":{"n":{"allOf":[{"allOf":[{"allOf":[{"additionalProperties":{"$ref":"#"}}]}]}]}}}`, `{"c":`, ""},
		"long names":              {`{"additionalProperties":{"$ref":"#"},"unevaluatedProperties":false,"minProperties":2}`, `{"` + long + `":`, "minProperties"},
		"a choice each level":     {`{"anyOf":[{"properties":{"c":{"$ref":"#"}},"required":["x"]},{"properties":{"c":{"$ref":"#"}}}]}`, `{"c":`, "cost"},
	} {
		t.Run(name, func(t *testing.T) {
			nested := func(levels int) string { return strings.Repeat(c.level, levels) + "1" + strings.Repeat("}", levels) }
			v, err := answeredAt(t, 1000, c.schema, nested(1000))
			if err != nil || (v == nil) != (c.want == "") || v != nil && v.Keyword != c.want {
				t.Errorf("%+v %v", v, err)
			}
			if v, _ := answeredAt(t, 1_000_000, c.schema, nested(1001)); v == nil || v.Keyword != "depth" {
				t.Errorf("one level more: %+v", v)
			}
		})
	}
}

// doubled is a schema in which each level applies the next one twice to the same value.
func doubled(keyword string, levels int, last string) string {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/l0","$defs":{`)
	for i := range levels {
		fmt.Fprintf(&b, `"l%d":{"%s":[{"$ref":"#/$defs/l%d"},{"$ref":"#/$defs/l%d"}]},`, i, keyword, i+1, i+1)
	}
	fmt.Fprintf(&b, `"l%d":%s}}`, levels, last)
	return b.String()
}

func TestLevelsThatDoubleAreTooCostly(t *testing.T) {
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		for _, levels := range []int{17, 24, 40, 60} {
			t.Run(fmt.Sprint(keyword, levels), func(t *testing.T) {
				v, err := answered(t, doubled(keyword, levels, `{"type":"string"}`), `{"a":1}`)
				if err != nil || v == nil || v.Keyword != "cost" {
					t.Errorf("%+v, %v", v, err)
				}
			})
		}
	}
}

// chained is a schema in which each rule leads to the next one on the same value, and the first asks what was evaluated.
func chained(rules int) string {
	var b strings.Builder
	b.WriteString(`{"unevaluatedItems":false,"$ref":"#/$defs/0","$defs":{`)
	for i := range rules {
		fmt.Fprintf(&b, `"%d":{"$ref":"#/$defs/%d"},`, i, i+1)
	}
	fmt.Fprintf(&b, `"%d":{"items":true}}}`, rules)
	return b.String()
}

// inside is references to members "u", each inside the one before.
func inside(n int, from string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = `{"$ref":"` + from + strings.Repeat("/u", i+1) + `"}`
	}
	return strings.Join(all, ",")
}

func items(n int, format string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		if strings.Contains(format, "%") {
			fmt.Fprintf(&b, format, i)
		} else {
			b.WriteString(format)
		}
	}
	return b.String()
}

func TestHostileSchemasAndValues(t *testing.T) {
	deep := strings.Repeat(`{"c":`, 60) + "1" + strings.Repeat("}", 60)
	for _, c := range []struct{ name, schema, value, keyword, err string }{
		{"recursion that doubles with every level of the value", `{"$ref":"#/$defs/n","$defs":{"n":{"anyOf":[{"properties":{"c":{"$ref":"#/$defs/n"}},"required":["x"]},{"properties":{"c":{"$ref":"#/$defs/n"}},"required":["y"]}]}}}`, deep, "cost", ""},
		{"not that doubles with every level of the value", `{"$ref":"#/$defs/n","$defs":{"n":{"not":{"properties":{"c":{"$ref":"#/$defs/n"}}},"properties":{"c":{"$ref":"#/$defs/n"}}}}}`, deep, "cost", ""},
		{"a reference to itself", `{"$ref":"#"}`, `1`, "", "refers to itself"},
		{"a cycle through allOf", `{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"not":{"$ref":"#"}}}}`, `1`, "", "refers to itself"},
		{"a cycle where a property is present", `{"dependentSchemas":{"a":{"$ref":"#"}}}`, `{"a":1}`, "cost", ""},
		{"a cycle by a dynamic reference", `{"$dynamicAnchor":"n","$dynamicRef":"#n"}`, `{"a":1}`, "cost", ""},
		{"a pattern that backtracks over many strings", `{"items":{"pattern":"^(?=(a+)+$)(a+)+$"}}`, "[" + items(60, `"`+strings.Repeat("a", 40)+`b"`) + "]", "cost", ""},
		{"a pattern that backtracks in its look-ahead", `{"items":{"pattern":"(?!(x+x+)+y)x"}}`, "[" + items(60, `"`+strings.Repeat("x", 4000)+`"`) + "]", "cost", ""},
		{"a pattern of 200 that is written out", `{"allOf":[` + items(200, `{"pattern":"((a{0,100}){0,100}){0,100}b%d"}`) + `]}`, `"` + strings.Repeat("a", 1<<20) + `"`, "cost", ""},
		{"a long text for a large pattern", `{"pattern":"(a?b?c?d?){0,400}e"}`, `"` + strings.Repeat("abcd", 1<<20) + `"`, "cost", ""},
		{"an exponent that takes gigabytes", `{"minimum":1}`, `1e1000001`, "cost", ""},
		{"an exponent far below zero", `{"multipleOf":0.1}`, `{"a":[1e-1000001]}`, "cost", ""},
		{"an exponent beyond what a machine word holds", `{}`, `-1E+99999999999999999999999`, "cost", ""},
		{"an exponent of zeros is none", `{"const":10}`, `1e0000000000000000000001`, "", ""},
		{"an exponent in the enum", `{"enum":[1e1000001]}`, `1`, "", "exponent"},
		{"an exponent in the const, below zero", `{"const":{"a":[-1e-10001]}}`, `1`, "", "exponent"},
		{"an exponent in a bound", `{"minimum":1e1000001}`, `1`, "", "exponent"},
		{"thousands of large exponents in the schema", `{"allOf":[` + items(3000, `{"minimum":-1e9999,"multipleOf":1e-99}`) + `]}`, `1`, "", ""},
		{"a million large exponents against a bound", `{"items":{"type":"integer","multipleOf":7,"minimum":3}}`, "[" + items(1<<20, `7e9999`) + "]", "", ""},
		{"many digits against a long divisor", `{"items":{"multipleOf":1` + strings.Repeat("3", 60000) + `}}`, "[" + items(1000, strings.Repeat("7", 4000)) + "]", "cost", ""},
		{"a size that no machine word holds", `{"maxLength":1e30,"minLength":0}`, `"abc"`, "", ""},
		{"40,000 properties", `{"properties":{` + items(11000, `"%d":{}`) + `}}`, `{}`, "", "subschemas"},
		{"40,000 properties out of sight of the keywords", `{"$ref":"#/x","x":{"properties":{` + items(9000, `"%d":{}`) + `}}}`, `{}`, "", "subschemas"},
		{"thousands of references to where no schema belongs", `{"allOf":[` + items(1900, `{"$ref":"#/x/%d"}`) + `],"x":[` + items(1900, `{"type":"object"}`) + `]}`, `{}`, "", ""},
		{"long names, deep", strings.Repeat(`{"properties":{"`+strings.Repeat("n", 1000)+`":`, 50) + `{"properties":{` + items(3000, `"%d":{}`) + `}}` + strings.Repeat(`}}`, 50), `{}`, "", "too long and too deep"},
		{"900 levels", strings.Repeat(`{"not":`, 900) + `{}` + strings.Repeat(`}`, 900), `{}`, "", "levels"},
		{"65 levels", strings.Repeat(`{"not":`, 65) + `{}` + strings.Repeat(`}`, 65), `{}`, "", "levels"},
		{"64 levels", strings.Repeat(`{"not":`, 64) + `{}` + strings.Repeat(`}`, 64), `{}`, "", ""},
		{"900 levels of an enum", `{"enum":[` + strings.Repeat(`[`, 900) + strings.Repeat(`]`, 900) + `]}`, `{}`, "", "levels"},
		{"4,001 subschemas", `{"allOf":[` + items(4000, `{}`) + `]}`, `1`, "", "subschemas"},
		{"4,000 subschemas", `{"allOf":[` + items(3999, `{}`) + `]}`, `1`, "", ""},
		{"thousands of addresses below a long one", `{"$id":"http://x/` + strings.Repeat("n", 60000) + `/","$defs":{` + items(3300, `"%d":{"$id":"%[1]d"}`) + `}}`, `1`, "", "$id of more than"},
		{"thousands of references from a long address", `{"$id":"http://x/` + strings.Repeat("n", 60000) + `/","$defs":{` + items(3300, `"%d":{"$ref":"."}`) + `}}`, `1`, "", "$id of more than"},
		{"an address that grows with each level", strings.Repeat(`{"$id":"`+strings.Repeat("n", 100)+`/","not":`, 60) + `{}` + strings.Repeat(`}`, 60), `1`, "", "$id of more than"},
		{"thousands of addresses below one of 2,000 characters", `{"$id":"http://x/` + strings.Repeat("n", 1980) + `/","$defs":{` + items(3300, `"%d":{"$id":"%[1]d","$ref":"."}`) + `}}`, `1`, "", ""},
		{"4,000 resources", `{"$defs":{` + items(3500, `"%[1]d":{"$id":"r%[1]d"}`) + `}}`, `1`, "", ""},
		{"1,500 dynamic anchors", `{"$defs":{` + items(1500, `"%[1]d":{"$id":"r%[1]d","$dynamicAnchor":"a"}`) + `},"items":{"allOf":[` + items(900, `{"$dynamicRef":"r%d#a"}`) + `]}}`, `[` + items(3000, "1") + `]`, "cost", ""},
		{"201 patterns", `{"allOf":[` + items(201, `{"pattern":"a%d"}`) + `]}`, `1`, "", "patterns"},
		{"a pattern of 1,001 characters", `{"pattern":"` + strings.Repeat("é", 1001) + `"}`, `1`, "", "1000 characters"},
		{"a pattern of 1,000 characters", `{"pattern":"` + strings.Repeat("é", 1000) + `"}`, `1`, "", ""},
		{"a pattern that is none", `{"pattern":"("}`, `1`, "", "regular expression"},
		{"wide ranges that ignore case", `{"allOf":[` + items(200, `{"pattern":"%d(?i)(?=`+strings.Repeat(`[\u0000-\uffff]`, 25)+`)"}`) + `]}`, `1`, "", "regular expression"},
		{"wide ranges that ignore case, for Go's engine", `{"allOf":[` + items(120, `{"pattern":"%d(?i)`+strings.Repeat("[!-\uffff]", 19)+`"}`) + `]}`, `1`, "", "too large together"},
		{"hundreds of wide ranges that ignore case", `{"pattern":"(?i)` + strings.Repeat("[!-\uffff]", 90) + `"}`, `1`, "", "regular expression"},
		{"an address that ignores case", `{"pattern":"(?i)^[a-z0-9._-]+@[a-z0-9-]+\\.[a-z]{2,}$"}`, `"A@B.cd"`, "", ""},
		{"an optional bracket is no flag", `{"pattern":"^(?!x)\\(?in\\)?$"}`, `"(in)"`, "", ""},
		{"a file", `{"$ref":"file:///etc/passwd"}`, `1`, "", "opens nothing"},
		{"a path", `{"$ref":"/etc/passwd"}`, `1`, "", "opens nothing"},
		{"a relative path", `{"$ref":"../../etc/passwd#/a"}`, `1`, "", "opens nothing"},
		{"an address", `{"$ref":"http://127.0.0.1:1/x"}`, `1`, "", "opens nothing"},
		{"an address by $id", `{"$id":"http://127.0.0.1:1/x","properties":{"a":{"$ref":"y"}}}`, `1`, "", "opens nothing"},
		{"an address beside the metaschemas", `{"$ref":"http://json-schema.org/geo"}`, `1`, "", "opens nothing"},
		{"a dynamic reference to an address", `{"$dynamicRef":"http://127.0.0.1:1/x#a"}`, `1`, "", "opens nothing"},
		{"a $schema of its own", `{"$schema":"http://127.0.0.1:1/x"}`, `1`, "", "dialect"},
		{"a $schema of its own, inside", `{"properties":{"a":{"$schema":"file:///etc/passwd"}}}`, `1`, "", "dialect"},
		{"a $schema that is a draft no longer known", `{"$schema":"http://json-schema.org/draft-03/schema#"}`, `1`, "", "dialect"},
		{"a $schema that is no string", `{"$schema":7}`, `1`, "", "dialect"},
		{"a large array of equal hashes by nesting", `{"uniqueItems":true}`, "[" + strings.Join(shapes(11), ",") + "]", "", ""},
		{"uniqueItems asked many times", `{"allOf":[` + items(3000, `{"uniqueItems":true}`) + `]}`, "[" + items(100000, `%d`) + "]", "cost", ""},
		{"an enum of equal hashes in draft-04", `{"$schema":"http://json-schema.org/draft-04/schema#","enum":[` + strings.Join(shapes(9), ",") + `]}`, `1`, "enum", ""},
		{"an enum of thousands against thousands of numbers", `{"items":{"enum":[` + items(16000, `%d`) + `]}}`, "[" + items(200000, `%[1]d.5`) + "]", "enum", ""},
		{"a large const compared many times", `{"allOf":[` + items(300, `{"not":{"const":[1,%d]}}`) + `]}`, "[" + items(500000, `1`) + "]", "", ""},
		{"a large const against its equal, many times", `{"$defs":{"c":{"const":[` + items(20000, `1`) + `]}},"items":{"allOf":[` + items(90, `{"$ref":"#/$defs/c"}`) + `]}}`, "[" + items(100, `[`+items(20000, `1`)+`]`) + "]", "cost", ""},
		{"200 patterns for 40,000 keys", `{"patternProperties":{` + items(200, `"^(a|b)*%d$":{}`) + `}}`, `{` + items(40000, `"abababababababababab%d":1`) + `}`, "cost", ""},
		{"contains of contains", `{"contains":{"contains":{"contains":{"contains":{"const":2}}}}}`, `[[[[` + items(200000, "1") + `]]]]`, "contains", ""},
		{"contains asked many times", `{"allOf":[` + items(1900, `{"contains":{"const":2}}`) + `]}`, `[` + items(200000, "1") + `]`, "cost", ""},
		{"names looked up many times", `{"items":{"allOf":[` + items(3000, `{"required":["a%d"]}`) + `]}}`, `[` + items(100, `{`+items(4000, `"b%d":1`)+`}`) + `]`, "cost", ""},
		{"propertyNames asked many times", `{"allOf":[` + items(1900, `{"propertyNames":{"maxLength":9}}`) + `]}`, `{` + items(40000, `"%d":1`) + `}`, "cost", ""},
		{"unevaluatedProperties over many branches", `{"unevaluatedProperties":false,"anyOf":[` + items(1900, `{"properties":{"x%[1]d":true}}`) + `]}`, `{` + items(100000, `"x%d":1`) + `}`, "cost", ""},
		{"thousands of names required, missing in thousands of objects", `{"items":{"required":[` + items(16000, `"%d"`) + `]}}`, "[" + items(1500, "{}") + "]", "required", ""},
		{"a number of millions of digits, looked at many times", `{"allOf":[` + items(3900, `{"type":"integer"}`) + `]}`, strings.Repeat("7", 4<<20), "cost", ""},
		{"a number of millions of digits against many bounds", `{"allOf":[` + items(3900, `{"minimum":1}`) + `]}`, strings.Repeat("7", 4<<20), "cost", ""},
		{"large powers of ten against a long divisor", `{"items":{"multipleOf":0.1` + strings.Repeat("3", 60000) + `e-9999}}`, "[" + items(600, "1e9999") + "]", "cost", ""},
		{"marks of what is evaluated, thousands inside each other", chained(3200), "[" + items(500000, "1") + "]", "cost", ""},
		{"references to places inside each other", `{"u":` + strings.Repeat(`{"u":`, 180) + `{"enum":[` + items(30000, `{}`) + `]}` + strings.Repeat("}", 180) + `,"allOf":[` + inside(180, "#") + `]}`, "1", "", "inside each other"},
		{"references to places inside each other, below a long name", `{"$defs":{"` + strings.Repeat("n", 50000) + `":{"$id":"http://x/n","u":` + strings.Repeat(`{"u":`, 69) + `{"enum":[` + items(9000, `{}`) + `]}` + strings.Repeat("}", 69) +
			`}},"allOf":[` + inside(69, "http://x/n#") + `]}`, "1", "", "inside each other"},
		{"a value of 65 levels", `{}`, strings.Repeat("[", 65) + strings.Repeat("]", 65), "depth", ""},
		{"a value of a million levels", `{}`, strings.Repeat("[", 1<<20) + strings.Repeat("]", 1<<20), "depth", ""},
		{"a value that is too large", `{}`, `"` + strings.Repeat("a", 8<<20-1) + `"`, "size", ""},
		{"a value of nothing but brackets", `{"items":{"items":false}}`, "[" + items(2796201, "[]") + "]", "", ""},
		{"a value of nothing but brackets, and a rule with two ways in", `{"$defs":{"a":{"type":"array"}},"items":{"$ref":"#/$defs/a"},"contains":{"$ref":"#/$defs/a"}}`, "[" + items(1600000, "[0]") + "]", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if underRace && len(c.value) > 300<<10 {
				t.Skip("the race detector makes it ten times slower, and has nothing to find in one goroutine")
			}
			v, err := answered(t, c.schema, c.value)
			switch {
			case c.err != "":
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("compiled: %v, %+v", err, v)
				}
			case err != nil:
				t.Errorf("does not compile: %v", err)
			case c.keyword == "" && v != nil, c.keyword != "" && (v == nil || v.Keyword != c.keyword):
				t.Errorf("%+v, not %q", v, c.keyword)
			}
		})
	}
}

// shapes are the arrays with n pairs of brackets: all different, and all of the same elements in the same order.
func shapes(n int) []string {
	known := [][]string{{""}}
	for i := 1; i <= n; i++ {
		var all []string
		for inside := range i {
			for _, a := range known[inside] {
				for _, b := range known[i-1-inside] {
					sep := ""
					if b != "" {
						sep = ","
					}
					all = append(all, "["+a+"]"+sep+b)
				}
			}
		}
		known = append(known, all)
	}
	for i, shape := range known[n] {
		known[n][i] = "[" + shape + "]"
	}
	return known[n]
}
