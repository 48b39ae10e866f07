package policy

import (
	"bytes"
	"strings"
	"testing"
)

const (
	echo    = "stdio:npx -y echo"
	echoID  = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	weather = "weather"
)

func parse(t *testing.T, text string) Document {
	t.Helper()
	d, errs := ParseDocument([]byte(text))
	if len(errs) > 0 {
		t.Fatalf("%s: %v", text, errs)
	}
	return d
}

func TestEffective(t *testing.T) {
	for _, c := range []struct{ name, file, identity, display, key, want string }{
		{"an empty file is the defaults", ``, "", "", "pins.recheck", "30s"},
		{"an empty object is the defaults", `{}`, echo, weather, "pins.first_use", "review"},
		{"a dotted key", `{"pins.recheck":"5s"}`, "", "", "pins.recheck", "5s"},
		{"a nested key", `{"pins":{"recheck":5}}`, "", "", "pins.recheck", "5s"},
		{"dotted and nested side by side", `{"pins":{"recheck":5},"pins.resources":true}`, "", "", "pins.resources", "on"},
		{"global holds for a server", `{"pins.recheck":"5s"}`, echo, weather, "pins.recheck", "5s"},
		{"an identity tightens", `{"servers":{"stdio:npx -y echo":{"pins.recheck":0}}}`, echo, "", "pins.recheck", "0s"},
		{"an identity loosens", `{"servers":{"stdio:npx -y echo":{"pins":{"recheck":"off"}}}}`, echo, "", "pins.recheck", "off"},
		{"an id loosens", `{"servers":{"` + echoID + `":{"pins.recheck":"off"}}}`, echoID, "", "pins.recheck", "off"},
		{"another server is untouched", `{"servers":{"stdio:npx -y echo":{"pins.recheck":"off"}}}`, "stdio:other", weather, "pins.recheck", "30s"},
		{"global is untouched by a server", `{"servers":{"stdio:npx -y echo":{"pins.recheck":"off"}}}`, "", "", "pins.recheck", "30s"},
		{"a name tightens", `{"servers":{"weather":{"pins.recheck":0}}}`, "stdio:any", weather, "pins.recheck", "0s"},
		{"a name tightens what the identity loosened", `{"servers":{"stdio:npx -y echo":{"pins.recheck":"off"},"weather":{"pins.recheck":1}}}`, echo, weather, "pins.recheck", "1s"},
		{"a server that calls itself like an identity gets nothing", `{"servers":{"stdio:npx -y echo":{"pins.recheck":"off"}}}`, "stdio:evil", echo, "pins.recheck", "30s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := parse(t, c.file).Effective(c.identity, c.display)[c.key]; got != c.want {
				t.Errorf("%s = %q, want %q", c.key, got, c.want)
			}
		})
	}
}

func TestTheNarrowestValueOfAToolApplies(t *testing.T) {
	for _, c := range []struct{ name, file, tool, want, from string }{
		{"its own", `{"redact.mode":"redact","servers":{"` + echoID + `":{"redact.mode":"detect","tools":{"read":{"redact.mode":"off"}}}}}`, "read", "off", "tool"},
		{"its server's", `{"redact.mode":"redact","servers":{"` + echoID + `":{"redact.mode":"off","tools":{"read":{"redact.mode":"redact"}}}}}`, "write", "off", "server"},
		{"the one for all", `{"redact.mode":"redact","servers":{"` + echoID + `":{"tools":{"read":{"redact.mode":"off"}}}}}`, "write", "redact", "settings"},
		{"of an id before that of an identity", `{"servers":{"` + echoID + `":{"tools":{"read":{"redact.mode":"off"}}},"` + echo + `":{"tools":{"read":{"redact.mode":"redact"}}}}}`, "read", "off", "tool"},
		{"of an identity before a server's of an id", `{"servers":{"` + echoID + `":{"redact.mode":"off"},"` + echo + `":{"tools":{"read":{"redact.mode":"redact"}}}}}`, "read", "redact", "tool"},
		{"a name's, which is stricter", `{"servers":{"weather":{"tools":{"read":{"redact.mode":"redact"}}}}}`, "read", "redact", "tool"},
		{"a name with a slash, a dot and a quote in it", `{"servers":{"` + echoID + `":{"tools":{"a/b.c \"d\"":{"redact.mode":"off"}}}}}`, `a/b.c "d"`, "off", "tool"},
		{"no tool of another spelling", `{"servers":{"` + echoID + `":{"tools":{"Read":{"redact.mode":"off"}}}}}`, "read", "detect", "default"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, of := parse(t, c.file), Subject{IDs: []string{echo, echoID}, Name: weather, Tool: c.tool}
			if value, from := d.For(of)["redact.mode"], d.From("redact.mode", of); value != c.want || from != c.from {
				t.Errorf("%s from %s, want %s from %s", value, from, c.want, c.from)
			}
			if again := parse(t, string(d.Marshal())); again.For(of)["redact.mode"] != c.want {
				t.Errorf("written and read again it is %s", again.For(of)["redact.mode"])
			}
		})
	}
	d, errs := ParseDocument([]byte(`{"servers":{"weather":{"tools":{"read":{"redact.mode":"off"}}}}}`))
	if len(errs) != 1 || !strings.Contains(errs[0].Error(), "servers.weather.tools.read: redact.mode: under a name") {
		t.Errorf("errors: %v", errs)
	}
	if of := (Subject{Name: weather, Tool: "read"}); d.For(of)["redact.mode"] != "detect" {
		t.Error("a name loosened")
	}
}

func TestAToolsLooserValueWaitsLikeAServers(t *testing.T) {
	const strict = `{"servers":{"` + echoID + `":{"tools":{"read":{"redact.mode":"redact"}}}}}`
	from, to := parse(t, strict), parse(t, `{"redact.mode":"redact","servers":{"`+echoID+`":{"tools":{"read":{"redact.mode":"off"},"write":{"redact.mode":"detect"}}}}}`)
	tightened, loosened := Diff(from, to)
	if len(tightened) != 1 || tightened[0] != (ChangeOfSetting{Key: "redact.mode", From: "detect", To: "redact"}) {
		t.Errorf("tightened: %+v", tightened)
	}
	if len(loosened) != 1 || loosened[0] != (ChangeOfSetting{Key: "redact.mode", Server: echoID, Tool: "read", From: "redact", To: "off"}) {
		t.Errorf("loosened: %+v", loosened)
	}
	both := Strictest(from, to)
	if got := both.For(Subject{IDs: []string{echoID}, Tool: "read"})["redact.mode"]; got != "redact" {
		t.Errorf("meanwhile %s applies", got)
	}
}

// A server has three names in a file. What one of them loosens against another is seen only if they are read together.
func TestTwoNamesOfOneServerAreComparedTogether(t *testing.T) {
	server := Subject{IDs: []string{echo, echoID}, Name: weather}
	id, identity, name := `"`+echoID+`":`, `"`+echo+`":`, `"weather":`
	const redacted, detected = `{"redact.mode":"redact"}`, `{"redact.mode":"detect"}`
	tool := func(values string) string { return `{"tools":{"read":` + values + `}}` }
	for _, c := range []struct {
		name, from, to string
		loosened       bool
	}{
		{"a tool of the identity under the server of the id", id + redacted, id + redacted + "," + identity + tool(detected), true},
		{"a tool of the id under the server of the identity", identity + redacted, identity + redacted + "," + id + tool(detected), true},
		{"the id over the identity", identity + redacted, identity + redacted + "," + id + detected, true},
		{"the identity, and the id has a value of its own", id + redacted, id + redacted + "," + identity + detected, false},
		{"the name no longer tightens the id", id + `{"redact.mode":"off"},` + name + redacted, id + `{"redact.mode":"off"}`, true},
		{"the name no longer tightens a tool", id + tool(detected) + "," + name + redacted, id + tool(detected), true},
		{"a value moves from the identity to the id", identity + redacted, id + redacted, false},
		{"a stricter tool", id + detected, id + detected + "," + identity + tool(redacted), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			from, to := parse(t, `{"servers":{`+c.from+`}}`), parse(t, `{"servers":{`+c.to+`}}`)
			_, loosened := Diff(from, to, server)
			if (len(loosened) > 0) != c.loosened {
				t.Errorf("loosened: %+v", loosened)
			}
			meanwhile := Strictest(from, to, server)
			for _, of := range []string{"", "read", "write"} {
				server.Tool = of
				if strict, got := Stricter("redact.mode", from.For(server)["redact.mode"], to.For(server)["redact.mode"]), meanwhile.For(server)["redact.mode"]; got != strict {
					t.Errorf("tool %q: meanwhile %s applies and not %s", of, got, strict)
				}
			}
			for _, change := range loosened {
				var err error
				if to, err = to.Set(change.Key, change.From, change.Server, change.Tool); err != nil {
					t.Fatal(err)
				}
			}
			if _, left := Diff(from, to, server); len(left) > 0 {
				t.Errorf("taken back, and still looser: %+v", left)
			}
		})
	}
}

func TestTrustNeverFollowsADisplayName(t *testing.T) {
	d, errs := ParseDocument([]byte(`{"servers":{"weather":{"pins.first_use":"trust-clean"}}}`))
	if len(errs) != 1 || !strings.Contains(errs[0].Error(), "under a name, a setting can only be stricter") {
		t.Errorf("errors: %v", errs)
	}
	if got := d.Effective("stdio:evil", weather)["pins.first_use"]; got != "review" {
		t.Errorf("a server named weather is trusted: %s", got)
	}
	if _, err := (Document{}).Set("pins.first_use", "trust-clean", weather, ""); err == nil {
		t.Error("Set under a name loosened")
	}
}

func TestParseDocumentNamesWhatIsWrongAndReadsTheRest(t *testing.T) {
	const good = `"pins.resources":true`
	for _, c := range []struct{ name, file, says string }{
		{"an unknown key", `{"pins.rechek":1,` + good + `}`, "pins.rechek: no such setting"},
		{"an unknown nested key", `{"pins":{"rechek":1},` + good + `}`, "pins.rechek: no such setting"},
		{"an unknown group", `{"pin":{"recheck":1},` + good + `}`, "pin: no such setting"},
		{"a value out of range", `{"pins.recheck":-1,` + good + `}`, "out of range"},
		{"a list", `{"pins.recheck":[1],` + good + `}`, "must be a word"},
		{"null", `{"pins.recheck":null,` + good + `}`, "must be a word"},
		{"an object for a value", `{"pins.recheck":{},` + good + `}`, "must be a word"},
		{"a key twice", `{"pins.recheck":"off","pins.recheck":"0",` + good + `}`, "pins.recheck: given twice"},
		{"a key dotted and nested", `{"pins":{"recheck":"off"},"pins.recheck":"0",` + good + `}`, "pins.recheck: given twice"},
		{"a group twice", `{"pins":{"recheck":"off"},"pins":{},` + good + `}`, "pins: given twice"},
		{"servers that is no object", `{"servers":[],` + good + `}`, "servers: must be an object"},
		{"servers twice", `{"servers":{"a":{"pins.recheck":0}},"servers":{},` + good + `}`, "servers: given twice"},
		{"a server that is no object", `{"servers":{"a":1},` + good + `}`, "servers.a: must be an object"},
		{"a server twice", `{"servers":{"a":{},"a":{}},` + good + `}`, "servers.a: given twice"},
		{"a global key under a server", `{"servers":{"a":{"own_tools":"waiting"}},` + good + `}`, "servers.a: own_tools: can't be set for a server"},
		{"a server's key under a tool", `{"servers":{"a":{"tools":{"t":{"pins.recheck":0}}}},` + good + `}`, "can't be set for a tool"},
		{"a name with a line break", `{"a\nb":1,` + good + `}`, `"a\nb": no such setting`},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, errs := ParseDocument([]byte(c.file))
			if len(errs) != 1 || !strings.Contains(errs[0].Error(), c.says) || strings.Contains(errs[0].Error(), "\n") {
				t.Errorf("errors %v, want one that says %q", errs, c.says)
			}
			values := d.Effective("", "")
			if values["pins.resources"] != "on" {
				t.Error("the rest was not read")
			}
			if values["pins.recheck"] != "30s" {
				t.Errorf("what was wrong is in force: %s", values["pins.recheck"])
			}
		})
	}
	for _, c := range []struct{ name, file, says string }{
		{"not JSON", "{\n  \"a\" 1}", "line 2"},
		{"cut off", `{"pins.recheck":`, "not valid JSON"},
		{"something behind it", `{} {}`, "something after its end"},
		{"not an object", `[]`, "not a JSON object"},
		{"deeper than any settings", strings.Repeat(`{"a":`, 50) + `1` + strings.Repeat(`}`, 50), "too deep"},
		{"larger than any settings", `{"a":"` + strings.Repeat("x", MaxDocument) + `"}`, "larger than"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, errs := ParseDocument([]byte(c.file))
			if len(errs) != 1 || !strings.Contains(errs[0].Error(), c.says) {
				t.Errorf("errors %v, want one that says %q", errs, c.says)
			}
			if !equal(d.Effective("", ""), Defaults()) {
				t.Error("something of it is in force")
			}
		})
	}
}

func TestSetChangesOneValueInACopy(t *testing.T) {
	before, errs := ParseDocument([]byte(`{"pins.recheck":"5s","comment":"mine","servers":{"stdio:npx -y echo":{"pins.resources":true,"note":1}}}`))
	if len(errs) != 2 {
		t.Fatalf("errors: %v", errs)
	}
	after, err := before.Set("pins.recheck", "60", echo, "")
	if err != nil {
		t.Fatal(err)
	}
	if got := before.Effective(echo, "")["pins.recheck"]; got != "5s" {
		t.Errorf("the original changed: %s", got)
	}
	if got := after.Effective(echo, "")["pins.recheck"]; got != "1m" {
		t.Errorf("the copy has %s", got)
	}
	if got := after.From("pins.recheck", Subject{IDs: []string{echo}}); got != "server" {
		t.Errorf("it comes from %s", got)
	}
	if got := after.From("pins.recheck", Subject{}); got != "settings" {
		t.Errorf("global comes from %s", got)
	}
	if got := after.From("own_tools", Subject{IDs: []string{echo}}); got != "default" {
		t.Errorf("untouched comes from %s", got)
	}
	text := string(after.Marshal())
	for _, kept := range []string{`"comment": "mine"`, `"note": 1`} {
		if !strings.Contains(text, kept) {
			t.Errorf("%s was lost:\n%s", kept, text)
		}
	}
	cleared, err := after.Set("pins.recheck", "", echo, "")
	if err != nil || cleared.Effective(echo, "")["pins.recheck"] != "5s" {
		t.Errorf("taken out: %v, %v", cleared.Effective(echo, "")["pins.recheck"], err)
	}
	for name, c := range map[string][4]string{
		"an unknown key":       {"no.such", "1", "", ""},
		"a bad value":          {"pins.recheck", "soon", "", ""},
		"a global per server":  {"own_tools", "waiting", echo, ""},
		"a server's per tool":  {"pins.recheck", "0", echo, "t"},
		"a global under a set": {"activity.keep", "1h", weather, ""},
	} {
		if _, err := before.Set(c[0], c[1], c[2], c[3]); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

func TestDiffTellsTighteningFromLoosening(t *testing.T) {
	for _, c := range []struct {
		name, from, to      string
		tightened, loosened string
	}{
		{"nothing", `{"pins.recheck":30}`, `{}`, "", ""},
		{"one of each", `{}`, `{"pins.recheck":"off","pins.resources":true}`, "pins.resources", "pins.recheck"},
		{"a key that is taken out falls back to a looser default", `{"pins.recheck":0}`, `{}`, "", "pins.recheck"},
		{"a value that cannot be read any more loosens", `{"pins.recheck":0}`, `{"pins.recheck":"x"}`, "", "pins.recheck"},
		{"a server's override goes", `{"servers":{"weather":{"pins.recheck":0}}}`, `{}`, "", "weather/pins.recheck"},
		{"a change of the global value is told once", `{"servers":{"weather":{"pins.resources":true}}}`, `{"pins.recheck":"off","servers":{"weather":{"pins.resources":true}}}`, "", "pins.recheck"},
		{"a server that is kept where it was", `{}`, `{"pins.recheck":"off","servers":{"stdio:npx -y echo":{"pins.recheck":30}}}`, "", "pins.recheck"},
		{"a server loosened by identity", `{}`, `{"servers":{"stdio:npx -y echo":{"pins.first_use":"trust-clean"}}}`, "", echo + "/pins.first_use"},
		{"a name that loosens does nothing", `{}`, `{"servers":{"weather":{"pins.first_use":"trust-clean"}}}`, "", ""},
		{"a file that is no JSON any more", `{"pins.recheck":0,"pins.resources":true}`, `{`, "", "pins.recheck pins.resources"},
		{"taste needs nobody", `{}`, `{"own_tools":"waiting"}`, "own_tools", ""},
		{"further rules", `{}`, `{"inspect.rules":"` + rooted + `/a"}`, "inspect.rules", ""},
		{"other rules", `{"inspect.rules":"` + rooted + `/a"}`, `{"inspect.rules":"` + rooted + `/b"}`, "", "inspect.rules"},
		{"a path that cannot be read any more", `{"inspect.rules":"` + rooted + `/a"}`, `{"inspect.rules":"b"}`, "", "inspect.rules"},
		{"command-line approval loosens", `{}`, `{"approvals":{"cli":true}}`, "", "approvals.cli"},
	} {
		t.Run(c.name, func(t *testing.T) {
			from, _ := ParseDocument([]byte(c.from))
			to, _ := ParseDocument([]byte(c.to))
			tightened, loosened := Diff(from, to)
			if got := names(tightened); got != c.tightened {
				t.Errorf("tightened %q, want %q", got, c.tightened)
			}
			if got := names(loosened); got != c.loosened {
				t.Errorf("loosened %q, want %q", got, c.loosened)
			}
			if _, loosened := Diff(from, Strictest(from, to)); len(loosened) > 0 {
				t.Errorf("while it waits, %v is loosened", loosened)
			}
			if tightens, _ := Diff(Strictest(from, to), to); len(tightens) > 0 && c.tightened != "own_tools" {
				t.Errorf("while it waits, %v is not tightened yet", tightens)
			}
		})
	}
}

func names(changes []ChangeOfSetting) string {
	var all []string
	for _, c := range changes {
		if c.Server != "" {
			c.Key = c.Server + "/" + c.Key
		}
		all = append(all, c.Key)
	}
	return strings.Join(all, " ")
}

// FuzzParseDocument: no file may panic, put anything unreadable in force, or change by being written again; and what waits
// for a person never loosens.
func FuzzParseDocument(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, `{"pins":{"recheck":5},"pins.recheck":"0"}`, `{"servers":{"weather":{"pins.recheck":0,"tools":{"t":{"x":1}}}}}`,
		`{"servers":{"stdio:a":{"pins":{"first_use":"trust-clean"}}},"$schema":"x"}`, `{"limits.message":1e300}`, `{"a":`, `[]`, "\xff{}",
		`{"pins.recheck":"1ns","activity.max_size":"1023b","":{"":1},"servers":{"":{"":""}}}`,
	} {
		f.Add([]byte(seed))
	}
	accepted, _ := ParseDocument([]byte(`{"pins.recheck":"1s","servers":{"stdio:a":{"pins.recheck":"off"},"weather":{"pins.resources":true}}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		d, errs := ParseDocument(raw)
		for _, err := range errs {
			if strings.ContainsAny(err.Error(), "\n\x1b") {
				t.Errorf("error of more than a line: %q", err)
			}
		}
		for _, p := range places(d, Document{}, nil) {
			values := d.at(p)
			for key, value := range values {
				s, ok := Lookup(key)
				if !ok {
					t.Fatalf("unknown %q in force", key)
				}
				if canonical, err := s.Parse(value); err != nil || canonical != value {
					t.Fatalf("%s = %q in force reads as %q, %v", key, value, canonical, err)
				}
			}
		}
		written := d.Marshal()
		again, _ := ParseDocument(written)
		if tightened, loosened := Diff(d, again); len(tightened)+len(loosened) > 0 {
			t.Fatalf("written again it differs: %v %v\n%s", tightened, loosened, written)
		}
		if !bytes.Equal(written, again.Marshal()) {
			t.Fatalf("written twice it differs:\n%s\n%s", written, again.Marshal())
		}
		if _, loosened := Diff(accepted, Strictest(accepted, d)); len(loosened) > 0 {
			t.Fatalf("while it waits, %v is loosened", loosened)
		}
	})
}
