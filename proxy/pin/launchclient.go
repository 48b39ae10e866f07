package pin

import (
	"slices"
	"strings"
)

// launchClient describes how a client starts servers.
type launchClient struct {
	// sets are variables that the client sets for all its children: names, or prefixes before a *. They say nothing about a server,
	// whatever their value.
	sets []string
	// gives are those whose value is known before a start, for a look at a server that this client will start. {folder} is the server's
	// folder.
	gives []string
	// project means that the client starts servers in the folder it was opened in, so the folder says nothing about a server.
	project bool
}

// knownClients is data, by the value of --client. An unlisted client sets nothing and has one folder.
func knownClients(client string) launchClient {
	switch client {
	case "claude-code":
		return launchClient{
			sets:    []string{"AI_AGENT", "CLAUDECODE", "CLAUDE_CODE_*", "CLAUDE_PROJECT_DIR", "COREPACK_ENABLE_AUTO_PIN", "NoDefaultCurrentDirectoryInExePath"},
			gives:   []string{"CLAUDECODE=1", "CLAUDE_CODE_ENTRYPOINT=cli", "CLAUDE_PROJECT_DIR={folder}", "COREPACK_ENABLE_AUTO_PIN=0", "NoDefaultCurrentDirectoryInExePath=1"},
			project: true,
		}
	case "opencode":
		return launchClient{sets: []string{"AGENT", "OPENCODE", "OPENCODE_PID"}, gives: []string{"AGENT=1", "OPENCODE=1"}, project: true}
	case "gemini-cli":
		return launchClient{sets: []string{"GEMINI_CLI*"}, gives: []string{"GEMINI_CLI=1", "GEMINI_CLI_NO_RELAUNCH=true"}, project: true}
	case "codex", "cursor", "windsurf", "vscode", "zed", "mcp-inspector":
		return launchClient{project: true}
	}
	return launchClient{}
}

// ClientSets reports whether a client sets a variable for all its children. Under any other client the same name counts.
func ClientSets(client, name string) bool {
	return slices.ContainsFunc(knownClients(client).sets, func(set string) bool {
		if beginning, ok := strings.CutSuffix(set, "*"); ok {
			return strings.HasPrefix(name, beginning)
		}
		return name == set
	})
}

// ClientGives returns variables, as NAME=VALUE, that a client adds to the environment of a server in a folder.
func ClientGives(client, folder string) []string {
	var gives []string
	for _, variable := range knownClients(client).gives {
		gives = append(gives, strings.Replace(variable, "{folder}", folder, 1))
	}
	return gives
}

// StartsInProject reports whether a client starts servers in the folder it was opened in. Others use one folder for all.
func StartsInProject(client string) bool { return knownClients(client).project }
