package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/powers"
)

// The classes of the tools of the thirteen servers that install.sh installs. Every tool that is not named has none: these servers stay on this
// computer, or say that they do.
func TestTheToolsOfRealServersAreOfTheseClasses(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real servers")
	}
	t.Parallel()
	want := map[string]string{"server-everything trigger-url-elicitation": "gives reaches", // it has the client open a URL
		"mcp-server-fetch fetch": "reaches"}
	got, tools := map[string]string{}, 0
	servers := append(slices.Clone(realServers), fetchServer)
	for _, bin := range []string{
		"mcp-server-basic-react", "mcp-budget-allocator-server", "mcp-cohort-heatmap-server", "mcp-customer-segmentation-server", "mcp-map-server", "mcp-scenario-modeler-server",
	} {
		servers = append(servers, realServer{name: bin, argv: npm(bin, "--stdio")})
	}
	for _, server := range servers {
		dir := folder(t)
		env := server.ground(t, dir)
		s := launch(t, dir, env, server.argv(t, dir))
		s.handshake("2025-06-18")
		var listing struct {
			Result struct{ Tools []json.RawMessage }
		}
		if err := json.Unmarshal([]byte(s.request("tools/list", `{}`)), &listing); err != nil || len(listing.Result.Tools) == 0 {
			t.Fatalf("%s: %v", server.name, err)
		}
		for _, definition := range listing.Result.Tools {
			var tool struct{ Name string }
			if err := json.Unmarshal(definition, &tool); err != nil {
				t.Fatal(err)
			}
			tools++
			if classes := powers.ClassesOf(definition).Names(); len(classes) > 0 {
				got[server.name+" "+tool.Name] = strings.Trim(fmt.Sprint(classes), "[]")
			}
		}
		s.hangUp(false)
	}
	if !maps.Equal(got, want) || len(servers) != 13 || tools < 60 {
		t.Errorf("%d tools of %d servers: %v, want %v", tools, len(servers), got, want)
	}
}
