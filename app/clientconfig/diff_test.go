package clientconfig

import (
	"flag"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestTheDiffShowsTheEditAndNoSecret(t *testing.T) {
	raw := "\xef\xbb\xbf{\r\n  \"apiKey\": \"SEKRET0\",\r\n  \"mcpServers\": {\r\n    \"a\": {\r\n      \"command\": \"npx\",\r\n      \"args\": [\"-y\", \"x\", \"--token\", \"SEKRET1\", \"--api-key=SEKRET2\", \"https://ann:SEKRET3@h.example/?access_token=SEKRET4\", \"ghp_SEKRET5aaaaaaaaaaaaaaaaaaaa\", \"-e\", \"DB_PASSWORD=SEKRET6\", \"/home/ann/notes\"],\r\n      \"env\": {\"K\": \"SEKRET7\", \"N\": 5555}\r\n    },\r\n    \"b\": {\"command\": \"y\", \"env\": {\"A\": [\"SEKRET8\"]}},\r\n    \"r\": {\"url\": \"https://h.example/mcp?key=SEKRET9\", \"headers\": {\"Authorization\": \"SEKRETa\"}}\r\n  },\r\n  \"other\": {\"password\": \"SEKRETb\", \"note\": \"Bearer SEKRETcccc\"}\r\n}\r\n"
	by := Installation{Path: "/opt/sallyport/bin/sallyport", Client: ClaudeDesktop}
	wrapped := mustWrap(t, raw, Format{}, by)
	diff, err := Diff("claude_desktop_config.json", []byte(raw), wrapped.Raw, Format{})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(diff, "SEKRET") || strings.Contains(diff, "5555") || strings.ContainsAny(diff, "\r\ufeff") {
		t.Error("a secret or a control character is shown")
	}
	golden := filepath.Join("testdata", "masked.diff")
	if *update {
		put(t, golden, diff)
	}
	if want := text(t, golden); diff != want {
		t.Errorf("got\n%s\nwant\n%s", diff, want)
	}
}

func TestNoChangeHasNoDiff(t *testing.T) {
	if diff, err := Diff("x", []byte(twoServers), []byte(twoServers), Format{}); err != nil || diff != "" {
		t.Errorf("%q, %v", diff, err)
	}
	if _, err := Diff("x", []byte("{"), []byte(twoServers), Format{}); err == nil {
		t.Error("what cannot be read cannot be masked, and was shown")
	}
}

func TestHonestArgumentsAreShown(t *testing.T) {
	args := []string{"-y", "@modelcontextprotocol/server-filesystem@2026.7.10", "/home/ann/Documents", "--port=8080", "--keyboard", "de", "run", "--rm", "-i",
		"ghcr.io/github/github-mcp-server:0.9.1", "--directory", `C:\Users\ann\AppData\Roaming\Thing1`, "https://h.example/mcp", "wrap", "--name", "token", "--client", "claude-desktop", "--"}
	if got := strings.Join(maskArgs(args), " "); got != strings.Join(args, " ") {
		t.Errorf("shown as %s", got)
	}
}
