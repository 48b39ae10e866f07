package clientconfig

import (
	"slices"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/address"
)

// Trips of entries with an address: at least one of each client that has them.
var (
	addressJSON = []trip{
		{"Claude Code's headers and queries", "claude-code", "{\n  \"n\": 1,\n  \"mcpServers\": {\n    \"a\": {\n      \"type\": \"http\",\n      \"url\": \"https://h.example/mcp\",\n      \"headers\": {\n        \"Authorization\": \"Bearer SEKRET\",\n        \"X-Two\": \"\\u0053EKRET\"\n      }\n    },\n    \"q\": {\"url\": \"https:\\/\\/h.example/?key=SEKRETSEKRET1234567890SEKRET\", \"type\": \"sse\"},\n    \"qh\": {\"url\":\"https://h.example/?a=b\",\"type\":\"http\",\"headers\":{\"X-A\":\"SEKRET\"},\"timeout\":5},\n    \"qe\": {\"headers\":{},\"type\":\"http\",\"url\":\"https://h.example/?a=b\",\"env\":{}},\n    \"ref\": {\"type\":\"http\",\"url\":\"${BASE:-https://h.example}/mcp\",\"headers\":{\"K\":\"${K}\"}},\n    \"loop\": {\"type\":\"http\",\"url\":\"http://127.0.0.1:3000/mcp\"},\n    \"--\": {\"type\":\"http\",\"url\":\"https://h.example/\",\"headers\":{\"A\":\"SEKRET\"}},\n    \"--url\": {\"type\":\"http\",\"url\":\"https://h.example/\"},\n    \"none\": {\"url\":\"https://h.example/\"},\n    \"odd\": {\"type\":\"ws\",\"url\":\"https://h.example/\"},\n    \"oauth\": {\"type\":\"http\",\"url\":\"https://h.example/\",\"oauth\":{\"clientId\":\"x\"}},\n    \"help\": {\"type\":\"http\",\"url\":\"https://h.example/\",\"headersHelper\":\"/bin/x\"},\n    \"cookie\": {\"type\":\"http\",\"url\":\"https://h.example/\",\"headers\":{\"cookie\":\"SEKRET\"}},\n    \"twice\": {\"type\":\"http\",\"url\":\"https://h.example/\",\"headers\":{\"a-b\":\"SEKRET\",\"A-B\":\"SEKRET\"}},\n    \"line\": {\"type\":\"http\",\"url\":\"https://h.example/\",\"headers\":{\"A\":\"SEKRET\\r\\nB: c\"}},\n    \"empty\": {\"type\":\"http\",\"url\":\"https://h.example/\",\"headers\":{\"A\":\"\"}},\n    \"number\": {\"type\":\"http\",\"url\":\"https://h.example/\",\"headers\":{\"A\":1}},\n    \"plain\": {\"type\":\"http\",\"url\":\"http://h.example/\"},\n    \"user\": {\"type\":\"http\",\"url\":\"https://me:SEKRET@h.example/\"},\n    \"hash\": {\"type\":\"http\",\"url\":\"https://h.example/#x\"},\n    \"env\": {\"type\":\"http\",\"url\":\"https://h.example/\",\"env\":{\"A\":\"SEKRET\"}},\n    \"args\": {\"type\":\"http\",\"url\":\"https://h.example/\",\"args\":[]}\n  }\n}\n",
			map[string]string{"none": "no type", "odd": "type is one", "oauth": "oauth", "help": "headersHelper", "cookie": "cookie", "twice": "twice", "line": "can't be sent", "empty": "empty", "number": "not plain text", "plain": "remote.plaintext", "user": "user name", "hash": "# part", "env": "variables of its own", "args": "arguments beside"}},
		{"comments around an address stay", "cursor", "{\r\n\t\"mcpServers\": {\r\n\t\t// mine\r\n\t\t\"a\": { /* one */ \"url\" /* two */ : /* three */ \"https://h.example/sse\" /* four */, // five\r\n\t\t\t\"headers\" /* six */ : { // seven\r\n\t\t\t\t\"X-A\": \"SEKRET\", // eight\r\n\t\t\t\t/* nine */ \"X-B\": \"SEKRET\",\r\n\t\t\t}, // ten\r\n\t\t},\r\n\t\t\"b\": {\"type\": \"streamableHttp\", \"url\": \"https://h.example/?q\",},\r\n\t}\r\n}", nil},
		{"Gemini's two addresses mean two transports", "gemini-cli", "{\n  \"mcpServers\": {\n    \"h\": {\"httpUrl\": \"https://h.example/mcp\", \"headers\": {\"Authorization\": \"Bearer $TOKEN\"}, \"timeout\": 5000}, // h\n    \"s\": {\"url\": \"https://h.example/sse\"},\n    \"k\": {\"url\": \"https://h.example/mcp\", \"type\": \"http\", \"trust\": true},\n    \"two\": {\"url\": \"https://h.example/a\", \"httpUrl\": \"https://h.example/b\"},\n    \"auth\": {\"httpUrl\": \"https://h.example/mcp\", \"authProviderType\": \"google_credentials\"}\n  }\n}",
			map[string]string{"two": "two addresses", "auth": "authProviderType"}},
		{"Antigravity's address", "antigravity", `{"mcpServers":{"a":{"serverUrl":"https://h.example/mcp/","headers":{"X-Goog-Api-Key":"SEKRET"},"disabled":false}}}`, nil},
		{"opencode's command is one list", "opencode", "{\n  \"mcp\": {\n    \"a\": {\n      \"type\": \"remote\", // far\n      \"url\": \"https://h.example/mcp?k=SEKRET\",\n      \"enabled\": true,\n      \"headers\": {\"Authorization\": \"Bearer {env:TOKEN}\"},\n    },\n    \"b\": {\"type\": \"remote\", \"url\": \"{env:URL}\"},\n    \"o\": {\"type\": \"remote\", \"url\": \"https://h.example/\", \"oauth\": {}},\n    \"off\": {\"type\": \"remote\", \"url\": \"https://h.example/\", \"oauth\": false}\n  }\n}", map[string]string{"o": "oauth", "off": "oauth"}},
		{"Visual Studio Code's inputs in an address", "vscode", "{\n\t\"servers\": {\n\t\t\"a\": {\n\t\t\t\"type\": \"http\",\n\t\t\t\"url\": \"https://${input:host}/mcp\",\n\t\t\t\"headers\": { \"Authorization\": \"Bearer ${input:key}\" }\n\t\t},\n\t\t\"b\": { \"url\": \"https://h.example/\" },\n\t\t\"c\": { \"type\": \"sse\", \"url\": \"https://h.example/\", \"dev\": {} }\n\t}\n}", map[string]string{"c": "dev"}},
		{"Insiders' address", "vscode-insiders", `{"servers":{"a":{"type":"sse","url":"https://h.example/"}}}`, nil},
		{"Windsurf's two members", "windsurf", `{"mcpServers":{"a":{"serverUrl":"https://h.example/","headers":{"A":"SEKRET"}},"b":{"url":"https://h.example/?x=${env:X}"}}}`, nil},
		{"Windsurf for JetBrains' address", "windsurf-jetbrains", "\xef\xbb\xbf{\"mcpServers\":{\"a\":{\"serverUrl\":\"https://h.example/\"}}}", nil},
		{"Cline's kinds", "cline", `{"mcpServers":{"a":{"type":"streamableHttp","url":"https://h.example/","disabled":false,"autoApprove":[]},"b":{"url":"https://h.example/sse"},"c":{"type":"sse","url":"https://h.example/","headers":{"A":"SEKRET"}},"off":{"url":"https://h.example/","disabled":true},"d":{"type":"stdio","url":"https://h.example/"}}}`, map[string]string{"off": "disabled", "d": "type is one"}},
		{"Roo Code's kinds", "roo-code", `{"mcpServers":{"a":{"type":"streamable-http","url":"https://h.example/?a=b","alwaysAllow":[]},"b":{"url":"https://h.example/"}}}`, map[string]string{"b": "no type"}},
		{"Zed's address", "zed", "{\n  \"context_servers\": {\n    \"a\": {\n      // far\n      \"url\": \"https://h.example/mcp\",\n      \"headers\": {},\n    },\n    \"b\": {\"source\": \"custom\", \"url\": \"https://h.example/mcp\", \"headers\": {\"A\": \"SEKRET\"}},\n  },\n}", nil},
		{"LM Studio's address", "lm-studio", `{ "mcpServers": { "a": { "url": "https://h.example/mcp", "headers": { "Authorization": "Bearer SEKRET" } } } }`, nil},
		{"Kiro's address", "kiro", `{"mcpServers":{"a":{"url":"https://h.example/mcp","headers":{"Authorization":"Bearer ${TOKEN}"},"autoApprove":["x"]}}}`, nil},
		{"Copilot's kinds", "copilot-cli", `{"mcpServers":{"a":{"type":"http","url":"https://h.example/mcp","headers":{"A":"SEKRET"},"tools":["*"]},"b":{"type":"sse","url":"https://h.example/mcp","tools":[]}}}`, nil},
		{"Amp's address", "amp", "{\n  \"amp.mcpServers\": {\n    \"a\": {\"url\": \"https://h.example/mcp\", \"headers\": {\"Authorization\": \"Bearer ${T}\"}}\n  }\n}", nil},
		{"Claude Desktop reads no address from its file", "claude-desktop", `{"mcpServers":{"a":{"url":"https://h.example/"},"b":{"command":"x"}}}`, map[string]string{"a": "--add"}},
	}
	addressTOML = []trip{
		{"Codex's tables with an address", "codex", "# mine\n[mcp_servers.a] # one\n# before\nurl = \"https://h.example/mcp\" # why\n# between\nbearer_token_env_var = \"TOKEN\" # which\nenabled = true\n\n[mcp_servers.h]\nurl = 'https://h.example/?q=SEKRET'\nstartup_timeout_sec = 1_0\n\n[mcp_servers.h.http_headers] # all\nX-A = \"SEKRET\" # a\n\"X-B\" = 'SEKRET'\n\n[mcp_servers.e]\nurl = \"https://h.example/\"\nenv_http_headers = { X-A = \"A\", \"X-B\" = 'B' }\n\n[mcp_servers.q]\nurl = \"https://h.example/?a=b\"\n\n[tui]\nx = true\n", nil},
		{"Codex's tables with CRLF and no final newline", "codex", "[mcp_servers.a]\r\nurl = \"https://h.example/?x\"\r\nhttp_headers = { \"A\" = \"SEKRET\", B = 'SEKRET' }\r\n\r\n[mcp_servers.b]\r\n\turl = 'http://localhost:1/'\r\n# end", nil},
		{"Codex's addresses in inline tables", "codex", "\xef\xbb\xbfmcp_servers = {a = {url=\"https://h.example/\",http_headers={A='SEKRET'}}, b = { enabled = true , url = 'https://h.example/?q' } , c = { url = \"https://h.example/\", bearer_token_env_var = \"T\" }}", nil},
		{"Codex's addresses in dotted keys", "codex", "mcp_servers.a.url = \"https://h.example/\"\nmcp_servers.a.http_headers.A = \"SEKRET\"\nmcp_servers.b.url = \"https://h.example/?q\" # no headers\n[x]\n", nil},
		{"Codex's dotted keys below a table", "codex", "[mcp_servers]\n  a.url = \"https://h.example/?a\"\n  a.bearer_token_env_var = \"T\"\n  b = { url = \"https://h.example/\" }\n", nil},
		{"what Codex's addresses can't take with them is named", "codex", "[mcp_servers.both]\nurl = \"https://h.example/\"\nbearer_token_env_var = \"T\"\nenv_http_headers = { A = \"B\" }\n[mcp_servers.passed]\nurl = \"https://h.example/\"\nbearer_token_env_var = \"T\"\nenv_vars = [\"X\"]\n[mcp_servers.table]\nurl = \"https://h.example/\"\n[mcp_servers.table.env_http_headers]\nA = \"B\"\n[mcp_servers.scopes]\nurl = \"https://h.example/\"\nscopes = [\"x\"]\n[mcp_servers.twice]\nurl = \"https://h.example/\"\nbearer_token_env_var = \"T\"\nhttp_headers = { authorization = \"SEKRET\" }\n[mcp_servers.far]\nurl = \"http://h.example/\"\n[mcp_servers.ok]\nurl = \"https://h.example/\"\n",
			map[string]string{"both": "two of", "passed": "two of", "table": "between braces", "scopes": "scopes", "twice": "twice", "far": "remote.plaintext"}},
		{"Vibe's addresses are in a list of tables", "mistral-vibe", "[[mcp_servers]]\nname = \"a\"\ntransport = \"http\" # how\nurl = \"https://h.example/mcp\"\nheaders = { \"X-A\" = \"SEKRET\" }\n\n[[mcp_servers]]\nname = \"b\"\ntransport = \"streamable-http\"\nurl = \"https://h.example/mcp\"\n[mcp_servers.headers]\nA = \"SEKRET\"\n\n[[mcp_servers]]\nname = \"k\"\ntransport = \"http\"\nurl = \"https://h.example/mcp\"\napi_key_env = \"K\"\n", map[string]string{"k": "api_key_env"}},
	}
	addressYAML = []trip{
		{"Goose's blocks with an address", "goose", "# mine\nextensions: # all\n  a: # one\n    enabled: true\n    type: streamable_http # how\n    # before\n    uri: https://h.example/mcp # where\n    envs: {} # none\n    env_keys: []\n    # between\n    headers: # two\n      # first\n      Authorization: Bearer SEKRET # secret\n      \"X-B\": 'SEKRET'\n    timeout: 300\n  q:\n    type: sse\n    uri: https://h.example/?a=b,c\n    headers: {}\n  r:\n    type: streamable_http\n    uri: \"https://h.example/?k=SEKRET\"\n  s:\n    uri: https://h.example/?q\n    type: sse\n    headers:\n      A: SEKRET\n  v:\n    type: streamable_http\n    uri: https://h.example/\n    headers: {A: \"Bearer ${K}\"}\n  w:\n    type: streamable_http\n    uri: https://h.example/\n    envs: {K: SEKRET}\n", map[string]string{"v": "refers to a variable", "w": "variables of its own"}},
		{"Goose's flow style with an address", "goose", "extensions: {a: {type: streamable_http, uri: 'https://h.example/', headers: {A: SEKRET, 'B': \"SEKRET\"}}, b: {uri: \"https://h.example/?q\", type: sse}, c: {type: sse, uri: https://h.example/?q, headers: { A: SEKRET }}}", nil},
		{"Goose's CRLF and no final newline with an address", "goose", "extensions:\r\n  a:\r\n    uri: https://h.example/?x\r\n    type: sse", nil},
		{"what YAML reads elsewhere is left in an address too", "goose", "x: &h {A: SEKRET}\nextensions:\n  a:\n    type: sse\n    uri: https://h.example/\n    headers: *h\n  b:\n    type: &t sse\n    uri: https://h.example/\n  c:\n    type: sse\n    uri: >-\n      https://h.example/\n  d:\n    type: sse\n    uri: https://h.example/\n    headers:\n      A: *x\n  ok: {type: sse, uri: \"https://h.example/\"}\n", map[string]string{"a": "headers", "b": "anchor", "c": "several lines", "d": "plain text"}},
		{"Continue's addresses are in a list", "continue", "mcpServers:\n  # first\n  - name: a\n    type: streamable-http\n    url: https://h.example/\n    headers:\n      A: SEKRET\n  - url: https://h.example/?q # none\n    name: b\n  -   name: \"c d\"\n      url: \"https://h.example/\"\n      requestOptions: {headers: {A: SEKRET}}\n  - {name: f, url: \"https://h.example/\", type: sse}\n", map[string]string{"c d": "requestOptions"}},
	}
)

func TestEntriesWithAnAddressComeBackByteForByte(t *testing.T) {
	covered := map[string]bool{}
	for _, c := range slices.Concat(addressJSON, addressTOML, addressYAML) {
		covered[c.client] = true
		t.Run(c.name, func(t *testing.T) {
			if wrapped := checkTrip(t, c); strings.Contains(argumentsIn(t, wrapped, c.client), "SEKRET") {
				t.Errorf("a secret is among the arguments:\n%s", wrapped)
			}
		})
	}
	for _, row := range Rows() {
		if !covered[row.ID] && row.Format.spelling().headers != "" {
			t.Errorf("no entry of %s is tried", row.ID)
		}
	}
}

// An account that a person adds to the arguments of a wrapper has no place in an entry of the client. The rest is as it was before.
func TestAnAddressWhoseWrapperGotAnAccountComesBackByteForByte(t *testing.T) {
	spelled := []trip{
		{"an address in an odd spelling", "claude-code", `{"mcpServers":{"a":{"type":"http","\u0075rl" : "https:\/\/h.example\/mcp"}}}`, nil},
		{"keys and addresses in quotes of their own", "codex", "[mcp_servers.a]\n\"url\" = 'https://h.example/mcp' # why\n[mcp_servers]\nb = { 'url' = 'https://h.example/' }\n", nil},
		{"plain and quoted addresses", "goose", "extensions:\n  a:\n    type: sse\n    'uri': 'https://h.example/' # where\n  b: {type: sse, \"uri\": https://h.example/}\n", nil},
	}
	for _, c := range slices.Concat(addressJSON, addressTOML, addressYAML, spelled) {
		if FormatOf(c.client).spelling().headers == "" {
			continue // its file takes no address
		}
		t.Run(c.name, func(t *testing.T) {
			by := installed(t)
			by.Client = c.client
			format := FormatOf(c.client)
			wrapped := mustWrap(t, c.raw, format, by)
			ours := quote("--client") + ", " + quote(c.client) + ", "
			with := strings.ReplaceAll(string(wrapped.Raw), ours, ours+quote("--account")+", "+quote("work")+", ")
			if with == string(wrapped.Raw) {
				t.Fatalf("no place for an account in\n%s", with)
			}
			for _, e := range mustParse(t, with, format).Entries {
				if a, ok := e.wraps(); ok && a.Account != "work" {
					t.Errorf("%q has the account %q", e.Name, a.Account)
				}
			}
			if got := mustUnwrap(t, []byte(with), format, by, wrapped.Records); got != c.raw {
				t.Errorf("it comes back as\n%s\nwas\n%s", got, c.raw)
			}
		})
	}
}

// argumentsIn are all arguments of a file's wrapped entries.
func argumentsIn(t *testing.T, raw, client string) string {
	var all []string
	for _, e := range mustParse(t, raw, FormatOf(client)).Entries {
		if _, ok := e.wraps(); ok {
			all = append(all, e.Args...)
		}
	}
	return strings.Join(all, "\n")
}

func TestAnAddressBecomesTheEntryThatTheWrapperReads(t *testing.T) {
	by := installed(t)
	by.Client = ClaudeCode
	const raw = `{"mcpServers":{"r":{"type":"http","url":"https://h.example/mcp","headers":{"Authorization":"Bearer x"},"timeout":5}}}`
	got := mustWrap(t, raw, FormatOf(ClaudeCode), by)
	want := `{"mcpServers":{"r":{"type":"stdio","command":` + quote(by.Path) + `,"args": ["wrap", "--name", "r", "--client", "claude-code", "--url", "https://h.example/mcp", "--transport", "http", "--header", "Authorization: env:MCP_HEADER_1"],"env":{"MCP_HEADER_1":"Bearer x"},"timeout":5}}}`
	if string(got.Raw) != want {
		t.Errorf("it is\n%s\nwant\n%s", got.Raw, want)
	}
	by.Plaintext = true
	if got := mustWrap(t, strings.Replace(raw, "https:", "http:", 1), FormatOf(ClaudeCode), by); !got.Changed {
		t.Error("http is left although it is allowed")
	}
}

// What wrap starts with must be known for what it is, or the entry can't be shown, and its wrapper not be taken out.
func TestAHeaderOfAnEntryIsReadAsTheWrapperReadsIt(t *testing.T) {
	for text, taken := range map[string]bool{
		"X-A: env:B": true, "X-A:env:B": true, "X-A:  Bearer   keychain:B": true, " x-a : env:B": true,
		"X-A: B": false, "Host: env:B": false, "X-A: B\u00e9arer env:B": false, "X-A env:B": false,
	} {
		e := Entry{Args: []string{"wrap", "--url", "https://h.example/", "--header", text}}
		a, ok := e.wraps()
		if ok != taken || ok && (len(a.Headers) != 1 || a.Headers[0].Key != "B") {
			t.Errorf("%q: %t, %v", text, ok, a.Headers)
		}
		if _, err := AddressOf("https://h.example/", "auto", []string{text}, ""); (err == nil) != taken {
			t.Errorf("%q: --add says %v", text, err)
		}
		if _, err := address.ParseHeader(text); (err == nil) != taken {
			t.Errorf("%q: wrap says %v", text, err)
		}
	}
}

// A client that writes its file anew keeps the meaning, and nothing else.
func TestAnAddressComesBackFromAFileThatWasRewritten(t *testing.T) {
	for name, c := range map[string]struct{ client, now, want string }{
		"members sorted":                 {"claude-code", `{"mcpServers":{"r":{"args":["wrap","--name","r","--client","claude-code","--url","env:MCP_URL","--transport","sse","--header","X-A: env:MCP_HEADER_1"],"command":"PATH","env":{"MCP_HEADER_1":"x","MCP_URL":"https://h.example/?q"},"type":"stdio"}}}`, `{"mcpServers":{"r":{"url":"https://h.example/?q","headers":{"X-A":"x"},"type":"sse"}}}`},
		"the address alone in the env":   {"claude-code", `{"mcpServers":{"r":{"args":["wrap","--name","r","--client","claude-code","--url","env:MCP_URL","--transport","http"],"command":"PATH","env":{"MCP_URL":"https://h.example/?q"},"type":"stdio"}}}`, `{"mcpServers":{"r":{"url":"https://h.example/?q","type":"http"}}}`},
		"Goose's lists on several lines": {"goose", "extensions:\n  r:\n    type: stdio\n    cmd: PATH\n    args:\n    - wrap\n    - --name\n    - r\n    - --client\n    - goose\n    - --url\n    - https://h.example/\n    - --transport\n    - http\n    - --header\n    - 'X-A: env:MCP_HEADER_1'\n    envs:\n      MCP_HEADER_1: x\n    timeout: 3\n", "extensions:\n  r:\n    type: streamable_http\n    uri: \"https://h.example/\"\n    headers:\n      X-A: x\n    timeout: 3\n"},
	} {
		t.Run(name, func(t *testing.T) {
			by := installed(t)
			by.Client = c.client
			now := strings.ReplaceAll(c.now, "PATH", by.Path)
			if got := mustUnwrap(t, []byte(now), FormatOf(c.client), by, nil); got != c.want {
				t.Errorf("it is\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestAWrapperWhoseAddressHasNoPlaceInTheFileIsLeftAndSaid(t *testing.T) {
	for name, c := range map[string]struct{ client, args, env, said string }{
		"a client without addresses": {"claude-desktop", `"--url","https://h.example/"`, `{}`, "takes no address"},
		"a variable of its own":      {"claude-code", `"--url","https://h.example/","--transport","http"`, `{"HTTPS_PROXY":"x"}`, "HTTPS_PROXY"},
		"a header from the keychain": {"claude-code", `"--url","https://h.example/","--transport","http","--header","A: keychain:K"`, `{}`, "header A"},
		"a variable nobody sets":     {"claude-code", `"--url","env:MCP_URL","--transport","http"`, `{}`, "nowhere"},
	} {
		t.Run(name, func(t *testing.T) {
			by := installed(t)
			by.Client = c.client
			raw := `{"mcpServers":{"r":{"type":"stdio","command":` + quote(by.Path) + `,"args":["wrap","--name","r","--client","` + c.client + `",` + c.args + `],"env":` + c.env + `}}}`
			if k := Classify(mustParse(t, raw, FormatOf(c.client)).Entries[0], by, nil); k.Kind != Wrapped {
				t.Errorf("it is %s", k)
			}
			result, err := Unwrap([]byte(raw), FormatOf(c.client), nil, by, nil)
			if err != nil || result.Changed || result.Outcomes[0].Did != DidLeave || !strings.Contains(result.Outcomes[0].Why, c.said) {
				t.Errorf("%v, %+v", err, result.Outcomes)
			}
		})
	}
}

func TestAChangedAddressBehindAWrapperIsNoticedAndPutBack(t *testing.T) {
	by := installed(t)
	by.Client = ClaudeCode
	format := FormatOf(ClaudeCode)
	const raw = `{"mcpServers":{"r":{"type":"http","url":"https://h.example/?k=1","headers":{"A":"x"}},"s":{"type":"http","url":"https://s.example/"}}}`
	wrapped := mustWrap(t, raw, format, by)
	file := string(wrapped.Raw)
	wanted := mustParse(t, file, format).Snapshot(by, wrapped.Records)
	for name, c := range map[string]struct{ now, said, back string }{
		"another address in the variable":        {strings.Replace(file, "?k=1", "?k=2", 1), `changed_entry "r" url`, file},
		"another address among the arguments":    {strings.Replace(file, "https://s.example/", "https://t.example/", 1), `changed_entry "s" args`, file},
		"another value of a header":              {strings.Replace(file, `"A":"x"`, `"A":"y"`, 1), "", ""},
		"the wrapper taken out":                  {raw, `lost_wrapper "r" command, args, env, lost_wrapper "s" command, args, url`, file},
		"another address without a wrapper":      {strings.Replace(raw, "s.example", "t.example", 1), `lost_wrapper "r" command, args, env, lost_wrapper "s" command, args, url`, strings.Replace(file, "s.example", "t.example", 1)},
		"a flag slipped in":                      {strings.Replace(file, `"--transport", "http"]`, `"--header", "B: env:HOME", "--transport", "http"]`, 1), `false_wrapper "s" args`, file},
		"a command beside the wrapper's address": {strings.Replace(raw, `"url":"https://s.example/"`, `"command":7`, 1), `lost_wrapper "r" command, args, env, lost_wrapper "s" command, args`, ""},
		"a new one":                              {strings.Replace(file, `"mcpServers":{`, `"mcpServers":{"n":{"type":"sse","url":"https://n.example/"},`, 1), `new_entry "n"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			now := mustParse(t, c.now, format)
			changes := Compare(wanted, now, by, wrapped.Records)
			var said []string
			for _, change := range changes {
				said = append(said, change.String())
			}
			if got := strings.Join(said, ", "); got != c.said {
				t.Errorf("it says %q, want %q", got, c.said)
			}
			back, err := PutBack(now, wanted, changes, by, wrapped.Records)
			if err != nil {
				t.Fatal(err)
			}
			if c.back != "" && string(back.Raw) != c.back {
				t.Errorf("it is\n%s\nwant\n%s", back.Raw, c.back)
			}
			for _, e := range mustParse(t, string(back.Raw), format).Entries {
				if k := Classify(e, by, nil); k.Kind != Wrapped {
					t.Errorf("%q is %s in\n%s", e.Name, k, back.Raw)
				}
			}
		})
	}
}
