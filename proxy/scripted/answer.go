package scripted

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// revisions are the versions the server accepts; for any other it offers the newest.
var revisions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// answer does what an honest server does, and returns the name of the face it did it with.
func (s *scriptRun) answer(m *message) (as string) {
	s.mu.Lock()
	face, as := s.face, s.faceName
	s.mu.Unlock()
	if m.ID == nil {
		return as
	}
	switch m.Method {
	case "initialize":
		s.result(m, face.initialize(m.Params.Protocol))
	case "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe":
		s.result(m, `{}`)
	case "tools/list":
		s.list(m, face, "tools", face.tools())
	case "prompts/list":
		s.list(m, face, "prompts", face.Prompts)
	case "resources/list":
		s.list(m, face, "resources", face.Resources)
	case "resources/templates/list":
		s.list(m, face, "resourceTemplates", face.Templates)
	case "skills/list":
		s.list(m, face, "skills", face.Skills)
	case "tools/call":
		s.named(m, face, m.Params.Name, `{"content":[{"type":"text","text":"done"}]}`)
	case "prompts/get":
		s.named(m, face, m.Params.Name, `{"messages":[{"role":"user","content":{"type":"text","text":"prompt"}}]}`)
	case "resources/read":
		s.named(m, face, m.Params.URI, `{"contents":[{"uri":`+Verbatim(strconv.Quote(m.Params.URI))+`,"text":"resource"}]}`)
	case "completion/complete":
		s.result(m, `{"completion":{"values":["one","two"]}}`)
	default:
		s.fail(m, `{"code":-32601,"message":"method not found"}`)
	}
	return as
}

func (s *scriptRun) named(m *message, face Face, name string, otherwise Verbatim) {
	if answer, ok := face.Answers[name]; ok {
		otherwise = answer
	}
	s.result(m, otherwise)
}

func (f Face) initialize(protocol string) Verbatim {
	if f.Initialize != "" {
		return f.Initialize
	}
	if !slices.Contains(revisions, protocol) {
		protocol = revisions[0]
	}
	capabilities, info := f.Capabilities, cmp.Or(f.Info, `{"name":"scripted","version":"1.0.0"}`)
	if capabilities == "" {
		var parts []string
		if f.Tools != nil || f.Fill > 0 {
			parts = append(parts, `"tools":{"listChanged":true}`)
		}
		if f.Prompts != nil {
			parts = append(parts, `"prompts":{"listChanged":true}`)
		}
		if f.Skills != nil {
			parts = append(parts, `"extensions":{"io.modelcontextprotocol/skills":{}}`)
		}
		if f.Resources != nil || f.Templates != nil {
			parts = append(parts, `"resources":{"subscribe":true,"listChanged":true}`)
		}
		capabilities = Verbatim("{" + strings.Join(append(parts, `"logging":{}`), ",") + "}")
	}
	result := fmt.Sprintf(`{"protocolVersion":%q,"capabilities":%s,"serverInfo":%s`, protocol, capabilities, info)
	if f.Instructions != "" {
		result += `,"instructions":` + string(f.Instructions)
	}
	return Verbatim(result + "}")
}

func (f Face) tools() []Verbatim {
	tools := f.Tools
	for i := range f.Fill {
		tools = append(tools[:len(tools):len(tools)], Verbatim(fmt.Sprintf(
			`{"name":"fill_%05d","description":"Number %d","inputSchema":{"type":"object"}}`, i, i)))
	}
	return tools
}

// list answers with one page. A cursor is the index at which its page begins.
func (s *scriptRun) list(m *message, f Face, member string, items []Verbatim) {
	if items == nil && member != "tools" {
		s.fail(m, `{"code":-32601,"message":"method not found"}`)
		return
	}
	at, _ := strconv.Atoi(m.Params.Cursor)
	size := cmp.Or(f.PageSize, max(len(items), 1))
	from, to := min(max(at, 0), len(items)), min(max(at, 0)+size, len(items))
	next := ""
	switch {
	case f.Cursor == "same":
		from, to, next = 0, min(size, len(items)), "again"
	case f.Cursor == "endless" || to < len(items):
		next = strconv.Itoa(at + size)
	}
	page := make([]string, 0, to-from)
	for _, item := range items[from:to] {
		page = append(page, string(item))
	}
	result := `{"` + member + `":[` + strings.Join(page, ",") + `]`
	if next != "" {
		result += `,"nextCursor":` + strconv.Quote(next)
	}
	if f.ListMeta != "" {
		result += "," + f.ListMeta
	}
	// Not expanded: a definition may hold any text.
	s.line([]byte(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":` + result + `}}`))
}

func (s *scriptRun) result(m *message, result Verbatim) {
	s.line([]byte(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":` + m.expand(string(result)) + `}`))
}

func (s *scriptRun) fail(m *message, reason Verbatim) {
	s.line([]byte(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"error":` + m.expand(string(reason)) + `}`))
}
