package clientconfig

import (
	"flag"
	"fmt"
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

func TestALongTextIsCutAndAnOddEntryIsDots(t *testing.T) {
	long := strings.Repeat("long ", 100_000)
	raw := `{"mcpServers": {"a": {"command": "sh", "args": ["-c", "serve --token SEKRET1 --port 80", "` + long + `"]}, "b": "SEKRET2", "c": {"command": "x", "args": "--key SEKRET3"}}, "memory": "` + long + `"}`
	wrapped := mustWrap(t, raw, Format{}, Installation{Path: "/opt/sallyport/bin/sallyport", Client: ClaudeDesktop}, "a")
	diff, err := Diff("x", []byte(raw), wrapped.Raw, Format{})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(diff, "SEKRET") || len(diff) > 8*maxShownText || !strings.Contains(diff, "lo… (500000 characters)") || !strings.Contains(diff, "--token •••• --port 80") {
		t.Errorf("%d characters: %.2000s", len(diff), diff)
	}
}

// A large file is searched for secrets only where it changes, so nothing else of it may be shown.
func TestOnlyTheLinesAroundAChangeAreShown(t *testing.T) {
	var raw strings.Builder
	raw.WriteString("{\n\"history\": [\n")
	for range 30_000 {
		raw.WriteString("  {\"said\": \"SEKRET\"},\n  {},\n")
	}
	raw.WriteString("  1,\n  2,\n  3\n],\n\"mcpServers\": {\"a\": {\"command\": \"x\"}},\n\"4\": 4,\n\"5\": 5,\n\"6\": 6,\n\"more\": [\n")
	for range 10_000 {
		raw.WriteString("  {\"said\": \"SEKRET\"},\n  {},\n")
	}
	raw.WriteString("  7\n]\n}\n")
	wrapped := mustWrap(t, raw.String(), Format{}, Installation{Path: "/p", Client: ClaudeDesktop})
	diff, err := Diff("x", []byte(raw.String()), wrapped.Raw, Format{})
	if err != nil {
		t.Fatal(err)
	}
	want := `--- x
+++ x
@@ -60004,7 +60004,7 @@
   2,
   3
 ],
-"mcpServers": {"a": {"command": "x"}},
+"mcpServers": {"a": {"command": "/p", "args": [ "wrap", "--name", "a", "--client", "claude-desktop", "--", "x" ]}},
 "4": 4,
 "5": 5,
 "6": 6,
`
	if diff != want {
		t.Errorf("got\n%.3000s", diff)
	}
}

func TestTheLineNumbersOfALaterHunkAreRight(t *testing.T) {
	entry := "\"%\": {\n\"command\": \"x\",\n\"args\": [\n\"1\",\n\"2\",\n\"3\",\n\"4\"\n]\n}"
	raw := "{\n\"mcpServers\": {\n" + strings.ReplaceAll(entry, "%", "a") + ",\n" + strings.ReplaceAll(entry, "%", "b") + ",\n" + strings.ReplaceAll(entry, "%", "c") + "\n}\n}\n"
	wrapped := mustWrap(t, raw, Format{}, Installation{Path: "/p", Client: ClaudeDesktop})
	diff, err := Diff("x", []byte(raw), wrapped.Raw, Format{})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(wrapped.Raw), "\n")
	hunks := 0
	at := 0
	for line := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(line, "@@"):
			if _, err := fmt.Sscanf(line[strings.Index(line, "+"):], "+%d", &at); err != nil {
				t.Fatal(err)
			}
			hunks++
		case strings.HasPrefix(line, "---"), strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "-"):
		default:
			if want := lines[at-1]; line[1:] != want+"\n" {
				t.Errorf("line %d is said to be %q and is %q", at, line[1:], want)
			}
			at++
		}
	}
	if hunks != 3 {
		t.Errorf("%d hunks:\n%s", hunks, diff)
	}
}
