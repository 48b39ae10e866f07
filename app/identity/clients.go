package identity

import (
	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

// Client is how one client takes in what was allowed. docs/clients.md says which of this was measured.
type Client struct {
	Title string // as people know it
	Next  string // what has it list again after an approval; "" for a restart
	Own   bool   // it does that by itself, so nobody is told to do anything
}

const atNextTurn = "at its next turn"

// clients has the clients under the value of --client and under the name that they give themselves in initialize.
var clients = map[string]Client{
	clientconfig.ClaudeDesktop: {Title: "Claude Desktop"},
	"claude-ai":                {Title: "Claude Desktop"},
	clientconfig.ClaudeCode:    {Title: "Claude Code", Next: atNextTurn, Own: true},
	clientconfig.GeminiCLI:     {Title: "Gemini CLI", Next: atNextTurn, Own: true},
	"gemini-cli-mcp-client":    {Title: "Gemini CLI", Next: atNextTurn, Own: true},
	"opencode":                 {Title: "opencode", Next: atNextTurn, Own: true},
	"codex":                    {Title: "Codex", Next: "start a new thread in Codex"},
	"codex-mcp-client":         {Title: "Codex", Next: "start a new thread in Codex"},
	clientconfig.Cursor:        {Title: "Cursor", Next: "refresh in Cursor"},
	"cursor-vscode":            {Title: "Cursor", Next: "refresh in Cursor"},
	clientconfig.Windsurf:      {Title: "Windsurf", Next: "refresh in Windsurf"},
	clientconfig.MCPInspector:  {Title: "MCP Inspector"},
	clientconfig.VSCode:        {Title: "Visual Studio Code", Next: atNextTurn, Own: true},
	"Visual Studio Code":       {Title: "Visual Studio Code", Next: atNextTurn, Own: true},
}

// ClientOf is how a client goes about it; of one that is not known, a restart is what always helps.
func ClientOf(client string) Client {
	way, known := clients[client]
	if !known {
		way.Title = legible.Name(client, "the client")
	}
	if way.Next == "" {
		way.Next = "restart " + way.Title
	}
	return way
}

// ClientTitle is how people know a client, by the value of --client or by the name it gives itself.
func ClientTitle(client string) string { return ClientOf(client).Title }
