package display

import (
	"testing"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/store"
)

// Records of a version without ids are shown with the only server of their name, or with their name alone if there are two.
func TestOldRecordsAreShownByTheOneServerOfTheirName(t *testing.T) {
	id := func(of string) string { return store.ServerID("stdio", []string{of}, "") }
	servers := recordServers{{ID: id("a"), Name: "weather"}, {ID: id("b"), Name: "wеather"}, {ID: id("c"), Name: "mail"}, {ID: id("d"), Name: "mail"}}
	shown := servers.shownOf([]control.Record{{Server: "weather"}, {Server: "mail"}, {Server: "mail", ServerID: id("c")}, {Server: "gone"}, {}})
	if len(shown) != 2 || shown["=weather"] != "weather ·"+id("a")[:4] || shown[id("c")] != "mail ·"+id("c")[:4] {
		t.Errorf("%v", shown)
	}
}
