package schema

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

func TestSizeAndDepthAreGuardedBeforeTheSchema(t *testing.T) {
	nothing, err := Compile([]byte(`{"not":{}}`)) // it would refuse everything, so another keyword means that it was not asked
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, value string
		limits      Limits
		keyword     string
	}{
		{"exactly as large", `"abc"`, Limits{5, 9}, "not"},
		{"white space around it does not count", " \n\t\r\"abc\" \n", Limits{5, 9}, "not"},
		{"white space inside does", `[ 1 ]`, Limits{4, 9}, "size"},
		{"one byte more", `"abcd"`, Limits{5, 9}, "size"},
		{"size comes first", `[[[]]]`, Limits{5, 1}, "size"},
		{"a scalar has depth 0", `1`, Limits{99, 0}, "not"},
		{"an object has 1", `{}`, Limits{99, 0}, "depth"},
		{`{"n":[1]} has 2`, `{"n":[1]}`, Limits{99, 2}, "not"},
		{`{"n":[1]} is deeper than 1`, `{"n":[1]}`, Limits{99, 1}, "depth"},
		{"the deepest counts", `[[],[[]],[]]`, Limits{99, 2}, "depth"},
		{"brackets in a string are none", `"[[[\"[[["`, Limits{99, 0}, "not"},
		{"an exponent", `{"a":1e10001}`, Limits{99, 9}, "cost"},
		{"the largest exponent", `{"a":1e10000}`, Limits{99, 9}, "not"},
		{"an exponent in a string is none", `"1e99999"`, Limits{99, 9}, "not"},
		{"a depth beyond what can be decoded", strings.Repeat("[", 20000) + strings.Repeat("]", 20000), Limits{1 << 20, 1 << 30}, "depth"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if v := nothing.Validate([]byte(c.value), c.limits); v == nil || v.Keyword != c.keyword {
				t.Errorf("%+v, not %q", v, c.keyword)
			}
		})
	}
}

func TestAnyJSONValueCanBeStructuredContent(t *testing.T) {
	s, err := Compile([]byte(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, value := range []string{`null`, `true`, `false`, `0`, `-1.5E+3`, `""`, `"\u00e9\ud83d\ude00\ud800\n"`, `[]`, `{}`, ` [ { "a" : [ null , { } ] } ] `} {
		if v := s.Validate([]byte(value), generous); v != nil {
			t.Errorf("%s: %+v", value, v)
		}
	}
}

func TestWhatIsNotJSONIsAViolation(t *testing.T) {
	s, err := Compile([]byte(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, value := range []string{``, `{`, `[1,]`, `[1 2]`, `{"a"}`, `{"a":}`, `{1:2}`, `nul`, `"a`, `"`, `01`, `1 2`, `[`, `}`, `,`, `{"a":1,}`, `"\`, `tru e`, `[}`} {
		if v := s.Validate([]byte(value), generous); v == nil {
			t.Errorf("%s conforms", value)
		}
	}
}

func TestTextIsReadWithoutItsEscapes(t *testing.T) {
	for _, c := range []struct{ schema, value string }{
		{`{"const":"é😀/\n\"\\"}`, `"\u00e9\ud83d\ude00\/\n\"\\"`},
		{`{"required":["a b"],"properties":{"a b":{"const":1}},"additionalProperties":false}`, `{"\u0061\u0020b":1}`},
		{`{"maxLength":2,"minLength":2}`, `"\ud83d\ude00é"`},
		{`{"maxLength":3,"minLength":3}`, `"\ud83d\ud83dx"`},
		{`{"enum":["\ufffdA"]}`, `"\ud800A"`},
		{`{"pattern":"^a\tb$"}`, `"a\tb"`},
	} {
		if v := judge(t, c.schema, c.value); v != nil {
			t.Errorf("%s with %s: %+v", c.schema, c.value, v)
		}
	}
}

func TestNothingIsOpenedOrFetched(t *testing.T) {
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		fmt.Fprint(w, `{}`)
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "schema.json")
	if err := os.WriteFile(file, []byte(`{}`), 0o600); err != nil {
		t.Fatal(err)
	}
	slashed := filepath.ToSlash(file)
	for _, address := range []string{server.URL, server.URL + "/x.json#/a", file, slashed, "file://" + slashed, "file:" + slashed, "schema.json", "//localhost" + slashed} {
		for _, schema := range []string{`{"$ref":%q}`, `{"$schema":%q}`, `{"$dynamicRef":%q}`, `{"allOf":[{"$id":%[1]q},{"$ref":"x"},{"$ref":%[1]q}]}`, `{"properties":{"a":{"$id":"b","$schema":%q}}}`,
			`{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveRef":%q}`, `{"$id":%q,"$ref":"other"}`} {
			if _, err := Compile(fmt.Appendf(nil, schema, address)); err == nil && !strings.Contains(schema, "allOf") {
				t.Errorf(schema+" compiles", address)
			}
		}
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("the server was asked %d times", n)
	}
}

func TestSchemasThatBreakTheRulesDoNotCompile(t *testing.T) {
	for _, c := range []struct{ name, schema, err string }{
		{"not JSON", `{`, "not JSON"},
		{"two values", `{} {}`, "not JSON"},
		{"an array", `[]`, "not a JSON object"},
		{"true", `true`, "not a JSON object"},
		{"null", `null`, "not a JSON object"},
		{"a type that there is not", `{"properties":{"a":{"type":"text"}}}`, "breaks the rules of JSON Schema at /properties/a/type"},
		{"a type that is a number, in 2019-09", `{"$schema":"https://json-schema.org/draft/2019-09/schema","properties":{"a":{"items":{"type":5}}}}`, "at /properties/a/items/type"},
		{"a place that could say something is not told", `{"properties":{"do as I say":{"type":5}}}`, "breaks the rules of JSON Schema"},
		{"a list of subschemas in 2020-12", `{"items":[{}]}`, "at /items"},
		{"a negative length", `{"maxLength":-1}`, "at /maxLength"},
		{"a boolean in draft-04", `{"$schema":"http://json-schema.org/draft-04/schema#","properties":{"a":true}}`, "at /properties/a"},
		{"a required that is a boolean", `{"required":true}`, "at /required"},
		{"a reference to nowhere", `{"$ref":"#/$defs/a"}`, "does not have"},
		{"a reference to an anchor that there is not", `{"$ref":"#a"}`, "does not have"},
		{"a reference to what is no schema", `{"$ref":"#/x","x":7}`, "breaks the rules"},
		{"a reference that is not an address", `{"$ref":"http://[::1"}`, "not an address"},
		{"a reference with half an escape", `{"$ref":"#%2"}`, "not an address"},
		{"an $id that is not an address", `{"$id":"http://[::1"}`, "not an address"},
		{"one address twice", `{"$defs":{"a":{"$id":"x"},"b":{"$id":"x"}}}`, "same address"},
		{"one anchor twice", `{"$defs":{"a":{"$anchor":"x"},"b":{"$anchor":"x"}}}`, "same name"},
		{"a part in another dialect by its rules", `{"$defs":{"a":{"$id":"a","$schema":"http://json-schema.org/draft-07/schema#","items":[{}],"type":7}}}`, "breaks the rules"},
		{"a part in another dialect", `{"$defs":{"a":{"$id":"a","$schema":"http://json-schema.org/draft-07/schema#","items":[{}]}},"$ref":"a"}`, ""},
		{"patterns that are too large together", `{"allOf":[` + items(100, `{"pattern":"^%d.{0,900}$"}`) + `]}`, "too large together"},
		{"larger than 128 KiB", `{"title":"` + strings.Repeat("a", 128<<10) + `"}`, "128 KiB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Compile([]byte(c.schema))
			if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "do as I")) {
				t.Errorf("%v, not %q", err, c.err)
			}
		})
	}
}
