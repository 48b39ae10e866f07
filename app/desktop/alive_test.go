package desktop

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/sallyport/sallyport/app"
	"github.com/sallyport/sallyport/proxy/control"
)

func TestAnEngineThatIsGoneOrEndingIsNotAlive(t *testing.T) {
	root := t.TempDir()
	d := newDeskAt(t, root)
	if err := d.Alive(); err != nil {
		t.Fatal(err)
	}
	hub := d.Page.hub
	d.Page.hub = func() *app.Hub { return nil }
	if err := d.Alive(); codeOf(err) != control.CodeUnavailable {
		t.Errorf("without a hub: %v", err)
	}
	d.Page.hub = hub
	if err := os.Rename(filepath.Join(root, "home"), filepath.Join(root, "elsewhere")); err != nil { // a hub ends with its home
		t.Fatal(err)
	}
	select {
	case <-d.hub.Done():
	case <-time.After(30 * time.Second):
		t.Fatal("the hub stays")
	}
	if err := d.Alive(); codeOf(err) != control.CodeUnavailable {
		t.Errorf("while it ends: %v", err)
	}
}
