package proxy

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// named is a tool with a name as it is written in JSON.
func named(name string) string {
	return `{"name":"` + name + `","description":"d","inputSchema":{"type":"object"}}`
}

// told is the end of a name that is told apart from others.
func told(name string) string {
	sum := sha256.Sum256([]byte(name))
	return "-" + hex.EncodeToString(sum[:4])
}

// toServer waits until the server got a call, and returns the name in it.
func (r *rig) toServer(id string) (name string) {
	r.t.Helper()
	r.eventually("the server got "+id, func() bool {
		r.server.mu.Lock()
		defer r.server.mu.Unlock()
		for _, line := range r.server.lines {
			if strings.Contains(line, `"id":`+id+`,`) {
				name = between(line, `"name":"`, `"`)
			}
		}
		return name != ""
	})
	return name
}

func TestAToolWithTwoNamesIsCalledByEither(t *testing.T) {
	long := strings.Repeat("n", 100)
	r := ready(t, profiled("strict"), declaring(named(`weather\nIGNORE`), named(long+"1"), named(long+"2"), named("read_file")))
	if got, want := r.tools("1"), []string{"weather", long[:71] + told(long+"1"), long[:71] + told(long+"2"), "read_file", toolApprove, toolRelease}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("listed as %q", got)
	}
	for id, c := range map[string]struct{ said, own, delivered string }{
		"11": {"weather", `weather\nIGNORE`, "weather"},
		"12": {`weather\nIGNORE`, `weather\nIGNORE`, "weather"}, // the server's own name stays callable
		"13": {long[:71] + told(long+"1"), long + "1", long[:71] + told(long+"1")},
		"14": {long[:71] + told(long+"2"), long + "2", long[:71] + told(long+"2")},
		"15": {"read_file", "read_file", ""},
	} {
		if got := r.call(id, c.said); !strings.Contains(got, `"ok `) {
			t.Errorf("%s: %s", c.said, got)
		}
		if got := r.toServer(id); got != c.own {
			t.Errorf("%q reached the server as %q", c.said, got)
		}
	}
	if got := r.call("16", long[:80]); !refused(got) {
		t.Errorf("a name that nobody delivered: %s", got)
	}
	r.records("both names", func(c control.Record) bool {
		return c.Kind == vocab.RecordCall && c.Status == vocab.StatusOK && strings.Contains(string(c.Detail), `"delivered_as":"weather"`)
	})
	if r.gate.recorded(func(c control.Record) bool {
		return c.Tool == "read_file" && strings.Contains(string(c.Detail), "delivered_as")
	}) {
		t.Error("one that has one name")
	}
}

// The rest of the line goes to the server as the client wrote it.
func TestOnlyTheNameOfACallIsChanged(t *testing.T) {
	r := ready(t, profiled("strict"), declaring(named(`weather\nIGNORE`)))
	r.send(`{ "id":7, "method":"tools/call","params" : {"arguments":{"name":"weather","n":1.0}, "name" : "we\u0061ther","x":"\u0061"},"jsonrpc":"2.0"}`)
	r.answerTo("7")
	if want := `{ "id":7, "method":"tools/call","params" : {"arguments":{"name":"weather","n":1.0}, "name" : "weather\nIGNORE","x":"\u0061"},"jsonrpc":"2.0"}`; !r.server.got(want) {
		t.Errorf("%q", r.server.lines)
	}
}

func TestAPromptHasTwoNamesToo(t *testing.T) {
	r := ready(t, profiled("strict"), func(r *rig) {
		r.server.prompts = []string{`{"name":"brief\nnow"}`}
		r.server.capabilities = `{"tools":{},"prompts":{},"completions":{}}`
	})
	if got := r.listing("prompts/list", "prompts", ""); got != `{"name":"brief"}` {
		t.Fatal(got)
	}
	for id, params := range map[string]string{"21": `"method":"prompts/get","params":{"name":"brief"}`, "22": `"method":"completion/complete","params":{"ref":{"name":"brief","type":"ref/prompt"},"argument":{"name":"x","value":""}}`} {
		r.send(`{"jsonrpc":"2.0","id":` + id + `,` + params + `}`)
		if got := r.answerTo(id); refused(got) {
			t.Error(got)
		}
		if got := r.toServer(id); got != `brief\nnow` {
			t.Errorf("reached the server as %q", got)
		}
	}
	r.records("both names", func(c control.Record) bool {
		return c.Kind == vocab.RecordPrompt && strings.Contains(string(c.Detail), `"delivered_as":"brief"`) && strings.Contains(string(c.Detail), `"prompt":"brief now"`)
	})
	// A tool's short name is none of a prompt.
	if got := r.call("23", "brief"); !refused(got) {
		t.Error(got)
	}
}

func TestAShortNameIsNeverAnotherItems(t *testing.T) {
	long := strings.Repeat("n", 90)
	for name, c := range map[string]struct {
		profile string
		tools   []string // as written in JSON
		want    []string
	}{
		"an uncut one keeps it":                        {"strict", []string{`weather\nx`, `weather`}, []string{"weather" + told("weather\nx"), "weather"}},
		"two cut ones end in hashes":                   {"strict", []string{`weather\nx`, `weather\ny`}, []string{"weather" + told("weather\nx"), "weather" + told("weather\ny")}},
		"one of our own tools keeps it":                {"strict", []string{`quarantine_release\nx`}, []string{"quarantine_release" + told("quarantine_release\nx")}},
		"nearly one of our own":                        {"strict", []string{`Quarantine_Release\nx`}, []string{"Quarantine_Release" + told("Quarantine_Release\nx")}},
		"nearly equal counts as equal":                 {"strict", []string{`Weather\nx`, `weather`}, []string{"Weather" + told("Weather\nx"), "weather"}},
		"one that took the hash is left alone":         {"strict", []string{`weather\nx`, `weather`, "weather" + told("weather\nx")}, []string{"weather", "weather" + told("weather\nx")}},
		"a name of which nothing can be seen":          {"standard", []string{`\u200b\u2060`}, []string{told("\u200b\u2060")}},
		"within the cap":                               {"strict", []string{long + "1", long[:80]}, []string{long[:71] + told(long+"1"), long[:80]}},
		"characters that nobody sees are no cut":       {"standard", []string{`read\u200b_file`}, []string{"read_file"}},
		"a cut name that was not allowed counts too":   {"strict", []string{`weather\nx`, `weather`, `no\ny`}, []string{"weather" + told("weather\nx"), "weather"}},
		"names that are equal by cleaning are blocked": {"standard", []string{`read\u200b_file`, `read_file`, `add`}, []string{"add"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, func(i pin.Item) bool { return !strings.HasPrefix(i.Name, "no") }, profiled(c.profile), func(r *rig) {
				r.server.tools = nil
				for _, tool := range c.tools {
					r.server.tools = append(r.server.tools, named(tool))
				}
			})
			r.initialize()
			got := r.tools("1")
			if fmt.Sprint(got[:len(got)-2]) != fmt.Sprint(c.want) {
				t.Errorf("listed as %q, not %q", got, c.want)
			}
			for _, name := range got[:len(got)-2] {
				if answer := r.call(`"`+name+`"`, name); refused(answer) {
					t.Errorf("%q can't be called: %s", name, answer)
				}
			}
		})
	}
}

// A client may call a name from an old listing. It must not reach another tool by it, even if that one is allowed.
func TestADeliveredNameNeverMeansAnotherItemLaterInTheSession(t *testing.T) {
	change := func(r *rig, tools ...string) {
		r.server.declare(func(s *server) { s.tools = tools })
		r.server.write(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		for !strings.Contains(r.next(), "list_changed") {
		}
	}
	t.Run("a new tool takes the name of a cut one", func(t *testing.T) {
		r := ready(t, profiled("strict"), declaring(named(`weather\nx`)))
		change(r, named("weather"), echoTool)
		if got, want := fmt.Sprint(r.tools("1")[:2]), fmt.Sprint([]string{"weather" + told("weather"), "echo"}); got != want {
			t.Errorf("listed as %s", got)
		}
		got := r.call("2", "weather")
		if !refused(got) || !strings.Contains(got, "earlier in this session") || !strings.Contains(got, `"tool":"weather`+told("weather")+`"`) || !strings.Contains(got, `"kind":"blocked"`) {
			t.Errorf("the old name: %s", got)
		}
		if got := r.call("3", "weather"+told("weather")); refused(got) || r.toServer("3") != "weather" {
			t.Errorf("the new one: %s", got)
		}
	})
	t.Run("a cut one takes the name of a tool that is gone", func(t *testing.T) {
		r := ready(t, profiled("strict"), declaring(named("weather")))
		change(r, named(`weather\nx`))
		if got := r.tools("1")[0]; got != "weather"+told("weather\nx") {
			t.Errorf("listed as %q", got)
		}
		if got := r.call("2", "weather"); !refused(got) || !strings.Contains(got, "no longer offered") {
			t.Errorf("the old name: %s", got)
		}
	})
	t.Run("its own names go on meaning it", func(t *testing.T) {
		r := ready(t, profiled("strict"), declaring(named(`weather\nx`)))
		change(r, named(`weather\nx`), named(`weather\ny`))
		if got, want := fmt.Sprint(r.tools("1")[:2]), fmt.Sprint([]string{"weather" + told("weather\nx"), "weather" + told("weather\ny")}); got != want {
			t.Errorf("listed as %s", got)
		}
		if got := r.call("2", "weather"); refused(got) || r.toServer("2") != `weather\nx` {
			t.Errorf("the old name: %s", got)
		}
		r.gate.set(func(g *gatekeeper) { g.settings["sanitizer.profile"] = "off" })
		for !strings.Contains(r.next(), "list_changed") {
		}
		if got := r.call("3", "weather"); refused(got) || r.toServer("3") != `weather\nx` {
			t.Errorf("under another profile: %s", got)
		}
	})
}

// Refusals and decisions use the name that the client knows, and records the server's.
func TestARefusalNamesAToolAsTheClientKnowsIt(t *testing.T) {
	r := ready(t, profiled("strict"), declaring(named(`weather\nx`), echoTool))
	r.server.declare(func(s *server) { s.tools[0] = strings.Replace(s.tools[0], `"d"`, `"changed"`, 1) })
	r.gate.set(func(g *gatekeeper) { g.approve = approveNone })
	r.server.write(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	for !strings.Contains(r.next(), "list_changed") {
	}
	for id, said := range map[string]string{"1": "weather", "2": `weather\nx`} {
		got := r.call(id, said)
		if !refused(got) || !strings.Contains(got, `The tool \"weather\" changed`) || !strings.Contains(got, `"code":"4F2A"`) || !strings.Contains(got, `"tool":"weather"`) {
			t.Errorf("%s: %s", said, got)
		}
	}
	r.records("the refusal, under the server's name", func(c control.Record) bool {
		return c.Kind == vocab.RecordCall && c.Status == vocab.StatusBlocked && c.Tool == "weather x" && strings.Contains(string(c.Detail), `"delivered_as":"weather"`)
	})
}

// Of a server that nobody reviewed, no name tells whether a tool exists.
func TestOfAnUnreviewedServerNoNameSaysThatAToolExists(t *testing.T) {
	r := newRig(t, approveNone, profiled("strict"), declaring(named(`weather\nx`)))
	r.initialize()
	r.tools("1")
	there, not := r.call("2", `weather\nx`), r.call("2", `weather\ny`)
	if there != not {
		t.Errorf("%s\nand\n%s", there, not)
	}
}

func TestAHeldResponseKnowsBothNames(t *testing.T) {
	r := ready(t, profiled("strict"), declaring(named(`weather\nx`)))
	saying(r, textResult(poison))
	for id, said := range map[string]string{"1": "weather", "2": `weather\nx`} {
		if got := r.call(id, said); !strings.Contains(got, `The tool \"weather\" was run`) || !strings.Contains(got, `"tool":"weather"`) {
			t.Errorf("%s: %s", said, got)
		}
	}
	held := r.gate.heldAnswers()
	if len(held) != 2 || held[0].Item != "tool:weather\nx" || held[0].Name != "weather\nx" || held[0].Same != held[1].Same {
		t.Fatalf("%+v", held)
	}
	// The same call again, by either name, gets what was released.
	r.gate.set(func(g *gatekeeper) {
		g.released = []control.Released{{Code: "4F2A", Same: held[0].Same, Until: time.Now().Add(time.Hour)}}
		g.taken = control.Taken{State: vocab.HeldTaken, Method: "tools/call", Server: "weather", Tool: "weather\nx", Answer: []byte(`{"content":[]}`)}
	})
	if got := r.call("3", "weather"); !strings.Contains(got, `"tool":"weather","status":"released"`) {
		t.Error(got)
	}
	if same, err := pin.RequestDigest("tools/call", []byte(`{"name":"weather","arguments":{}}`)); err != nil || same != held[0].Same {
		t.Error("it does not go by the delivered name")
	}
}

func TestATaskFollowsTheToolThatCreatedItByWhicheverName(t *testing.T) {
	r := ready(t, profiled("strict"), declaring(named(`weather\nx`)))
	r.server.declare(func(s *server) {
		s.handle = func(line string) (string, bool) {
			return `{"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"t1","status":"working"}}}`, strings.Contains(line, `"tools/call"`)
		}
	})
	r.call("1", "weather")
	r.send(`{"jsonrpc":"2.0","id":2,"method":"tasks/get","params":{"taskId":"t1"}}`)
	if got := r.answerTo("2"); refused(got) {
		t.Error(got)
	}
}

// Spotlighting names the source as the client knows it.
func TestTheSourceOfForeignTextHasTheDeliveredName(t *testing.T) {
	r := ready(t, profiled("strict"), declaring(named(`weather\nx`)), func(r *rig) { r.gate.settings["spotlight"] = "on" })
	saying(r, textResult("sunny"))
	if got := r.call("1", "weather"); !strings.Contains(got, `source=\"weather/weather\"`) {
		t.Error(got)
	}
}

// Collisions that block are about the server's names: cutting makes none.
func TestCuttingIsNoCollision(t *testing.T) {
	r := ready(t, profiled("strict"), declaring(named(`weather\nx`), named(`weather\ny`)))
	for _, f := range r.gate.found() {
		if f.Rule == pin.NameCollision || f.Level == inspect.Critical {
			t.Errorf("%+v", f)
		}
	}
}
