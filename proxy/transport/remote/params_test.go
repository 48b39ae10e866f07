package remote

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

func TestWhatAToolWantsInHeadersIsReadByTheRulesOfTheSpecification(t *testing.T) {
	for _, c := range []struct{ name, schema, want, problem string }{
		{"none", `{"type":"object","properties":{"a":{"type":"string"}}}`, "", ""},
		{"no schema", `true`, "", ""},
		{"three kinds, one of them deeper", `{"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"object","properties":{"c":{"type":"integer","x-mcp-header":"C-1"}}},"d":{"type":"boolean","x-mcp-header":"D"}}}`, "a=Mcp-Param-A b.c=Mcp-Param-C-1 d=Mcp-Param-D", ""},
		{"a property called properties", `{"properties":{"properties":{"type":"string","x-mcp-header":"A"}}}`, "properties=Mcp-Param-A", ""},
		{"a value that looks like one", `{"properties":{"a":{"type":"object","default":{"x-mcp-header":"A"},"const":{"x-mcp-header":1}}}}`, "", ""},
		{"a number", `{"properties":{"a":{"type":"number","x-mcp-header":"A"}}}`, "", "not a string, an integer or a boolean"},
		{"no type", `{"properties":{"a":{"x-mcp-header":"A"}}}`, "", "not a string, an integer or a boolean"},
		{"two types", `{"properties":{"a":{"type":["string","null"],"x-mcp-header":"A"}}}`, "", "not a string, an integer or a boolean"},
		{"no name", `{"properties":{"a":{"type":"string","x-mcp-header":""}}}`, "", "an impossible name"},
		{"a name with a line break", `{"properties":{"a":{"type":"string","x-mcp-header":"A\r\nX: y"}}}`, "", "an impossible name"},
		{"a name that is no text", `{"properties":{"a":{"type":"string","x-mcp-header":1}}}`, "", "an impossible name"},
		{"one name twice", `{"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}}`, "", "two arguments in one header"},
		{"at the root", `{"type":"string","x-mcp-header":"A"}`, "", "not a plain argument"},
		{"in the items of a list", `{"properties":{"a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}}}`, "", "not a plain argument"},
		{"in a choice", `{"anyOf":[{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}]}`, "", "not a plain argument"},
		{"in a definition", `{"$defs":{"x":{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}}}`, "", "not a plain argument"},
		{"too deep", strings.Repeat(`{"properties":{"a":`, 1001) + "{}" + strings.Repeat("}}", 1001), "", "1000 deep"},
		{"deep, and with none", strings.Repeat(`{"properties":{"a":`, 400) + "{}" + strings.Repeat("}}", 400), "", ""},
	} {
		params, err := paramsOf([]byte(`{"name":"t","inputSchema":` + c.schema + `}`))
		var got []string
		for _, p := range params {
			got = append(got, strings.Join(p.path, ".")+"="+p.header)
		}
		switch {
		case c.problem != "" && (err == nil || !strings.Contains(err.Error(), c.problem)):
			t.Errorf("%s: %v", c.name, err)
		case c.problem == "" && (err != nil || strings.Join(got, " ") != c.want):
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
	}
}

func TestArgumentsGoIntoTheHeadersThatTheToolWants(t *testing.T) {
	definition := []byte(`{"inputSchema":{"properties":{"text":{"type":"string","x-mcp-header":"Text"},"n":{"type":"integer","x-mcp-header":"N"},"deep":{"properties":{"on":{"type":"boolean","x-mcp-header":"On"}}}}}}`)
	asked := 0
	s := &Server{tools: map[string]toolParams{}, o: Options{Tool: func(name string) (string, []byte) {
		asked++
		if name != "t" {
			return "", nil
		}
		return "digest", definition
	}}}
	for _, c := range []struct {
		name, arguments string
		want            []string
	}{
		{"plain", `{"text":"eu","n":42,"deep":{"on":true}}`, []string{"N: 42", "On: true", "Text: eu"}},
		{"absent and null", `{"text":null,"deep":{}}`, nil},
		{"no arguments", `null`, nil},
		{"a text that fits no header", `{"text":"\u00e9\n"}`, []string{"Text: =?base64?w6kK?="}},
		{"blanks at the end", `{"text":"a "}`, []string{"Text: =?base64?YSA=?="}},
		{"spelled with escapes", `{"text":"\u0065u"}`, []string{"Text: eu"}},
		{"something else than was said", `{"text":{"a":1},"n":[1],"deep":"x"}`, nil},
	} {
		m := messageOf([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":` + c.arguments + `}}`))
		req := &http.Request{Header: http.Header{}}
		if why := s.mirror(req, m); why != "" {
			t.Errorf("%s: %s", c.name, why)
		}
		var got []string
		for name, values := range req.Header {
			got = append(got, strings.TrimPrefix(name, paramPrefix)+": "+strings.Join(values, "|"))
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q", c.name, got)
		}
	}
	definition = []byte(`{"inputSchema":{"properties":{"a":{"type":"number","x-mcp-header":"A"}}}}`)
	delete(s.tools, "t")
	m := messageOf([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}`))
	if why := s.mirror(&http.Request{Header: http.Header{}}, m); !strings.HasPrefix(why, "the tool can't be called over HTTP, because it wants") {
		t.Errorf("a tool that breaks a rule: %q", why)
	}
}

// A server that declares a tool otherwise by now says so (-32020). The call comes back once, for a look at what it declares, and goes out again.
func TestACallWhoseHeadersNoLongerFitComesBackOnce(t *testing.T) {
	const mismatch = `{"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"header mismatch"}}`
	headers := make(chan string, 8)
	address, _ := server(t, func(w http.ResponseWriter, r *http.Request, body string) {
		headers <- r.Header.Get("Mcp-Param-Region")
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		w.Write([]byte(mismatch))
	})
	declared := "A"
	s := open(t, address, func(o *Options) {
		o.Kind = Streamable
		o.Tool = func(string) (string, []byte) {
			return declared, []byte(`{"inputSchema":{"properties":{"region":{"type":"string","x-mcp-header":"` + map[string]string{"A": "Zone", "B": "Region"}[declared] + `"}}}}`)
		}
	})
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"region":"eu"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`
	s.say(call)
	s.wants("again: " + call)
	declared = "B"
	s.say(call)
	s.wants(mismatch)
	if first, second := <-headers, <-headers; first != "" || second != "eu" {
		t.Errorf("the headers were %q, then %q", first, second)
	}
}
