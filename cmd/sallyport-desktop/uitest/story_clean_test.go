//go:build ui

package uitest

import (
	"testing"

	"github.com/sallyport/sallyport/proxy/scripted"
)

func clockFace() scripted.Face {
	return scripted.Face{
		Info:    `{"name":"clock","title":"Clock","version":"2.0.0"}`,
		Tools:   []scripted.Verbatim{tool("now", "The time in a zone.", `"zone":{"type":"string"}`, "zone")},
		Answers: map[string]scripted.Verbatim{"now": says("It is noon")},
	}
}

// One click allows three listed new servers. One changed while the list was read: it is left out and named, and its tools stay blocked.
func TestSeveralNewServersAreAllowedByOneClickAsTheyWereListed(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a := h.open()
	first, faces := weatherFaces()
	servers := map[string]*server{"weather": newServer(t, first, faces), "notes": newServer(t, notesFace(), nil), "clock": newServer(t, clockFace(), nil)}
	clients := map[string]*client{}
	for name, s := range servers {
		clients[name] = h.wrapped(name, s, h.env())
		clients[name].tools()
	}
	codeOf := func(name string) (code string) {
		for _, item := range h.inbox() {
			if item.Server == name && item.Kind == "new_server" {
				code = item.Code
			}
		}
		return code
	}
	wait(t, "three new servers", func() bool { return codeOf("weather") != "" && codeOf("notes") != "" && codeOf("clock") != "" })
	a.notified("weather")
	a.clickNote("1")
	a.shows()
	a.press(button, "Allow the 3 servers without warnings")
	a.find(button, "Allow 3 servers")
	a.says("weather", "notes", "clock", "only reads")
	before := codeOf("weather")
	servers["weather"].put("reworded")
	wait(t, "the changed server has another code", func() bool { code := codeOf("weather"); return code != "" && code != before })

	a.press(button, "Allow 3 servers")
	a.says("1 server was left out", "changed since")
	clients["notes"].runs("read_note", `{"id":1}`, "Buy bread")
	clients["clock"].runs("now", `{"zone":"UTC"}`, "It is noon")
	clients["weather"].refused("get_forecast", `{"city":"Lisbon"}`, codeOf("weather"))
	if servers["weather"].ran("get_forecast") {
		t.Error("a tool ran that was not allowed")
	}
	a.press(link, "Review")
	a.find(heading, "weather")
	if left := h.inbox(); len(left) != 1 || left[0].Server != "weather" {
		t.Errorf("what waits is %+v", left)
	}
}
