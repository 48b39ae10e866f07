//go:build survey

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The survey finds out whether servers that people use notice a shield: one session each, direct and behind a wrapper with
// `sandbox` = shield, compared in bytes. `make survey` installs them, runs it and writes the table of
// docs/sandbox.md. It is not part of `make test`: it installs some hundred megabytes.

// surveyed is a server, with what to ask it besides its listings. If a server wants a key, it gets an invented one to start with; calls that
// need the network are left out.
type surveyed struct {
	name string // package
	from string
	argv func(t testing.TB, dir string) []string
	env  []string
	call []act
	note string
}

func surveyNPM(name string, args ...string) func(testing.TB, string) []string {
	return func(t testing.TB, dir string) []string {
		return fill(append([]string{cache(t, "survey", "npm", "node_modules", ".bin", name)}, args...), dir)
	}
}

func surveyPyPI(venv, name string, args ...string) func(testing.TB, string) []string {
	return func(t testing.TB, dir string) []string {
		return fill(append([]string{cache(t, "survey", venv, "bin", name)}, args...), dir)
	}
}

func furtherServers() []surveyed {
	return []surveyed{
		{name: "@playwright/mcp", argv: surveyNPM("playwright-mcp", "--headless", "--isolated"), call: []act{call("browser_close")}, note: "no browser was started"},
		{name: "@upstash/context7-mcp", argv: surveyNPM("context7-mcp")},
		{name: "firecrawl-mcp", argv: surveyNPM("firecrawl-mcp"), env: []string{"FIRECRAWL_API_KEY=fc-none"}},
		{name: "tavily-mcp", argv: surveyNPM("tavily-mcp"), env: []string{"TAVILY_API_KEY=tvly-none"}},
		{name: "@notionhq/notion-mcp-server", argv: surveyNPM("notion-mcp-server"), env: []string{"NOTION_TOKEN=ntn_none"}},
		{name: "chrome-devtools-mcp", argv: surveyNPM("chrome-devtools-mcp", "--headless", "--isolated"), note: "no browser was started"},
		{name: "@wonderwhy-er/desktop-commander", argv: surveyNPM("desktop-commander"), call: []act{
			call("write_file", "path", "DIR/a.txt", "content", "one"), call("read_file", "path", "DIR/a.txt"), call("list_directory", "path", "DIR")}},
		{name: "@supabase/mcp-server-supabase", argv: surveyNPM("mcp-server-supabase", "--access-token", "sbp_none", "--features", "database,account")},
		{name: "mcp-server-kubernetes", argv: surveyNPM("mcp-server-kubernetes")},
		{name: "@brave/brave-search-mcp-server", argv: surveyNPM("brave-search-mcp-server", "--transport", "stdio"), env: []string{"BRAVE_API_KEY=none"}},
		{name: "figma-developer-mcp", argv: surveyNPM("figma-developer-mcp", "--stdio", "--figma-api-key=none")},
		{name: "@modelcontextprotocol/server-github", argv: surveyNPM("mcp-server-github"), env: []string{"GITHUB_PERSONAL_ACCESS_TOKEN=none"}},
		{name: "mcp-server-sqlite-npx", argv: surveyNPM("mcp-server-sqlite-npx", "DIR/data.db")},
		{name: "mcp-server-fetch", from: "PyPI", argv: surveyPyPI("mcp-server-fetch", "mcp-server-fetch")},
		{name: "mcp-server-sqlite", from: "PyPI", argv: surveyPyPI("mcp-server-sqlite", "mcp-server-sqlite", "--db-path", "DIR/data.db"), call: []act{
			call("create_table", "query", "CREATE TABLE t (a INTEGER)"), call("write_query", "query", "INSERT INTO t VALUES (1)"), call("read_query", "query", "SELECT * FROM t")}},
		{name: "duckduckgo-mcp-server", from: "PyPI", argv: surveyPyPI("duckduckgo-mcp-server", "duckduckgo-mcp-server")},
		{name: "arxiv-mcp-server", from: "PyPI", argv: surveyPyPI("arxiv-mcp-server", "arxiv-mcp-server", "--storage-path", "DIR/papers"), call: []act{call("list_papers")}},
		{name: "mcp-server-calculator", from: "PyPI", argv: surveyPyPI("mcp-server-calculator", "mcp-server-calculator"), call: []act{call("calculate", "expression", "6 * 7")}},
		{name: "markitdown-mcp", from: "PyPI", argv: surveyPyPI("markitdown-mcp", "markitdown-mcp"), call: []act{call("convert_to_markdown", "uri", "data:text/plain;base64,SGVsbG8=")}},
		{name: "mcp-text-editor", from: "PyPI", argv: surveyPyPI("mcp-text-editor", "mcp-text-editor"), call: []act{
			call("get_text_file_contents", "files", []any{map[string]any{"file_path": "DIR/none.txt", "ranges": []any{map[string]any{"start": 1}}}})}},
		{name: "mcp-shell-server", from: "PyPI", argv: surveyPyPI("mcp-shell-server", "mcp-shell-server"), env: []string{"ALLOW_COMMANDS=pwd"}, call: []act{
			call("shell_execute", "command", []string{"pwd"}, "directory", "DIR")}},
		{name: "wikipedia-mcp", from: "PyPI", argv: surveyPyPI("wikipedia-mcp", "wikipedia-mcp")},
		{name: "excel-mcp-server", from: "PyPI", argv: surveyPyPI("excel-mcp-server", "excel-mcp-server", "stdio"), call: []act{
			call("create_workbook", "path", "DIR/book.xlsx"), call("find_cells", "path", "DIR/book.xlsx", "query", "x")}},
	}
}

// whole is a realServer that lists what the server declares and then makes the calls.
func (s surveyed) whole(t testing.TB) realServer {
	r := realServer{name: s.name, argv: s.argv, env: func(string) []string { return s.env }}
	r.acts = func(dir string) []act {
		acts := []act{{Do: "list_tools"}}
		for _, c := range s.call {
			raw, err := json.Marshal(c.Args)
			if err != nil {
				t.Fatal(err)
			}
			args := map[string]any{}
			if err := json.Unmarshal([]byte(strings.ReplaceAll(string(raw), "DIR", dir)), &args); err != nil {
				t.Fatal(err)
			}
			acts = append(acts, act{Do: "call", Name: c.Name, Args: args})
		}
		return acts
	}
	return r
}

type surveyRow struct{ name, from, asked, result, note string }

func TestTwentyServersUnderAShield(t *testing.T) {
	var rows []surveyRow
	for _, server := range realServers {
		from := "npm"
		if !strings.HasPrefix(server.name, "server-") {
			from = "PyPI"
		}
		rows = append(rows, survey(t, server, from, ""))
	}
	for _, s := range furtherServers() {
		from := s.from
		if from == "" {
			from = "npm"
		}
		rows = append(rows, survey(t, s.whole(t), from, s.note))
	}
	var table strings.Builder
	table.WriteString("| server | from | asked | under `shield` | |\n|---|---|---|---|---|\n")
	same := 0
	for _, r := range rows {
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s | %s |\n", r.name, r.from, r.asked, r.result, r.note)
		if r.result == "the same" {
			same++
		}
	}
	fmt.Fprintf(&table, "\n%d of %d servers are the same, in bytes, with and without.\n", same, len(rows))
	t.Log("\n" + table.String())
	if same < 20 {
		t.Errorf("%d servers could be compared: too few to say anything", same)
	}
	if *write {
		path := filepath.Join("..", "..", "..", "docs", "sandbox.md")
		page, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		const begin, end = "<!-- survey: make survey -->\n", "<!-- end of survey -->"
		head, rest, found := strings.Cut(string(page), begin)
		_, foot, ended := strings.Cut(rest, end)
		if !found || !ended {
			t.Fatalf("%s has no place for the table", path)
		}
		if err := os.WriteFile(path, []byte(head+begin+table.String()+end+foot), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// survey plays a server twice without us, to know what differs from run to run, and once behind a shield.
func survey(t *testing.T, server realServer, from, note string) surveyRow {
	row := surveyRow{name: server.name, from: from, note: note}
	t.Run(server.name, func(t *testing.T) {
		row.result = "**does not run**"
		dir := folder(t)
		record := func(more []string, before, changes []string) []entry {
			var got []entry
			env := server.ground(t, dir, more...)
			// A broken session ends here; if it stayed, it would list our tools instead of the next one.
			t.Run("play", func(t *testing.T) {
				broken := &lenient{TB: t, patience: 30 * time.Second}
				done := make(chan struct{})
				go func() {
					defer close(done)
					got = server.play(broken, dir, env, before, changes)
				}()
				<-done
				if broken.why != "" {
					t.Logf("%v: %s", before, broken.why)
					got = nil
				}
			})
			return got
		}
		first, again := record(nil, nil, nil), record(nil, nil, nil)
		if first == nil || again == nil {
			row.result = "does not run without either"
			return
		}
		acts := server.acts(dir)
		row.asked = fmt.Sprintf("%d requests", 1+len(acts))
		_, changes := split(first)
		h := verbatim(t)
		if out, code := h.run("settings", "set", "sandbox", "shield"); code != 0 {
			t.Fatal(out)
		}
		walled := settle(h, func() []entry { return record(h.env(), h.wrap(), nil) })
		walled = record(h.env(), h.wrap(), changes)
		if walled == nil {
			t.Error("it does not run behind a shield")
			return
		}
		if out, _ := h.run("activity", "--json"); !strings.Contains(out, "in its sandbox (shield)") {
			t.Fatal("no start in a sandbox is recorded")
		}
		row.result = "the same"
		found := differences(first, walled, true)
		if len(found) > 0 && len(differences(first, again, false)) > 0 {
			row.result, found = "runs; differs from run to run anyway", nil
		}
		for _, d := range found {
			row.result = "**differs**"
			t.Error(d)
		}
	})
	return row
}
