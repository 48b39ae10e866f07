package remote

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/address"
	"github.com/sallyport/sallyport/proxy/frame"
)

// Arguments of a call that a tool wants in a header too (specification of 2026-07-28, "Streamable HTTP", Custom Headers from Tool Parameters): a
// property of its inputSchema says so with x-mcp-header, and the server compares header and body.

const (
	paramKey    = "x-mcp-header"
	paramPrefix = "Mcp-Param-"
	// paramDepth is how deep a schema is looked through. Definitions that are deeper are blocked as unreadable.
	paramDepth = 1000
)

// param is one such argument.
type param struct {
	path   []string // in arguments
	header string
	kind   string // string, integer or boolean
}

// toolParams are those of one definition of a tool.
type toolParams struct {
	digest string
	params []param
	err    error // the definition breaks a rule, so the tool can't be called
}

// Uncallable says why a client of the modern era can't call the tool of a definition over HTTP, "" if it can.
func Uncallable(definition []byte) string {
	if _, err := paramsOf(definition); err != nil {
		return err.Error()
	}
	return ""
}

// paramsOf are the params of a definition.
func paramsOf(definition []byte) ([]param, error) {
	var tool struct {
		InputSchema any `json:"inputSchema"`
	}
	if err := json.Unmarshal(definition, &tool); err != nil {
		return nil, errors.New("its definition can't be read")
	}
	found := paramFinder{seen: map[string]bool{}}
	if err := found.schema(tool.InputSchema, nil, true, 0); err != nil {
		return nil, err
	}
	return found.params, nil
}

type paramFinder struct {
	params []param
	seen   map[string]bool // headers, in lower case
}

// schema walks a schema. reachable: every step to it was a key of properties.
func (f *paramFinder) schema(schema any, path []string, reachable bool, depth int) error {
	if depth > paramDepth {
		return fmt.Errorf("it has properties more than %d deep", paramDepth)
	}
	switch node := schema.(type) {
	case []any:
		for _, one := range node {
			if err := f.schema(one, path, false, depth+1); err != nil {
				return err
			}
		}
	case map[string]any:
		if name, has := node[paramKey]; has {
			if err := f.add(name, node["type"], path, reachable); err != nil {
				return err
			}
		}
		for _, key := range slices.Sorted(maps.Keys(node)) {
			properties, are := node[key].(map[string]any)
			if key != "properties" || !are {
				if key == paramKey || key == "const" || key == "default" || key == "enum" || key == "examples" { // values, not schemas
					continue
				}
				if err := f.schema(node[key], path, false, depth+1); err != nil {
					return err
				}
				continue
			}
			for _, property := range slices.Sorted(maps.Keys(properties)) {
				if err := f.schema(properties[property], append(slices.Clone(path), property), reachable, depth+1); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (f *paramFinder) add(name, kind any, path []string, reachable bool) error {
	header, _ := name.(string)
	of, _ := kind.(string)
	switch {
	case !reachable || len(path) == 0:
		return errors.New("it wants a header for something that is not a plain argument")
	case !address.IsToken(header):
		return errors.New("it wants an argument in a header with an impossible name")
	case f.seen[strings.ToLower(header)]:
		return errors.New("it wants two arguments in one header")
	case of != "string" && of != "integer" && of != "boolean":
		return errors.New("it wants a header for an argument that is not a string, an integer or a boolean")
	}
	f.seen[strings.ToLower(header)] = true
	f.params = append(f.params, param{path: path, header: paramPrefix + header, kind: of})
	return nil
}

// mirror sets the headers that the tool of a call wants. why says why it can't be called.
func (s *Server) mirror(req *http.Request, m *message) (why string) {
	if m.method != "tools/call" || s.o.Tool == nil {
		return ""
	}
	digest, definition := s.o.Tool(m.name)
	if definition == nil {
		return "" // the session lets no such call pass
	}
	s.mu.Lock()
	known := s.tools[m.name]
	s.mu.Unlock()
	if known.digest != digest {
		known = toolParams{digest: digest}
		known.params, known.err = paramsOf(definition)
		s.mu.Lock()
		s.tools[m.name] = known
		s.mu.Unlock()
	}
	if known.err != nil {
		return "the tool can't be called over HTTP, because " + known.err.Error()
	}
	for _, p := range known.params {
		span, ok := frame.Find(m.line, m.params, append([]string{"arguments"}, p.path...)...)
		if !ok {
			continue
		}
		raw := string(span.Of(m.line))
		switch kind := frame.Type(m.line, span); {
		case raw == "null":
		case kind == '"':
			text, _ := frame.String(m.line, span)
			req.Header.Set(p.header, headerValue(text))
		case kind != '{' && kind != '[':
			req.Header.Set(p.header, raw)
		}
	}
	return ""
}

// isMismatch reports whether a body is the error of a server whose headers and body differ for it: it declares the tool otherwise by now.
func isMismatch(body []byte) bool {
	line, ok := oneLine(body)
	if !ok {
		return false
	}
	code, ok := frame.Find(line, frame.Root(line), "error", "code")
	return ok && string(code.Of(line)) == "-32020"
}
