package clientconfig

import (
	"path/filepath"
	"slices"
	"strings"
)

// Row is one client: what differs between clients is data here, and code nowhere else.
type Row struct {
	ID      string // as in --client
	Title   string // as people know it
	Format  Format // of its file
	Listing Listing

	files []place
}

// Listing is what a client does after its servers' listings changed.
type Listing struct {
	Known string // how it is known: "", "reports", "its maintainers", or the version that was measured
	Own   bool   // it lists again by itself
	Next  string // what makes it list again; "" means a restart, which always does
}

const atNextTurn = "at its next turn"

// place is a file of a client on the systems named, "" for all. A path begins with a folder that differs between machines: ~ (the person's
// home), CFG (the folder for settings), XDG (XDG_CONFIG_HOME, or ~/.config, on every system), CLAUDE and CLAUDE-3P (Claude Desktop's
// folders), or $NAME:OTHER (a folder named by a variable, else OTHER).
type place struct {
	systems string // as runtime.GOOS, with blanks between; "" for all
	path    string
	title   string // if it isn't the row's
}

// rows are the known clients, the most important first.
var rows = []Row{
	{
		ID: ClaudeDesktop, Title: "Claude Desktop", Listing: Listing{Known: "reports"},
		files: []place{
			{path: "CLAUDE/" + claudeFile},
			{path: "CLAUDE-3P/" + claudeFile, title: "Claude Desktop (third-party provider)"},
		},
	},
	{
		ID: ClaudeCode, Title: "Claude Code", Format: Format{Projects: true, Busy: true, shape: &shape{
			command: "command", commands: "text", args: "args", env: "env", kind: "type", local: "stdio",
			address: "url", kinds: "http=http sse=sse streamable-http=http", headers: "headers",
		}}, Listing: Listing{Known: "2.1.197", Own: true, Next: atNextTurn},
		files: []place{{path: "~/.claude.json"}},
	},
	{
		ID: "codex", Title: "Codex", Format: Format{Language: TOML, Key: "mcp_servers", shape: &shape{
			command: "command", commands: "text", args: "args", env: "env", starts: "environment environment_id experimental_environment",
			address: "url=http", headers: "http_headers", bearer: "bearer_token_env_var", variables: "env_http_headers", passes: "env_vars",
		}}, Listing: Listing{Known: "0.169.0", Next: "start a new thread in Codex"},
		files: []place{{path: "$CODEX_HOME:.codex/config.toml"}},
	},
	{
		ID: "mistral-vibe", Title: "Mistral Vibe", Format: Format{Language: TOML, Key: "mcp_servers", shape: &shape{
			command: "command", commands: "text list", args: "args", env: "env", name: "name", kind: "transport", local: "stdio", needed: true,
			address: "url", kinds: "http=http streamable-http=http", headers: "headers", marks: "disabled", splits: true, literal: true,
		}},
		files: []place{{path: "~/.vibe/config.toml"}},
	},
	{
		ID: GeminiCLI, Title: "Gemini CLI", Format: Format{Comments: true, shape: &shape{
			command: "command", commands: "text", args: "args", env: "env", kind: "type", local: "stdio",
			address: "httpUrl=http url=sse", kinds: "http=http sse=sse", headers: "headers", marks: "disabled",
		}}, Listing: Listing{Known: "0.61.0", Own: true, Next: atNextTurn},
		files: []place{{path: "~/.gemini/settings.json"}},
	},
	{
		ID: "antigravity", Title: "Antigravity", Format: Format{shape: reached("serverUrl=auto", "")},
		files: []place{{path: "~/.gemini/antigravity/mcp_config.json"}},
	},
	{
		ID: "opencode", Title: "opencode", Format: Format{Comments: true, Key: "mcp", shape: &shape{
			command: "command", commands: "list", env: "environment", inner: "servers", kind: "type", local: "local", needed: true,
			address: "url", kinds: "remote=auto", headers: "headers", marks: "disabled",
		}}, Listing: Listing{Known: "1.18.33", Own: true, Next: atNextTurn},
		files: []place{{path: "XDG/opencode/opencode.json"}, {path: "XDG/opencode/opencode.jsonc"}},
	},
	{
		ID: VSCode, Title: "Visual Studio Code", Format: Format{Comments: true, Key: "servers", shape: reached("url=auto", "http=auto sse=sse")},
		Listing: Listing{Known: "its maintainers", Own: true, Next: atNextTurn},
		files:   []place{{path: "CFG/Code/User/mcp.json"}},
	},
	{
		ID: "vscode-insiders", Title: "Visual Studio Code Insiders", Format: Format{Comments: true, Key: "servers", shape: reached("url=auto", "http=auto sse=sse")},
		Listing: Listing{Known: "its maintainers", Own: true, Next: atNextTurn},
		files:   []place{{path: "CFG/Code - Insiders/User/mcp.json"}},
	},
	{
		ID: Cursor, Title: "Cursor", Format: Format{Comments: true, shape: reached("url=auto", "http=http streamable-http=http streamableHttp=http sse=sse")}, Listing: Listing{Known: "reports", Next: "refresh in Cursor"},
		files: []place{{path: "~/.cursor/mcp.json"}},
	},
	{
		ID: Windsurf, Title: "Windsurf", Format: Format{shape: reached("serverUrl=auto url=auto", "")}, Listing: Listing{Known: "reports", Next: "refresh in Windsurf"},
		files: []place{{path: "~/.codeium/windsurf/mcp_config.json"}},
	},
	{
		ID: "windsurf-jetbrains", Title: "Windsurf for JetBrains", Format: Format{shape: reached("serverUrl=auto url=auto", "")},
		files: []place{{path: "~/.codeium/mcp_config.json"}},
	},
	{
		ID: "cline", Title: "Cline", Format: Format{shape: reached("url=sse", "streamableHttp=http sse=sse")},
		files: []place{{path: "CFG/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"}},
	},
	{
		ID: "roo-code", Title: "Roo Code", Format: Format{shape: reached("url", "streamable-http=http sse=sse")},
		files: []place{{path: "CFG/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json"}},
	},
	{
		ID: "zed", Title: "Zed", Format: Format{Comments: true, Key: "context_servers", shape: &shape{
			command: "command", commands: "text object", args: "args", env: "env", address: "url=http", headers: "headers", marks: "disabled",
		}}, Listing: Listing{Known: "its maintainers", Own: true, Next: atNextTurn},
		files: []place{{systems: "linux darwin", path: "XDG/zed/settings.json"}, {systems: "windows", path: "CFG/Zed/settings.json"}},
	},
	{
		ID: "lm-studio", Title: "LM Studio", Format: Format{shape: reached("url=auto", "")},
		files: []place{{path: "~/.lmstudio/mcp.json"}},
	},
	{
		ID: "kiro", Title: "Kiro", Format: Format{shape: reached("url=auto", "")},
		files: []place{{path: "~/.kiro/settings/mcp.json"}},
	},
	{
		ID: "copilot-cli", Title: "GitHub Copilot CLI", Format: Format{shape: &shape{
			command: "command", commands: "text", args: "args", env: "env", kind: "type", local: "local stdio",
			address: "url=auto", kinds: "http=http sse=sse", headers: "headers", marks: "disabled", fresh: `tools=["*"]`,
		}}, Listing: Listing{Known: "its maintainers", Own: true, Next: atNextTurn},
		files: []place{{path: "$COPILOT_HOME:.copilot/mcp-config.json"}},
	},
	{
		ID: "amp", Title: "Amp", Format: Format{Comments: true, Key: "amp.mcpServers", shape: reached("url=auto", "")},
		files: []place{{path: "~/.config/amp/settings.json"}},
	},
	{
		ID: "goose", Title: "Goose", Format: Format{Language: YAML, Key: "extensions", shape: &shape{
			command: "cmd", commands: "text", args: "args", env: "envs", kind: "type", local: "stdio", needed: true, alone: "builtin platform frontend inline_python",
			marks: "bundled disabled", address: "uri", kinds: "streamable_http=http sse=sse", headers: "headers", literal: true,
			fresh: "enabled=true name=NAME",
		}}, Listing: Listing{Known: "its maintainers", Own: true, Next: "at its next reply"},
		files: []place{{systems: "linux darwin", path: "XDG/goose/config.yaml"}, {systems: "windows", path: "CFG/Block/goose/config/config.yaml"}},
	},
	{
		ID: "continue", Title: "Continue", Format: Format{Language: YAML, shape: &shape{
			command: "command", commands: "text", args: "args", env: "env", name: "name", kind: "type", local: "stdio",
			address: "url=auto", kinds: "streamable-http=http sse=sse", headers: "headers", marks: "disabled",
		}},
		files: []place{{path: "~/.continue/config.yaml"}},
	},
	{ID: MCPInspector, Title: "MCP Inspector"}, // its file has no fixed place
}

// reached is Claude Desktop's shape, of a client whose entries can be switched off, with how it names remote servers.
func reached(address, kinds string) *shape {
	return &shape{
		command: "command", commands: "text", args: "args", env: "env", kind: "type", local: "stdio", marks: "disabled",
		address: address, kinds: kinds, headers: "headers",
	}
}

// Rows are the known clients, the most important first.
func Rows() []Row { return slices.Clone(rows) }

// RowOf is the row of a client.
func RowOf(client string) (Row, bool) {
	at := slices.IndexFunc(rows, func(r Row) bool { return r.ID == client })
	if at < 0 {
		return Row{}, false
	}
	return rows[at], true
}

// FormatOf is how a client writes its file; an unknown one writes it as Claude Desktop does.
func FormatOf(client string) Format {
	row, _ := RowOf(client)
	return row.Format
}

// ByFileOnly are clients that protect knows but whose file has no fixed place.
func ByFileOnly() (ids []string) {
	for _, row := range rows {
		if len(row.files) == 0 {
			ids = append(ids, row.ID)
		}
	}
	return ids
}

// places are the files of a row on a system, not looked at yet.
func (s System) places(row Row) (found []Location) {
	for _, p := range row.files {
		if p.systems != "" && !slices.Contains(strings.Fields(p.systems), s.OS) {
			continue
		}
		title := row.Title
		if p.title != "" {
			title = p.title
		}
		head, rest, _ := strings.Cut(p.path, "/")
		for _, folder := range s.folders(head) {
			path := filepath.Join(folder, filepath.FromSlash(rest))
			found = append(found, Location{
				Client: row.ID, Name: title, Path: path, Folder: filepath.Dir(path), Format: row.Format, State: Unseen,
			})
		}
	}
	return found
}

// folders are what the first word of a place's path means on a system, the first to be read first.
func (s System) folders(word string) []string {
	dotConfig := filepath.Join(s.Home, ".config")
	switch word {
	case "CLAUDE":
		return s.claudeFolders()
	case "CLAUDE-3P":
		return s.thirdPartyFolders()
	case "CFG":
		switch s.OS {
		case "darwin":
			return []string{s.path(s.Home, "Library", "Application Support")}
		case "windows":
			return []string{s.path(s.env("APPDATA", filepath.Join(s.Home, "AppData", "Roaming")))}
		}
		return []string{s.path(s.env("XDG_CONFIG_HOME", dotConfig))}
	case "XDG":
		return []string{s.path(s.env("XDG_CONFIG_HOME", dotConfig))}
	}
	if name, isVariable := strings.CutPrefix(word, "$"); isVariable {
		name, other, _ := strings.Cut(name, ":")
		return []string{s.path(s.env(name, filepath.Join(s.Home, other)))}
	}
	return []string{s.path(s.Home)}
}
