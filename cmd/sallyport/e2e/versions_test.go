//go:build unix

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// servers is the output of `servers --json` about the only server.
func (h *installation) server() (row struct {
	State    string
	Versions *struct {
		Offered []string
		Asked   string
	}
}) {
	h.t.Helper()
	out, _ := h.told("servers", "--json")
	var list struct{ Items []json.RawMessage }
	if err := json.Unmarshal([]byte(out), &list); err != nil || len(list.Items) != 1 {
		h.t.Fatalf("servers: %v: %s", err, out)
	}
	if err := json.Unmarshal(list.Items[0], &row); err != nil {
		h.t.Fatal(err)
	}
	return row
}

// A server without a protocol version in common with its client is named everywhere. One that speaks the protocol's newer era alone is looked
// at in that, so that it can be reviewed; any other never lists anything, so no item can name it.
func TestAServerOfAnotherProtocolVersionIsNamedUntilItSpeaksAgain(t *testing.T) {
	const words = "BUY NOW"
	for _, c := range []struct{ name, version, step string }{
		{"2026-07-28 alone", "2026-07-28", `{"error":{"code":-32022,"message":"` + words + `","data":{"supported":["2026-07-28"],"requested":"2025-11-25","say":"` + words + `"}}}`},
		{"2026-07-28 alone, which knows no initialize", "2026-07-28", `{"error":{"code":-32601,"message":"` + words + `"}}`},
		{"2023-01-01 alone", "2023-01-01", `{"error":{"code":-32602,"message":"` + words + `: unsupported protocol version","data":{"supported":["2023-01-01"]}}}`},
		{"2099-01-01", "2099-01-01", `{"result":{"protocolVersion":"2099-01-01","capabilities":{"tools":{}},"serverInfo":{"name":"odd","version":"1"},"instructions":"` + words + `"}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := folder(t)
			h := install(t)
			updated := filepath.Join(dir, "updated")
			newer, looked, discovers := c.version == "2026-07-28", 1, ""
			if newer {
				looked, discovers = 3, `,{"on":"server/discover","steps":[{"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"instructions":"`+words+`"}}]}`
			}
			server := script(t, dir, "server.json", `{"tools":[{"name":"echo","inputSchema":{"type":"object"}}],"answers":{"echo":{"content":[{"type":"text","text":"again"}]}},
 "rules":[{"on":"initialize","while":"`+updated+`","steps":[{"default":true}]},{"on":"initialize","steps":[`+c.step+`]}`+discovers+`]}`)
			run := func() *session { return launch(t, dir, environment(h.env()...), append(h.wrap(), server...)) }

			began := time.Now()
			s := run()
			answer := s.handshake("2025-11-25")
			refused := strings.Contains(answer, `"code":-32022`) && strings.Contains(answer, "offers protocol versions "+c.version+"; the client asked for 2025-11-25.")
			if passes := strings.Contains(answer, `"protocolVersion":"2099-01-01"`); !refused && !passes || strings.Contains(answer, words) {
				t.Errorf("the client was told: %s", answer)
			}
			var status string
			wait(t, "status names it", func() bool {
				status, _ = h.told("status")
				return strings.Contains(status, "SP-221") && strings.Contains(status, c.version)
			})
			took := time.Since(began)
			t.Logf("named %v after the start", took.Round(time.Millisecond))
			if took > 12*time.Second {
				t.Errorf("it took %v to be named", took)
			}
			if got := s.call("echo", `{}`); !strings.Contains(got, "[Sallyport]") || strings.Contains(got, words) {
				t.Error(got)
			}
			s.hangUp(true)
			doctor, code := h.told("doctor")
			table, _ := h.told("servers")
			probe, failed := h.told(append([]string{"probe", "--"}, server...)...)
			if !strings.Contains(doctor, "SP-221") || code != 1 || !strings.Contains(table, "no_common_version") || failed != looked || !strings.Contains(probe, "SP-221") || !strings.Contains(probe, c.version) {
				t.Errorf("doctor %d: %s\nservers: %s\nprobe %d: %s", code, doctor, table, failed, probe)
			}
			if row := h.server(); row.State != "no_common_version" || row.Versions == nil || strings.Join(row.Versions.Offered, " ") != c.version {
				t.Errorf("%+v", row)
			}
			timeline, _ := h.told("activity", "list", "--json")
			logs, err := os.ReadFile(filepath.Join(h.path, "logs", "hub.log"))
			if err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			heard := ""
			for _, e := range s.entries {
				heard += e.line
			}
			for _, said := range []string{status, doctor, table, probe, timeline, string(logs), heard} {
				if strings.Contains(said, words) {
					t.Errorf("the server's own words are in: %s", said)
				}
			}
			if items := h.inbox(); len(items) == 0 == newer {
				t.Errorf("of a server that speaks %s these wait: %+v", c.version, items)
			}

			if err := os.WriteFile(updated, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			s = run()
			s.handshake("2025-11-25")
			wait(t, "it waits for a first look like any other", func() bool { return len(h.inbox()) == 1 })
			if status, _ := h.told("status"); strings.Contains(status, "SP-221") || h.server().State != "new" {
				t.Errorf("it agrees now: %s", status)
			}
			if doctor, _ := h.told("doctor"); strings.Contains(doctor, "SP-221") {
				t.Errorf("doctor still names it: %s", doctor)
			}
			h.approve()
			wait(t, "its tool runs", func() bool { return strings.Contains(s.call("echo", `{}`), "again") })
			s.hangUp(true)
			if probe, code := h.told(append([]string{"probe", "--"}, server...)...); code != 0 || strings.Contains(probe, "SP-221") {
				t.Errorf("probe %d: %s", code, probe)
			}
		})
	}
}
