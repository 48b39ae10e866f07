package desktop

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
)

func TestTheGuardIsPutBackForOneEntryWhileTheOtherWaitsOn(t *testing.T) {
	d := newDesk(t)
	path := filepath.Join(t.TempDir(), "claude_desktop_config.json")
	bare := []byte(`{"mcpServers": {"notes": {"command": "npx", "args": ["notes"]}, "weather": {"command": "npx", "args": ["weather"]}}}` + "\n")
	if err := os.WriteFile(path, bare, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := d.hub.Protect(control.Peer{Role: control.RoleCLI}, control.Protect{Config: path, All: true}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bare, 0o600); err != nil {
		t.Fatal(err)
	}
	waits := func(parts ...string) Review {
		t.Helper()
		for over := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) {
			waiting, err := d.Inbox()
			if err == nil && len(waiting) == 1 && waiting[0].Kind == "unguarded" {
				var is []string
				for _, p := range waiting[0].Parts {
					is = append(is, p.Item)
				}
				if slices.Sort(is); slices.Equal(is, parts) {
					return d.look()
				}
			}
			if time.Now().After(over) {
				t.Fatalf("never waits: %v; but %+v, %v", parts, waiting, err)
			}
		}
	}
	r := waits("entry:notes", "entry:weather")
	decision := of(r)
	decision.Items = []string{"entry:weather"}
	done, err := d.Allow(decision)
	if err != nil || !slices.Equal(done.Approved, decision.Items) || !slices.Equal(done.Left, []string{"entry:notes"}) {
		t.Fatalf("put back: %+v, %v", done, err)
	}
	raw, err := os.ReadFile(path)
	if now := string(raw); err != nil || strings.Count(now, `"wrap"`) != 1 || !strings.Contains(now, `"notes": {"command": "npx", "args": ["notes"]}`) {
		t.Errorf("the file: %s, %v", now, err)
	}
	rest := waits("entry:notes")
	if done.Next != "" && done.Next != rest.Code {
		t.Errorf("the rest waits as %s, not %s", rest.Code, done.Next)
	}
}
