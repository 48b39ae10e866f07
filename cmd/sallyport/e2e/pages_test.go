package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// pageServer is an example server of MCP Apps: it has one page, which its tool names.
type pageServer struct{ bin, page string }

func TestThePagesOfRealServersAreAllowedOnceAndDeliveredAsTheyAre(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real servers")
	}
	t.Parallel()
	samePages(t, played(1, []pageServer{{"mcp-cohort-heatmap-server", "ui://get-cohort-data/mcp-app.html"}, {"mcp-map-server", "ui://cesium-map/mcp-app.html"}})...)
}

// samePages allows the page of each server once and reads it twenty times from each of two wrappers, a hundred with -long.
func samePages(t *testing.T, servers ...pageServer) {
	t.Helper()
	for _, server := range servers {
		t.Run(server.bin, func(t *testing.T) {
			h, dir := install(t), folder(t)
			real := realServer{}
			argv := npm(server.bin, "--stdio")(t, dir)
			env := real.ground(t, dir, h.env()...)
			params := fmt.Sprintf(`{"uri":%q}`, server.page)
			contents := func(s *session) string {
				var answer struct {
					Result struct{ Contents json.RawMessage }
				}
				line := s.request("resources/read", params)
				if err := json.Unmarshal([]byte(line), &answer); err != nil || answer.Result.Contents == nil {
					t.Fatalf("%.500s", line)
				}
				return string(answer.Result.Contents)
			}
			direct := launch(t, dir, env, argv)
			direct.handshake("2025-11-25")
			want := contents(direct)
			direct.hangUp(true)

			begin := func() *session {
				s := launch(t, dir, env, append(h.wrap(), argv...))
				s.handshake("2025-11-25")
				return s
			}
			first := begin()
			if got := first.request("resources/read", params); !strings.Contains(got, `"code":4030`) {
				t.Fatalf("before its review: %.300s", got)
			}
			wait(t, "the page is an item", func() bool {
				out, _ := h.run("inbox", "--json")
				return strings.Contains(out, "resource:"+server.page)
			})
			h.approve()
			wait(t, "it is open", func() bool { return strings.Contains(first.request("resources/read", params), `"contents"`) })
			second := begin()
			reads := 20
			if *longFlag {
				reads = 100
			}
			for i := range reads {
				for name, s := range map[string]*session{"first": first, "second": second} {
					if got := contents(s); got != want {
						t.Fatalf("read %d of the %s wrapper: %.300s", i, name, got)
					}
				}
			}
			if items := h.inbox(); len(items) != 0 {
				t.Errorf("items: %+v", items)
			}
			first.hangUp(true)
			second.hangUp(true)
		})
	}
}
