package clientconfig

import (
	"slices"
	"strings"
	"testing"
)

// A trip is a client's file whose entries are wrapped and unwrapped again.
type trip struct {
	name   string
	client string
	raw    string
	left   map[string]string // entries that are left, and a part of the reason; every other entry is wrapped
}

// checkTrip wraps all entries of a file and unwraps them. wrapped is the file between.
func checkTrip(t *testing.T, c trip) (wrapped string) {
	t.Helper()
	by := installed(t)
	by.Client = c.client
	format := FormatOf(c.client)
	before := mustParse(t, c.raw, format)
	if len(before.Entries) == 0 {
		t.Fatal("the file has no entries")
	}
	result := mustWrap(t, c.raw, format, by)
	after := mustParse(t, string(result.Raw), format)
	for i, o := range result.Outcomes {
		why, left := c.left[o.Name]
		switch {
		case left && (o.Did != DidLeave || !strings.Contains(o.Why, why)):
			t.Errorf("%q is %s: %s", o.Name, o.Did, o.Why)
		case !left && o.Did != DidWrap:
			t.Errorf("%q is %s: %s", o.Name, o.Did, o.Why)
		case !left:
			was := before.Entries[i]
			want := append([]string{by.Path, "wrap", "--name", was.Server(), "--client", c.client, "--"}, was.Argv()...)
			if was.URL != "" {
				want = append([]string{by.Path, "wrap", "--name", was.Server(), "--client", c.client}, was.address.Flags()...)
				if was.Server() == "--" {
					want = append([]string{by.Path, "wrap", "--name=--", "--client", c.client}, was.address.Flags()...)
				}
				if class := Classify(after.Entries[i], by, FindRecord(result.Records, o.Name)); class.Address == nil || !class.Address.equal(was.address) || after.Entries[i].URL != "" {
					t.Errorf("%q leads to %#v in\n%s", o.Name, class.Address, result.Raw)
				}
			}
			if got := after.Entries[i].Argv(); !slices.Equal(got, want) {
				t.Errorf("%q runs %q, want %q", o.Name, got, want)
			}
			if k := Classify(after.Entries[i], by, nil); k.Kind != Wrapped {
				t.Errorf("%q is %s", o.Name, k)
			}
		}
	}
	if got := mustUnwrap(t, result.Raw, format, by, result.Records); got != c.raw {
		t.Errorf("with records it comes back as\n%s\nwas\n%s", got, c.raw)
	}
	bare := mustParse(t, mustUnwrap(t, result.Raw, format, by, nil), format)
	for i, e := range bare.Entries {
		was := before.Entries[i]
		if !slices.Equal(e.Argv(), was.Argv()) || e.Odd != was.Odd || e.left != was.left || !e.address.equal(was.address) {
			t.Errorf("without records %q runs %q, odd: %s%s, in\n%s", e.Name, e.Argv(), e.Odd, e.left, mustUnwrap(t, result.Raw, format, by, nil))
		}
	}
	twice, err := Wrap(result.Raw, format, nil, by, result.Records)
	if err != nil || twice.Changed {
		t.Errorf("wrapping twice changes the file: %v", err)
	}
	text, err := Diff("the file", []byte(c.raw), result.Raw, format)
	if err != nil || strings.Contains(text, "SEKRET") {
		t.Errorf("the preview is %v\n%s", err, text)
	}
	return string(result.Raw)
}

var jsonTrips = []trip{
	{"Claude Code's servers of single projects", "claude-code", "{\n  \"numStartups\": 3,\n  \"projects\": {\n    \"/home/ann/x\": {\n      \"allowedTools\": [],\n      \"mcpServers\": {\n        \"a\": {\"type\": \"stdio\", \"command\": \"npx\", \"args\": [\"-y\", \"x\"], \"env\": {\"K\": \"SEKRET\"}},\n        \"b\": {\"type\": \"http\", \"url\": \"https://h.example/?k=SEKRET\", \"headers\": {\"A\": \"SEKRET\"}}\n      }\n    },\n    \"/home/ann/y\": {\"mcpServers\": {\"a\": {\"command\": \"uvx\"}, \"c\": 7}},\n    \"/none\": {\"mcpServers\": {}}, \"/odd\": 7, \"/x)\": {\"mcpServers\": {\"a (/home/ann\": {\"command\": \"z\"}}}\n  },\n  \"mcpServers\": {\"a\": {\"command\": \"x\"}, \"a (/home/ann/y)\": {\"command\": \"w\"}}\n}\n",
		map[string]string{"c (/home/ann/y)": "a number, not an object"}},
	{"Gemini's settings keep their comments", "gemini-cli", "{\n  // theme\n  \"theme\": \"x\", /* y */\n  \"mcpServers\": {\n    \"a\": {\"command\": \"npx\", \"args\": [\"-y\", \"x\"], \"trust\": true,},\n    \"r\": {\"httpUrl\": \"https://h.example/mcp\"}, // remote\n  },\n}\n", nil},
	{"Antigravity's remote servers have a name of their own for the address", "antigravity", `{"mcpServers":{"a":{"command":"x","disabled":false},"off":{"command":"y","disabled":true},"r":{"serverUrl":"https://h.example/"}}}`, map[string]string{"off": "disabled"}},
	{"opencode has the command and its arguments in one list", "opencode", "{\n  \"$schema\": \"https://opencode.ai/config.json\",\n  \"mcp\": {\n    \"a\": {\n      \"type\": \"local\",\n      // how\n      \"command\": [\"npx\", /* quiet */ \"-y\", \"x\"],\n      \"environment\": {\"KEY\": \"SEKRET\"},\n    },\n    \"b\": {\"type\": \"local\", \"command\": [\n      \"uvx\",\n      \"y\"\n    ], \"enabled\": false},\n    \"r\": {\"type\": \"remote\", \"url\": \"https://h.example/\"},\n    \"t\": {\"type\": \"local\", \"command\": \"npx x\"},\n    \"n\": {\"command\": [\"x\"]},\n    \"e\": {\"type\": \"local\", \"command\": []},\n    \"s\": {\"type\": \"local\", \"command\": [\"x\"], \"args\": [\"y\"]}\n  }\n}",
		map[string]string{"t": "not a list", "n": "no type", "e": "begin", "s": "args"}},
	{"opencode has its servers one level deeper in a newer version", "opencode", `{"mcp":{"timeout":5,"servers":{"a":{"type":"local","command":["x"]}}}}`, nil},
	{"opencode has a server called servers", "opencode", `{"mcp":{"servers":{"type":"local","command":["x","--","y"]}}}`, nil},
	{"Visual Studio Code's inputs stay as spelled", "vscode", "{\r\n\t\"inputs\": [{\"id\": \"k\", \"type\": \"promptString\"}],\r\n\t\"servers\": {\r\n\t\t\"a\": {\"type\": \"stdio\", \"command\": \"${workspaceFolder}/x\", \"args\": [\"${input:k}\"], \"env\": {\"K\": \"SEKRET ${input:k}\"}},\r\n\t\t\"box\": {\"command\": \"x\", \"sandboxEnabled\": true},\r\n\t\t\"nobox\": {\"command\": \"x\", \"sandboxEnabled\": false},\r\n\t\t\"dev\": {\"command\": \"x\", \"dev\": {\"watch\": \"**\"}},\r\n\t\t\"r\": {\"type\": \"http\", \"url\": \"https://h.example/\"}\r\n\t}\r\n}", map[string]string{"box": "sandboxEnabled", "dev": "dev"}},
	{"Insiders has the same shape", "vscode-insiders", "\xef\xbb\xbf{\"servers\":{\"a\":{\"command\":\"x\"}}}", nil},
	{"Cursor's comments stay", "cursor", "// mine\n{\"mcpServers\": {\n  \"a\": { /* c */ \"command\": \"x\" /* d */, },\n}}", nil},
	{"Windsurf names its remote servers otherwise", "windsurf", `{"mcpServers":{"a":{"command":"x","args":[]},"r":{"serverUrl":"https://h.example/"}}}`, nil},
	{"Windsurf for JetBrains has the same shape", "windsurf-jetbrains", `{"mcpServers":{"a":{"command":"x"}}}`, nil},
	{"Cline's servers that are off stay off", "cline", `{"mcpServers":{"a":{"type":"stdio","command":"x","args":["y"],"disabled":false,"autoApprove":["t"]},"b":{"command":"x","disabled":true},"r":{"type":"streamableHttp","url":"https://h.example/"},"w":{"type":"sse","command":"x"}}}`, map[string]string{"b": "disabled", "w": "type other than stdio"}},
	{"Roo Code has the same shape", "roo-code", `{"mcpServers":{"a":{"command":"x","args":["y"],"cwd":"/w"},"r":{"type":"streamable-http","url":"https://h.example/"}}}`, nil},
	{"Zed's command may be an object", "zed", "// Zed\n{\n  \"context_servers\": {\n    \"a\": {\"source\": \"custom\", \"command\": \"x\", \"args\": [\"y\"], \"env\": {}},\n    \"b\": {\n      \"command\": {\n        \"path\": \"node\",\n        \"args\": [\"server.js\"], // where\n        \"env\": {\"K\": \"SEKRET\"},\n      },\n      \"settings\": {},\n    },\n    \"c\": {\"command\": {\"path\": \"x\"}},\n    \"d\": {\"command\": {\"path\": \"x\", \"shell\": \"sh\"}},\n    \"two\": {\"command\": {\"path\": \"x\", \"args\": []}, \"args\": [\"y\"]},\n    \"ext\": {\"source\": \"extension\", \"settings\": {}},\n    \"r\": {\"url\": \"https://h.example/\"},\n  },\n}\n",
		map[string]string{"d": "shell", "two": "two places", "ext": "no command"}},
	{"Zed writes an empty env as null", "zed", `{"context_servers":{"a":{"command":{"path":"x","args":["y"],"env":null}}}}`, nil},
	{"LM Studio has Claude's shape", "lm-studio", `{"mcpServers":{"a":{"command":"x","args":["y"]},"r":{"url":"https://h.example/"}}}`, nil},
	{"Kiro's servers can be off", "kiro", `{"mcpServers":{"a":{"command":"x","disabled":true},"b":{"command":"x","args":["y"],"autoApprove":[]}}}`, map[string]string{"a": "disabled"}},
	{"Copilot's local servers have a type of their own", "copilot-cli", `{"mcpServers":{"a":{"type":"local","command":"x","args":["y"],"tools":["*"]},"r":{"type":"http","url":"https://h.example/","tools":["*"]},"w":{"type":"http","command":"x"}}}`, map[string]string{"w": "local or stdio"}},
	{"Amp's servers are under one key with a dot", "amp", "{\n  \"amp.mcpServers\": { // all\n    \"a\": {\"command\": \"x\", \"args\": [\"y\"]},\n    \"r\": {\"url\": \"https://h.example/\"}\n  },\n  \"amp\": {\"mcpServers\": {\"b\": {\"command\": \"z\"}}}\n}", nil},
}

func TestJSONFilesOfEveryClientComeBackByteForByte(t *testing.T) {
	for _, c := range jsonTrips {
		t.Run(c.name, func(t *testing.T) { checkTrip(t, c) })
	}
}

func TestAFileWithServersInTwoPlacesIsOfAnUnknownShape(t *testing.T) {
	const raw = `{"mcp":{"a":{"type":"local","command":["x"]},"servers":{"b":{"type":"local","command":["y"]}}}}`
	if _, err := Parse([]byte(raw), FormatOf("opencode")); err == nil || !strings.Contains(err.Error(), "doesn't know") {
		t.Errorf("it is read: %v", err)
	}
}

func TestALostWrapperOfAnyShapeIsPutBack(t *testing.T) {
	for _, c := range jsonTrips {
		t.Run(c.name, func(t *testing.T) {
			by := installed(t)
			by.Client = c.client
			format := FormatOf(c.client)
			wrapped := mustWrap(t, c.raw, format, by)
			wanted := mustParse(t, string(wrapped.Raw), format).Snapshot(by, wrapped.Records)
			now := mustParse(t, c.raw, format)
			back, err := PutBack(now, wanted, Compare(wanted, now, by, wrapped.Records), by, wrapped.Records)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range mustParse(t, string(back.Raw), format).Entries {
				if kept, _ := wanted.Entry(e.Name); kept.Guarded && Classify(e, by, nil).Kind != Wrapped {
					t.Errorf("%q is not guarded in\n%s", e.Name, back.Raw)
				}
			}
		})
	}
}
