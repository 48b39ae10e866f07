package clientconfig

import (
	"path/filepath"
	"slices"
	"strings"
)

// Row is one client: what differs between clients is data here, and code nowhere else.
type Row struct {
	ID       string // as in --client
	Title    string // as people know it
	Format   Format // of its file
	Editable bool   // Wrap and Unwrap support it; others are only counted
	Listing  Listing

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
		ID: ClaudeDesktop, Title: "Claude Desktop", Editable: true, Listing: Listing{Known: "reports"},
		files: []place{
			{path: "CLAUDE/" + claudeFile},
			{path: "CLAUDE-3P/" + claudeFile, title: "Claude Desktop (third-party provider)"},
		},
	},
	{
		ID: ClaudeCode, Title: "Claude Code", Format: Format{Projects: true}, Editable: true, Listing: Listing{Known: "2.1.197", Own: true, Next: atNextTurn},
		files: []place{{path: "~/.claude.json"}},
	},
	{
		ID: Cursor, Title: "Cursor", Editable: true, Listing: Listing{Known: "reports", Next: "refresh in Cursor"},
		files: []place{{path: "~/.cursor/mcp.json"}},
	},
	{
		ID: Windsurf, Title: "Windsurf", Editable: true, Listing: Listing{Known: "reports", Next: "refresh in Windsurf"},
		files: []place{{path: "~/.codeium/windsurf/mcp_config.json"}},
	},
	{
		ID: GeminiCLI, Title: "Gemini CLI", Format: Format{Comments: true}, Listing: Listing{Known: "0.61.0", Own: true, Next: atNextTurn},
		files: []place{{path: "~/.gemini/settings.json"}},
	},
	{
		ID: VSCode, Title: "Visual Studio Code", Format: Format{Comments: true, Key: "servers"}, Listing: Listing{Known: "its maintainers", Own: true, Next: atNextTurn},
		files: []place{{path: "CFG/Code/User/mcp.json"}},
	},
	{ID: "codex", Title: "Codex", Listing: Listing{Known: "0.169.0", Next: "start a new thread in Codex"}},
	{ID: "opencode", Title: "opencode", Listing: Listing{Known: "1.18.33", Own: true, Next: atNextTurn}},
	{ID: MCPInspector, Title: "MCP Inspector", Editable: true}, // its file has no fixed place
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
		if row.Editable && len(row.files) == 0 {
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
				Client: row.ID, Name: title, Path: path, Folder: filepath.Dir(path), Format: row.Format, Editable: row.Editable, State: Unseen,
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
