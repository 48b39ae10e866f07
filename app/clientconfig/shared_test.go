package clientconfig

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"
)

func TestACopyOfASharedEntryGoesByteForByteWithAndWithoutAHub(t *testing.T) {
	by := installed(t)
	by.Client = ClaudeCode
	format := FormatOf(ClaudeCode)
	const shared = "{\"mcpServers\": {\r\n  \"a\": {\"command\": \"x\", \"args\": [\"1\"]},\n \"r\": {\"type\": \"sse\", \"url\": \"https://h.example/?k=v\"}, \"b\": {\"command\": \"y\"}, \"odd\": 7}}"
	read := func(path string) ([]byte, error) {
		switch path {
		case filepath.FromSlash("/w/.mcp.json"):
			return []byte(shared), nil
		case filepath.FromSlash("/broken/.mcp.json"):
			return []byte("{"), nil
		case filepath.FromSlash("/denied/.mcp.json"):
			return nil, fs.ErrPermission
		}
		return nil, errors.Join(fs.ErrNotExist)
	}
	for name, raw := range map[string]string{
		"no servers of its own":      `{"projects":{"/w":{"enabledMcpjsonServers":["a"]},"/broken":{},"/denied":{},"rel":{}},"mcpServers":{}}`,
		"an empty list":              "{\n  \"projects\": {\n    \"/w\": {\n      \"mcpServers\": {},\n      \"enabledMcpjsonServers\": [\"a\"]\n    }\n  }\n}\n",
		"an empty list, spread":      "{\n  \"projects\": {\n    \"/w\": {\n      \"mcpServers\": {\n      },\n      \"enabledMcpjsonServers\": [\"a\"]\n    }\n  }\n}\n",
		"others of its own":          "{\n\t\"projects\": {\n\t\t\"/w\": {\n\t\t\t\"mcpServers\": {\n\t\t\t\t\"own\": {\"command\": \"z\"}\n\t\t\t},\n\t\t\t\"enabledMcpjsonServers\": [\"a\"]\n\t\t}\n\t}\n}",
		"one of the same name":       `{"projects":{"/w":{"mcpServers":{"b":{"command":"mine"}},"enabledMcpjsonServers":["a","b"]}}}`,
		"nothing in the project":     `{"projects":{"/w":{}}}`,
		"CRLF and a byte order mark": "\xef\xbb\xbf{\r\n  \"projects\": {\r\n    \"/w\": {\r\n      \"mcpServers\": {}\r\n    }\r\n  }\r\n}",
	} {
		t.Run(name, func(t *testing.T) {
			f := mustParse(t, raw, format)
			f.Share(read)
			for _, names := range [][]string{nil, {"a (/w)", "r (/w)", "odd (/w)"}} {
				result, err := WrapShared(f, names, by, nil)
				if err != nil {
					t.Fatal(err)
				}
				after := mustParse(t, string(result.Raw), format)
				for _, o := range result.Outcomes {
					e, there := after.Entry(o.Name)
					if o.Did == DidWrap && (!there || Classify(e, by, FindRecord(result.Records, o.Name)).Kind != Wrapped) || o.Did == DidMiss {
						t.Errorf("%q is %s in\n%s", o.Name, o.Did, result.Raw)
					}
				}
				if got := mustUnwrap(t, result.Raw, format, by, result.Records); got != raw {
					t.Errorf("it comes back as\n%s\nwas\n%s", got, raw)
				}
				if !result.Changed {
					continue
				}
				path, backups := filepath.Join(t.TempDir(), "config"), &Backups{Dir: t.TempDir()}
				put(t, path, raw)
				if _, err := Write(path, []byte(raw), result.Raw, backups); err != nil {
					t.Fatal(err)
				}
				records, err := Recover(path, result.Raw, format, by, backups)
				if err != nil {
					t.Fatal(err)
				}
				if got := mustUnwrap(t, result.Raw, format, by, records); got != raw {
					t.Errorf("with the backups it comes back as\n%s\nwas\n%s", got, raw)
				}
			}
		})
	}
	f := mustParse(t, `{"projects":{"/w":{},"/broken":{},"/denied":{},"rel":{}}}`, format)
	if f.Share(read); len(f.Shared) != 4 || len(f.Unread) != 2 {
		t.Errorf("shared %v, unread %v", f.Shared, f.Unread)
	}
}
