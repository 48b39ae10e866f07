package app

import (
	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

// clientWay is how one client takes in what was allowed. docs/clients.md says which of this was measured.
type clientWay struct {
	title string // as people know it
	next  string // what has it list again after an approval; "" for a restart
	own   bool   // it does that by itself, so nobody is told to do anything
}

const atNextTurn = "at its next turn"

// clientWays has the clients under the value of --client and under the name that they give themselves in initialize.
var clientWays = map[string]clientWay{
	clientconfig.ClaudeDesktop: {title: "Claude Desktop"},
	"claude-ai":                {title: "Claude Desktop"},
	clientconfig.ClaudeCode:    {title: "Claude Code", next: atNextTurn, own: true},
	clientconfig.GeminiCLI:     {title: "Gemini CLI", next: atNextTurn, own: true},
	"gemini-cli-mcp-client":    {title: "Gemini CLI", next: atNextTurn, own: true},
	"opencode":                 {title: "opencode", next: atNextTurn, own: true},
	"codex":                    {title: "Codex", next: "start a new thread in Codex"},
	"codex-mcp-client":         {title: "Codex", next: "start a new thread in Codex"},
	clientconfig.Cursor:        {title: "Cursor", next: "refresh in Cursor"},
	"cursor-vscode":            {title: "Cursor", next: "refresh in Cursor"},
	clientconfig.Windsurf:      {title: "Windsurf", next: "refresh in Windsurf"},
	clientconfig.MCPInspector:  {title: "MCP Inspector"},
	clientconfig.VSCode:        {title: "Visual Studio Code", next: atNextTurn, own: true},
	"Visual Studio Code":       {title: "Visual Studio Code", next: atNextTurn, own: true},
}

// wayOf is how a client goes about it; of one that is not known, a restart is what always helps.
func wayOf(client string) clientWay {
	way, known := clientWays[client]
	if !known {
		way.title = legible.Name(client, "the client")
	}
	if way.next == "" {
		way.next = "restart " + way.title
	}
	return way
}

// ClientTitle is how people know a client, by the value of --client or by the name it gives itself.
func ClientTitle(client string) string { return wayOf(client).title }
