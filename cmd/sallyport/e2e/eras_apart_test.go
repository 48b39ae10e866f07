//go:build unix

package e2e

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// A pair that has no version in common is named everywhere with those of both sides. A server that Sallyport could talk to waits for its review
// all the same: once its client is updated, it works at once.
func TestAPairWithoutACommonVersionIsToldBothSides(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real servers and clients")
	}
	t.Parallel()
	old, modern := eraServers[3], eraServers[1]
	for _, c := range []struct {
		name                 string
		run                  driver
		server               eraServer
		supported, requested string
	}{
		{"TypeScript, legacy", driveTypeScript("legacy"), modern, newestModern, newestLegacy},
		{"Python, legacy", drivePython("legacy"), modern, newestModern, newestLegacy},
		{"Python, modern alone", drivePython(newestModern), old, newestLegacy, newestModern},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, h := folder(t), install(t)
			argv := c.server.argv(t, dir)
			play := func(run driver) []map[string]any {
				return run(t, append(h.wrap(), argv...), c.server.ground(t, dir, h.env()...), dir, []act{{Do: "list_tools"}})
			}
			incompatible(t, play(c.run), c.supported, c.requested)
			row := h.server()
			if row.State != "no_common_version" || row.Versions == nil || !slices.Equal(row.Versions.Offered, []string{c.supported}) || row.Versions.Asked != c.requested {
				t.Errorf("servers: %+v", row)
			}
			for _, command := range []string{"status", "doctor"} {
				if out, _ := h.told(command); !strings.Contains(out, "SP-221") || !strings.Contains(out, c.supported) || !strings.Contains(out, c.requested) {
					t.Errorf("%s: %s", command, out)
				}
			}
			if !c.server.modern {
				if items := h.inbox(); len(items) != 0 {
					t.Errorf("there is nothing to decide, and waits: %+v", items)
				}
				return
			}
			// A client that gives up at once may end the wrapper before it has read everything, if the machine is busy.
			wait(t, "it can be reviewed", func() bool {
				return h.listing([]string{"tool:forecast", "tool:ask", "prompt:plan", "instructions"}) || play(c.run) == nil
			})
			wait(t, "all is approved", func() bool { return h.approve() == 0 })
			incompatible(t, play(c.run), c.supported, c.requested)
			updated := play(driveTypeScript("auto"))
			if listed := document(t, updated); agreed(updated) != newestModern || !strings.Contains(listed, "forecast") {
				t.Errorf("an updated client got %s", listed)
			}
			if items := h.inbox(); len(items) != 0 || h.server().State != "open" {
				t.Errorf("%+v: %+v", h.server(), items)
			}
		})
	}
}

// A server that declares something else in the other era is reviewed in both, and what is approved in one opens nothing in the other.
func TestAServerIsReviewedInEachEra(t *testing.T) {
	if testing.Short() {
		t.Skip("runs real servers and clients")
	}
	t.Parallel()
	dir, h := folder(t), install(t)
	server := realServer{name: "apart", argv: onTypeScript("serve", "apart")}
	forecast := func(mode string) string {
		docs := driveTypeScript(mode)(t, append(h.wrap(), server.argv(t, dir)...), server.ground(t, dir, h.env()...), dir, []act{{Do: "list_tools"}, call("forecast", "city", "Bern")})
		return document(t, docs)
	}
	for _, era := range []struct{ mode, name, other string }{{"legacy", "legacy", "modern"}, {"auto", "modern", "legacy"}} {
		if got := forecast(era.mode); strings.Contains(got, mark+" in Bern") || strings.Contains(got, "in the "+era.name+" era") {
			t.Errorf("before its review in the %s era: %s", era.name, got)
		}
		wait(t, "it waits in the inbox", func() bool {
			return slices.Contains(h.waitingForms(), "tool:forecast "+era.name) || era.name == "legacy" && len(h.inbox()) == 1
		})
		wait(t, "it is approved", func() bool { return h.approve() == 0 })
		if got := forecast(era.mode); !strings.Contains(got, mark+" in Bern") || !strings.Contains(got, "in the "+era.name+" era") || strings.Contains(got, "in the "+era.other+" era") {
			t.Errorf("after its review in the %s era: %s", era.name, got)
		}
	}
	if got := forecast("legacy"); !strings.Contains(got, "in the legacy era") {
		t.Errorf("the review of the modern era took the other back: %s", got)
	}
	if items := h.inbox(); len(items) != 0 {
		t.Errorf("both are approved, and there waits %+v", items)
	}
}

// waitingForms are the parts in the inbox, with their era where a server declares them otherwise in the other.
func (h *installation) waitingForms() (forms []string) {
	h.t.Helper()
	out, _ := h.told("inbox", "--json")
	var list struct {
		Items []struct {
			Parts []struct{ Item, Era string }
		}
	}
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		h.t.Fatalf("inbox: %v: %s", err, out)
	}
	for _, item := range list.Items {
		for _, part := range item.Parts {
			forms = append(forms, strings.TrimSpace(part.Item+" "+part.Era))
		}
	}
	return forms
}
