package pin

import (
	"slices"
	"strings"
)

// launchClient is what is known of a client and how it starts servers.
type launchClient struct {
	// sets are the variables that the client sets for all of its children: names, or the beginning of names before a *. They
	// say nothing of a server, whatever they hold.
	sets []string
	// gives are those of them whose value is known before a start, for a look at a server that this client will start.
	// {folder} stands for the folder of the server.
	gives []string
	// project says that it starts servers in the folder it was opened in, so that the folder says nothing of a server.
	project bool
}

// knownClients is data, by the value of --client. A client that is not listed sets nothing and has one folder.
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

// ClientSets says that a client sets a variable for all of its children. Under any other client the same name counts.
func ClientSets(client, name string) bool {
	return slices.ContainsFunc(knownClients(client).sets, func(set string) bool {
		if beginning, ok := strings.CutSuffix(set, "*"); ok {
			return strings.HasPrefix(name, beginning)
		}
		return name == set
	})
}

// ClientGives are variables, as NAME=VALUE, that a client is known to add to the environment of a server in a folder.
func ClientGives(client, folder string) []string {
	var gives []string
	for _, variable := range knownClients(client).gives {
		gives = append(gives, strings.Replace(variable, "{folder}", folder, 1))
	}
	return gives
}

// StartsInProject says that a client starts servers in the folder it was opened in. Others have one folder for all.
func StartsInProject(client string) bool { return knownClients(client).project }
