package review

import (
	"bytes"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
)

func TestWhatOnlyProgramsReadComesLast(t *testing.T) {
	schema := pin.Change{Path: "inputSchema.$schema", Op: "added", Words: "the input's dialect"}
	execution := pin.Change{Path: "execution", Op: "added", Words: "how it runs"}
	city := pin.Change{Path: "inputSchema.properties.city", Op: "added", Words: "required: `city` (text)"}
	named := pin.Change{Path: "inputSchema.properties.$schema", Op: "added", Words: "an input of that name"}
	for name, c := range map[string]struct {
		state   vocab.PartState
		changes []pin.Change
		want    string
	}{
		"of a new tool it is in the definition":  {"new", []pin.Change{schema, city, execution}, "required: `city` (text)|technical details (2) are in the definition below"},
		"of a changed one it is behind the rest": {"changed", []pin.Change{schema, city}, "required: `city` (text)|technical details|the input's dialect"},
		"where it is all that changed":           {"changed", []pin.Change{schema, execution}, "the input's dialect|how it runs"},
		"none":                                   {"new", []pin.Change{city}, "required: `city` (text)"},
		"an input that is called so":             {"changed", []pin.Change{named, city}, "required: `city` (text)|technical details|an input of that name"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			(&page{&terminal.Page{Out: &out, Columns: 200}}).changes(control.PartDetail{Item: "tool:a", State: c.state, Changes: c.changes})
			at := 0
			for _, want := range strings.Split(c.want, "|") {
				i := strings.Index(out.String()[at:], want)
				if i < 0 {
					t.Fatalf("no %q from %d on in\n%s", want, at, &out)
				}
				at += i + len(want)
			}
			if n := strings.Count(strings.TrimSpace(out.String()), "\n") + 1; n != len(strings.Split(c.want, "|")) {
				t.Errorf("%d lines:\n%s", n, &out)
			}
		})
	}
}

// A remote server has no program: its review must not say that one was started, or changed.
func TestAChangedWayToARemoteServerIsNoProgram(t *testing.T) {
	for _, about := range []pin.LaunchAbout{pin.AboutAddress, pin.AboutNothing} {
		d := control.ItemDetail{InboxItem: control.InboxItem{Kind: "launch", Server: "far", Severity: "high", Launch: about}, URL: "https://mcp.example.com/mcp"}
		if said := launchMeaning(d); strings.Contains(said, "program") || strings.Contains(said, "start") || !strings.Contains(said, "Nothing is sent to it") {
			t.Errorf("%q: %s", about, said)
		}
	}
}
