package proxy

import (
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/frame"
)

// A client of the legacy era leaves a server of the modern one for review; if it goes on in the modern era, they agree after all.
func TestAReviewOfAServerWithoutACommonVersionSaysSo(t *testing.T) {
	r := newRig(t, approveNone, onlyModern)
	r.initialize()
	r.eventually("the server is reported for review", func() bool {
		return r.gate.reportCount() > 0 && r.gate.lastReport().Apart && r.gate.lastReport().Era == "modern"
	})
	r.ask("1", "tools/list", "")
	r.eventually("the hub hears that they agree", func() bool {
		last := r.gate.lastReport()
		return !last.Apart && last.Era == "modern"
	})
}

func TestAServerThatItsClientSpeaksWithIsNotApart(t *testing.T) {
	for name, first := range map[string]func(*rig){
		"in the legacy era": func(r *rig) { r.initialize() },
		"in the modern one": func(r *rig) { r.ask("1", "tools/list", "") },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, approveNone, modern)
			first(r)
			r.eventually("it is reported", func() bool { return r.gate.reportCount() > 0 })
			if last := r.gate.lastReport(); last.Apart {
				t.Errorf("the hub is told that they have no version in common: %+v", last)
			}
		})
	}
}

func TestTwoDefinitionsInTwoErasAreNoEquivocation(t *testing.T) {
	started := false
	r := newRig(t, approveNone, modern, func(r *rig) {
		r.server.handle = func(line string) (string, bool) {
			switch {
			case strings.Contains(line, `"initialize"`) && !started:
				started = true
				return `{"jsonrpc":"2.0","id":0,"error":{"code":-32022,"message":"not yet","data":{"supported":["2026-07-28"]}}}`, true
			case strings.Contains(line, `"tools/list"`) && strings.Contains(line, "2026-07-28"):
				return `{"jsonrpc":"2.0","id":` + id(line) + `,"result":{"tools":[{"name":"echo","description":"For newer clients.","inputSchema":{"type":"object"}}],"resultType":"complete"}}`, true
			}
			return "", false
		}
	})
	r.initialize()
	r.eventually("it is reported in the modern era", func() bool { return r.gate.reportCount() > 0 && r.gate.lastReport().Era == "modern" })
	r.initialize()
	r.eventually("and then in the legacy one", func() bool { return r.gate.lastReport().Era == "legacy" })
	for _, item := range r.gate.lastReport().Items {
		for _, f := range item.Findings {
			if f.Rule == "equivocation" {
				t.Errorf("%s: %+v", item.Key(), f)
			}
		}
	}
}

// id is the id of a message, as it is written.
func id(line string) string {
	span, _ := frame.Find([]byte(line), frame.Root([]byte(line)), "id")
	return line[span.Start:span.End]
}
