//go:build unix

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// oddServer has one tool whose schemas are to be filled in, and two that are as they should be.
const oddServer = `{"tools":[{"name":"echo","description":"Says it again.","inputSchema":{"type":"object"}},{"name":"odd","description":"Says it oddly."%s},{"name":"add","description":"Adds.","inputSchema":{"type":"object"}}],
 "answers":{"echo":{"content":[{"type":"text","text":"again"}]},"odd":{"content":[{"type":"text","text":"oddly"}]},"add":{"content":[{"type":"text","text":"4"}]}}}`

// usedTools is what a client got of a server: its tools, and what each said, or why it got nothing.
type usedTools struct {
	Tools []string
	Texts map[string]string
	Error string
}

// official are the clients that the protocol's own project publishes.
var official = []struct {
	name string
	use  func(t *testing.T, argv, env []string, dir string) usedTools
}{
	{"the Python SDK", usePython},
	{"the TypeScript SDK", useTypeScript("sdk", "dist/esm/client/index.js", "dist/esm/client/stdio.js")},
	{"the TypeScript client", useTypeScript("client", "dist/index.mjs", "dist/stdio.mjs")},
}

func TestOneInputSchemaThatIsNoObjectCostsOfficialClientsNoTool(t *testing.T) {
	costsNoTool(t, `,"inputSchema":"an object"`, `,"inputSchema":null`, `,"inputSchema":[]`)
}

func TestOneMissingInputSchemaCostsOfficialClientsNoTool(t *testing.T) {
	costsNoTool(t, ``)
}

func TestOneOutputSchemaThatIsNoObjectCostsOfficialClientsNoTool(t *testing.T) {
	costsNoTool(t, `,"inputSchema":{"type":"object"},"outputSchema":"an object"`, `,"inputSchema":{"type":"object"},"outputSchema":[]`)
}

// costsNoTool has the official clients list and call all three tools of a server whose second one has these schemas.
func costsNoTool(t *testing.T, oddities ...string) {
	t.Helper()
	if testing.Short() {
		t.Skip("runs real clients")
	}
	t.Parallel()
	for _, c := range official {
		t.Run(c.name, func(t *testing.T) {
			for _, schema := range played(1, oddities) {
				dir := folder(t)
				server := script(t, dir, "server.json", fmt.Sprintf(oddServer, schema))
				if direct := c.use(t, server, nil, dir); direct.Error == "" {
					t.Errorf("%s: without Sallyport it lists %q", schema, direct.Tools) // then there is nothing to mend
				}
				h := install(t)
				wrapped := settle(h, func() usedTools { return c.use(t, append(h.wrap(), server...), h.env(), dir) })
				tools := slices.DeleteFunc(slices.Clone(wrapped.Tools), func(name string) bool { return slices.Contains(wrapperTools, name) })
				if wrapped.Error != "" || !slices.Equal(tools, []string{"echo", "odd", "add"}) {
					t.Fatalf("%s: it lists %q, %s", schema, tools, wrapped.Error)
				}
				for tool, said := range map[string]string{"echo": "again", "odd": "oddly", "add": "4"} {
					if wrapped.Texts[tool] != said {
						t.Errorf("%s: %s said %q", schema, tool, wrapped.Texts[tool])
					}
				}
			}
		})
	}
}

// Under strict, a real client calls a tool by the name it was given, and the server hears its own.
func TestOfficialClientsCallAToolByItsDeliveredName(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real clients")
	}
	t.Parallel()
	for _, c := range official {
		t.Run(c.name, func(t *testing.T) {
			dir := folder(t)
			server := script(t, dir, "server.json", `{"tools":[{"name":"weather\nand more","description":"Says it.","inputSchema":{"type":"object"},"outputSchema":{"type":"object"}}],
 "answers":{"weather\nand more":{"content":[{"type":"text","text":"sunny"}],"structuredContent":{}}}}`)
			h := install(t)
			if out, code := h.run("settings", "set", "sanitizer.profile", "strict"); code != 0 {
				t.Fatalf("settings: status %d: %s", code, out)
			}
			got := settle(h, func() usedTools { return c.use(t, append(h.wrap(), server...), h.env(), dir) })
			if got.Error != "" || !slices.Contains(got.Tools, "weather") || got.Texts["weather"] != "sunny" {
				t.Errorf("%+v", got)
			}
		})
	}
}

func usePython(t *testing.T, argv, env []string, dir string) (got usedTools) {
	t.Helper()
	listed := drivePython("legacy")(t, argv, env, dir, []act{{Do: "list_tools"}})[1]
	if got.Error, _ = listed["error"].(string); got.Error != "" {
		return got
	}
	var acts []act
	for _, tool := range listed["result"].(map[string]any)["tools"].([]any) {
		name := tool.(map[string]any)["name"].(string)
		got.Tools, acts = append(got.Tools, name), append(acts, call(name))
	}
	got.Texts = map[string]string{}
	for i, called := range drivePython("legacy")(t, argv, env, dir, acts)[1 : len(acts)+1] {
		if problem, _ := called["error"].(string); problem != "" {
			got.Error = problem
			return got
		}
		content, _ := called["result"].(map[string]any)["content"].([]any)
		got.Texts[got.Tools[i]], _ = content[0].(map[string]any)["text"].(string)
	}
	return got
}

func useTypeScript(module, client, stdio string) func(*testing.T, []string, []string, string) usedTools {
	return func(t *testing.T, argv, env []string, dir string) (got usedTools) {
		t.Helper()
		modules := cache(t, "npm", "node_modules", "@modelcontextprotocol", module)
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, "node", append([]string{filepath.Join("testdata", "sdk.mjs"), filepath.Join(modules, client), filepath.Join(modules, stdio)}, argv...)...)
		if newer := node(t); newer != "" {
			cmd.Path = filepath.Join(newer, "node")
		}
		cmd.Env = environment(env...)
		var said bytes.Buffer
		cmd.Stderr = &said
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("TypeScript client: %v\n%s", err, said.String())
		}
		if err := json.Unmarshal(bytes.TrimSpace(out), &got); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		got.Error, _, _ = strings.Cut(got.Error, "\n")
		return got
	}
}
