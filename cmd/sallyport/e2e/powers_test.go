package e2e

import (
	"encoding/json"
	"strings"
	"testing"
)

// What a review of the six real servers says first, before any text of theirs. The figures are those of the versions that install.sh installs.
func TestTheReviewOfARealServerSaysFirstWhatItCanDo(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real servers")
	}
	t.Parallel()
	can := map[string]string{
		"server-everything":          "can change things (4 tools) · only reads (9) · reaches outside: says yes (1)",
		"server-filesystem":          "can change and delete files (4 tools) · only reads (10) · reaches outside: says no",
		"server-memory":              "can change and delete things (6 tools) · only reads (3) · reaches outside: says no",
		"server-sequential-thinking": "only reads (1 tool) · reaches outside: says no",
		"mcp-server-git":             "can change and delete files (5 tools) · only reads (7) · reaches outside: says no",
		"mcp-server-time":            "only reads (2 tools) · reaches outside: says no",
	}
	for _, server := range realServers {
		want, named := can[server.name]
		if !named {
			continue
		}
		t.Run(server.name, func(t *testing.T) {
			h, dir := install(t), folder(t)
			h.more = server.ground(t, dir)
			out, status := h.run(append([]string{"probe", "--json", "--"}, server.argv(t, dir)...)...)
			var looked struct{ Code string }
			if err := json.Unmarshal([]byte(out), &looked); err != nil || status != 3 {
				t.Fatalf("probe: status %d: %s", status, out)
			}
			shown, _ := h.run("show", looked.Code)
			page := strings.Join(strings.Fields(shown), " ")
			at := strings.Index(page, "What it can do "+want+" The server claims this about itself. Sallyport doesn't check it.")
			if at < 0 || at > strings.Index(page, "runs ") {
				t.Errorf("want first %q:\n%s", want, shown)
			}
			if !strings.Contains(page, " fingerprint ") || !strings.Contains(page, ", unchanged since 20") {
				t.Errorf("nothing of the program behind it:\n%s", shown)
			}
			if strings.Contains(shown, "contradict") {
				t.Errorf("an honest server is said to contradict itself:\n%s", shown)
			}
		})
		delete(can, server.name)
	}
	for name := range can {
		t.Errorf("%s was not looked at", name)
	}
}
