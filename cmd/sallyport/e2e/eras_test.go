//go:build unix

package e2e

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Both eras of the protocol with real parts: a server that both SDKs serve, and their clients, which look for the modern era first ("auto"),
// or know the legacy one alone.

// driveTypeScript is the official TypeScript SDK's client in one of its modes.
func driveTypeScript(mode any) driver {
	return func(t *testing.T, argv, env []string, dir string, acts []act) []map[string]any {
		t.Helper()
		program := []string{nodeProgram(t), filepath.Join("testdata", "driver.mjs"), cache(t, "npm", "node_modules")}
		return drive(t, program, mode, argv, env, dir, acts)
	}
}

// nodeProgram is the node that came with the servers, else the machine's own.
func nodeProgram(t testing.TB) string {
	t.Helper()
	if bin := node(t); bin != "" {
		return filepath.Join(bin, "node")
	}
	return "node"
}

// testdata is the path of a file there for a program that works in another folder.
func testdata(t testing.TB, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// onTypeScript is the server of testdata on the TypeScript SDK.
func onTypeScript(args ...string) func(testing.TB, string) []string {
	return func(t testing.TB, _ string) []string {
		return append([]string{nodeProgram(t), testdata(t, "eras.mjs"), cache(t, "npm", "node_modules")}, args...)
	}
}

func onPython(t testing.TB, _ string) []string {
	return []string{cache(t, "venv", "bin", "python"), testdata(t, "eras.py")}
}

// everyKind is an act of each kind that the servers of testdata know, and two that fail.
func everyKind(string) []act {
	return []act{
		{Do: "list_tools"}, {Do: "list_prompts"}, {Do: "list_resources"}, {Do: "list_templates"},
		call("forecast", "city", "Bern"),
		call("ask"), // the server asks back before it responds
		call("forecast"),
		{Do: "prompt", Name: "plan", Args: map[string]any{"city": "Bern"}},
		{Do: "read", Name: "city://bern"},
		{Do: "read", Name: "none://bern"},
		{Do: "skills"}, // list, get and read, as the SDK's client of the extension checks them; the Python SDK has none
	}
}

// mark is a word in everything that the servers of testdata say by themselves.
const mark = "heliotrope"

const (
	newestLegacy = "2025-11-25"
	newestModern = "2026-07-28"
)

// eraClient is a client in a mode, with the version that it agrees on with a server of each kind. "" stands for none.
type eraClient struct {
	name              string
	run               driver
	both, modern, old string
}

var eraClients = []eraClient{
	{"TypeScript, auto", driveTypeScript("auto"), newestModern, newestModern, newestLegacy},
	{"TypeScript, legacy", driveTypeScript("legacy"), newestLegacy, "", newestLegacy},
	{"Python, auto", drivePython("auto"), newestModern, newestModern, newestLegacy},
}

// eraServer is a server with the eras that it speaks.
type eraServer struct {
	realServer
	legacy, modern bool
}

func (s eraServer) agrees(c eraClient) string {
	switch {
	case s.legacy && s.modern:
		return c.both
	case s.modern:
		return c.modern
	}
	return c.old
}

var eraServers = []eraServer{
	{realServer{name: "TypeScript", argv: onTypeScript("serve"), acts: everyKind}, true, true},
	{realServer{name: "TypeScript, modern alone", argv: onTypeScript("reject"), acts: everyKind}, false, true},
	{realServer{name: "Python", argv: onPython, acts: everyKind}, true, true},
	{realServer{name: "server-everything", argv: npm("mcp-server-everything"), acts: func(string) []act {
		return []act{{Do: "list_tools"}, {Do: "list_prompts"}, {Do: "list_templates"}, call("echo", "message", "<&> \u00e9"),
			call("get-structured-content", "location", "Chicago"), {Do: "prompt", Name: "simple-prompt"}, {Do: "read", Name: "demo://resource/static/document/features.md"},
			call("trigger-long-running-operation", "duration", 0.5, "steps", 1)} // meanwhile it asks for the client's roots, as it always does
	}}, true, false},
}

// Nothing is translated between the eras: what works without the wrapper works with it, in the same version and with the same results, and
// what doesn't fails with both sides' versions.
func TestTheErasCrossedAreTheSameBehindTheWrapper(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real servers and clients")
	}
	t.Parallel()
	for _, server := range eraServers {
		t.Run(server.name, func(t *testing.T) {
			t.Parallel()
			dir := folder(t)
			acts := server.acts(dir)
			argv := server.argv(t, dir)
			direct := map[string][]map[string]any{}
			for _, c := range eraClients {
				t.Run(c.name+", direct", func(t *testing.T) {
					direct[c.name] = c.run(t, argv, server.ground(t, dir), dir, acts)
					if got := agreed(direct[c.name]); got != server.agrees(c) {
						t.Fatalf("agreed on %q: %s", got, document(t, direct[c.name][0]))
					}
					skilled := strings.HasPrefix(c.name, "TypeScript") && strings.HasPrefix(server.name, "TypeScript") && server.agrees(c) != ""
					if all := document(t, direct[c.name]); skilled && !strings.Contains(all, mark+", with a brim") {
						t.Errorf("the client does not get the skill even directly: %s", all)
					}
				})
			}
			h := verbatim(t)
			wrapped := func(t *testing.T, c eraClient) []map[string]any {
				return c.run(t, append(h.wrap(), argv...), server.ground(t, dir, h.env()...), dir, acts)
			}
			for _, c := range eraClients {
				t.Run(c.name+", before the review", func(t *testing.T) {
					// On a busy machine a server that nobody knows may take longer to start than a probe waits (five seconds).
					got := wrapped(t, c)
					for again := 0; again < 2 && agreed(got) != server.agrees(c); again++ {
						t.Logf("agreed on %q, so it was too slow for the probe: once more", agreed(got))
						got = wrapped(t, c)
					}
					mute(t, got, server.agrees(c))
				})
			}
			wait(t, "all of the server is approved", func() bool { return h.approve() == 0 && h.server().State == "open" })
			for _, c := range eraClients {
				t.Run(c.name+", after it", func(t *testing.T) {
					got := wrapped(t, c)
					if server.agrees(c) == "" {
						incompatible(t, got, newestModern, newestLegacy)
						return
					}
					compareDocuments(t, direct[c.name], got, true)
				})
			}
			if items := h.inbox(); len(items) != 0 {
				t.Errorf("an unchanged server is in the inbox: %+v", items)
			}
		})
	}
}

// agreed is the version of a client's session, "" if there was none.
func agreed(docs []map[string]any) string {
	hello, _ := docs[0]["hello"].(map[string]any)
	version, _ := hello["protocol"].(string)
	return version
}

// mute checks what a client got of a server that nobody has reviewed: the version they agreed on, and nothing that the server says.
func mute(t *testing.T, docs []map[string]any, version string) {
	t.Helper()
	if got := agreed(docs); got != version {
		t.Fatalf("agreed on %q and not %q: %s", got, version, document(t, docs[0]))
	}
	for _, doc := range docs {
		if strings.Contains(document(t, doc), mark) {
			t.Errorf("the server's own words got through: %s", document(t, doc))
		}
		act, _ := doc["act"].(map[string]any)
		result, listed := doc["result"].(map[string]any)
		switch act["do"] {
		case "list_tools":
			takeOwnTools(t, doc)
			if left, _ := result["tools"].([]any); len(left) != 0 {
				t.Errorf("tools that nobody has read: %s", document(t, left))
			}
		case "call":
			if said := document(t, doc); !strings.Contains(said, "[Sallyport]") {
				t.Errorf("not refused: %s", said)
			}
		case "prompt", "read":
			if listed {
				t.Errorf("not refused: %s", document(t, doc))
			}
		}
		if asked, _ := doc["asked"].([]any); slices.ContainsFunc(asked, func(what any) bool { return strings.Contains(document(t, what), "message") }) {
			t.Errorf("the client was asked: %s", document(t, asked))
		}
	}
}

// incompatible checks how a client fails that has no version in common with its server: told by us, and told the versions of both sides.
func incompatible(t *testing.T, docs []map[string]any, supported, requested string) {
	t.Helper()
	failed, _ := docs[0]["failed"].(map[string]any)
	if failed == nil { // a client that asks for nothing before its first request
		failed, _ = docs[1]["whole"].(map[string]any)
	}
	message, _ := failed["message"].(string)
	for _, part := range []string{"[Sallyport]", "offers protocol versions " + supported + ";", "asked for " + requested, "SP-221"} {
		if !strings.Contains(message, part) {
			t.Errorf("no %q in %q", part, message)
		}
	}
	want := map[string]any{"supported": []any{supported}, "requested": requested}
	if failed["code"] != -32022.0 || document(t, failed["data"]) != document(t, want) {
		t.Errorf("the client was told %s", document(t, docs[0]))
	}
}
