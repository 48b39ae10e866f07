package app

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/app/mask"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
)

func TestCoverageCountsAndNamesWhatIsNotGuarded(t *testing.T) {
	root := t.TempDir()
	put(t, filepath.Join(root, "config", "Claude", "Claude Extensions", "ext.one", "manifest.json"),
		`{"name":"one","display_name":"One","version":"1","server":{"mcp_config":{"command":"node","args":["server.js","--token","sk-abcdefghijklmnopqrstuvwx"]}}}`)
	put(t, filepath.Join(root, "person", ".cursor", "mcp.json"), `{"mcpServers": {"elsewhere": {"command": "npx", "args": ["x"]}}}`)
	put(t, filepath.Join(root, "config", "Code", "User", "mcp.json"), `{"servers": {"coded": {"command": "npx"}}}`)
	d := deskAt(t, newHome(t), root, claudeFile, nil)
	d.protect("files")

	status, err := d.Status()
	if err != nil || status.Coverage == nil {
		t.Fatalf("status %+v, %v", status, err)
	}
	c := *status.Coverage
	if c.Guarded != 1 || c.Total != 5 {
		t.Errorf("%d of %d guarded: %+v", c.Guarded, c.Total, c)
	}
	want := map[string]string{
		"weather": office.CoverOpen, "One": office.CoverExtension, "elsewhere": office.CoverOpen, "coded": office.CoverOpen,
	}
	for _, u := range c.Unguarded {
		if want[u.Name] != u.Code || u.Why == "" {
			t.Errorf("%+v", u)
		}
		delete(want, u.Name)
	}
	if len(want) > 0 {
		t.Errorf("not named: %v", want)
	}
	raw := mask.PlainJSON(status)
	for _, secret := range []string{"very-secret-value", "sk-abcdef"} {
		if strings.Contains(raw, secret) {
			t.Errorf("the status holds %s", secret)
		}
	}
	for _, f := range c.Clients {
		if f.Client == "claude-desktop" && (f.Path != d.Path || f.State != control.FileFound || !f.Watched || f.Guarded != 1 || f.Total != 2) {
			t.Errorf("Claude's file: %+v", f)
		}
	}
}
