package policy

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var updateGolden = flag.Bool("update", false, "write docs/settings.md anew")

func TestParseGivesEveryValueOneSpelling(t *testing.T) {
	for _, c := range []struct{ name, key, value, want string }{
		{"a word in another case", "pins.first_use", "Trust-Clean", "trust-clean"},
		{"a bare number is seconds", "pins.recheck", "30", "30s"},
		{"a fraction of a second", "pins.recheck", "0.5", "500ms"},
		{"zero is every call", "pins.recheck", "0", "0s"},
		{"a Go duration", "pins.recheck", "1m30s", "1m30s"},
		{"whole hours keep no zero minutes", "activity.keep", "2160h0m0s", "2160h"},
		{"whole minutes keep no zero seconds", "pins.recheck", "120", "2m"},
		{"ten hours keep their zero", "activity.keep", "10h", "10h"},
		{"off where it is allowed", "pins.recheck", "OFF", "off"},
		{"a JSON true is on", "pins.resources", "true", "on"},
		{"a JSON false is off", "pins.resources", "false", "off"},
		{"plain bytes", "limits.message", "67108864", "64MiB"},
		{"a short suffix is binary", "limits.message", "64m", "64MiB"},
		{"a decimal suffix is decimal", "limits.message", "1 MB", "1000000"},
		{"white space around", "own_tools", " waiting ", "waiting"},
		{"a number of levels", "output_validation.max_depth", "007", "7"},
		{"a size of a few bytes", "output_validation.max_bytes", "10", "10"},
		{"a path is told one way", "inspect.rules", rooted + "/a//b/../rules.json", filepath.FromSlash(rooted + "/a/rules.json")},
		{"no file", "inspect.rules", "Off", "off"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := must(t, c.key)
			got, err := s.Parse(c.value)
			if err != nil || got != c.want {
				t.Fatalf("%s = %q: got %q, %v, want %q", c.key, c.value, got, err, c.want)
			}
			if again, err := s.Parse(got); err != nil || again != got {
				t.Errorf("canonical %q reads as %q, %v", got, again, err)
			}
		})
	}
}

func TestParseRefusesInOneLineThatNamesWhatIsAllowed(t *testing.T) {
	for _, c := range []struct{ name, key, value, names string }{
		{"an unknown word", "pins.first_use", "trust", "review, trust-clean"},
		{"nothing at all", "own_tools", "", "once, always, waiting"},
		{"a negative duration", "pins.recheck", "-1s", "0s to 24h"},
		{"a duration without a unit that is no number", "pins.recheck", "3o", "or off"},
		{"off where a wait has to end", "pins.recheck_timeout", "off", "can't be off"},
		{"a wait of nothing", "pins.recheck_timeout", "0", "1ms to 10m"},
		{"not a number", "pins.recheck", "NaN", "not a duration"},
		{"a number beyond all durations", "pins.recheck", "1e300", "not a duration"},
		{"a size below what a handshake needs", "limits.message", "1", "4KiB"},
		{"a size that overflows", "limits.message", "99999999999GiB", "not a size"},
		{"a negative size", "activity.max_size", "-1", "not a size"},
		{"a number with a fraction", "output_validation.max_depth", "1.5", "0 to 1000"},
		{"a number below none", "output_validation.max_depth", "-1", "0 to 1000"},
		{"a number beyond all numbers", "output_validation.max_depth", "99999999999999999999", "0 to 1000"},
		{"a word for a number", "output_validation.max_depth", "deep", "not a whole number"},
		{"a line break in a value", "pins.resources", "on\noff", "on, off"},
		{"a path from where somebody stands", "inspect.rules", "rules.json", "full path"},
		{"a path that goes up", "inspect.rules", "../rules.json", "full path"},
		{"a home that only a shell knows", "inspect.rules", "~/rules.json", "~ doesn't work here"},
		{"a line break in a path", "inspect.rules", rooted + "/a\nb", "invisible characters"},
		{"a path that moves the cursor", "inspect.rules", rooted + "/a\x1b[2J", "invisible characters"},
		{"a path that is turned around", "inspect.rules", rooted + "/a\u202egpj.json", "invisible characters"},
		{"a path of bytes that are no text", "inspect.rules", rooted + "/\xff", "invisible characters"},
		{"a path without end", "inspect.rules", rooted + "/" + strings.Repeat("a", 5000), "4096"},
		{"no path at all", "inspect.rules", "", "full path"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := must(t, c.key).Parse(c.value)
			if err == nil {
				t.Fatalf("%s = %q was read as %q", c.key, c.value, got)
			}
			if !strings.Contains(err.Error(), c.names) || !strings.HasPrefix(err.Error(), c.key+": ") || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q does not say %q in one line", err, c.names)
			}
		})
	}
}

func TestLoosens(t *testing.T) {
	for _, c := range []struct {
		name, key, from, to string
		loosens             bool
	}{
		{"trusting on first use loosens", "pins.first_use", "review", "trust-clean", true},
		{"reviewing tightens", "pins.first_use", "trust-clean", "review", false},
		{"looking less often loosens", "pins.recheck", "30s", "31s", true},
		{"looking more often tightens", "pins.recheck", "30s", "0s", false},
		{"never looking loosens", "pins.recheck", "24h", "off", true},
		{"looking at all tightens", "pins.recheck", "off", "24h", false},
		{"a longer wait keeps calls flowing to a server that stalls", "pins.recheck_timeout", "10s", "11s", true},
		{"a shorter wait tightens", "pins.recheck_timeout", "10s", "1s", false},
		{"pinning resources tightens", "pins.resources", "off", "on", false},
		{"not pinning them loosens", "pins.resources", "on", "off", true},
		{"a shield tightens", "sandbox", "off", "shield", false},
		{"strict is tighter than a shield", "sandbox", "shield", "strict", false},
		{"a shield in place of strict loosens", "sandbox", "strict", "shield", true},
		{"no sandbox loosens", "sandbox", "shield", "off", true},
		{"http to other computers loosens", "remote.plaintext", "off", "on", true},
		{"no http to other computers tightens", "remote.plaintext", "on", "off", false},
		{"asking for marks tightens", "spotlight", "off", "ask", false},
		{"marks for every response tighten", "spotlight", "ask", "on", false},
		{"letting a call turn marks off loosens", "spotlight", "on", "ask", true},
		{"no marks loosen", "spotlight", "ask", "off", true},
		{"blocking what does not match tightens", "output_validation.mode", "warn", "strict", false},
		{"only recording it loosens", "output_validation.mode", "strict", "warn", true},
		{"not checking loosens", "output_validation.mode", "warn", "off", true},
		{"turning a tool off tightens", "tools.mode", "allow", "off", false},
		{"asking before a call tightens", "tools.mode", "allow", "ask", false},
		{"turning a tool on loosens", "tools.mode", "off", "ask", true},
		{"no longer asking loosens", "tools.mode", "ask", "allow", true},
		{"turning a tool on for all calls loosens", "tools.mode", "off", "allow", true},
		{"only noting where arguments came from loosens", "flow.policy", "ask", "note", true},
		{"looking at where arguments came from tightens", "flow.policy", "off", "note", false},
		{"a class more tightens", "tools.class", "takes", "gives,takes", false},
		{"another class loosens", "tools.class", "takes", "gives,commits", true},
		{"no class loosens", "tools.class", "gives", "none", true},
		{"a choice in place of Sallyport's reading loosens", "tools.class", "auto", "gives", true},
		{"every class in its place tightens", "tools.class", "auto", "gives,takes,commits,changes access,reaches", false},
		{"Sallyport's reading in place of a choice loosens", "tools.class", "gives", "auto", true},
		{"deeper content loosens", "output_validation.max_depth", "9", "10", true},
		{"shallower content tightens", "output_validation.max_depth", "10", "9", false},
		{"larger content loosens", "output_validation.max_bytes", "8MiB", "9MiB", true},
		{"demanding content tightens", "output_validation.missing_structured_content", "allow", "block", false},
		{"no longer demanding it loosens", "output_validation.missing_structured_content", "block", "allow", true},
		{"larger messages loosen", "limits.message", "64MiB", "65MiB", true},
		{"approval from the command line loosens", "approvals.cli", "off", "on", true},
		{"taking it back tightens", "approvals.cli", "on", "off", false},
		{"forgetting sooner loosens", "activity.keep", "2160h", "1h", true},
		{"remembering longer tightens", "activity.keep", "1h", "2160h", false},
		{"less room for evidence loosens", "activity.max_size", "256MiB", "1MiB", true},
		{"when our tools are listed is a matter of taste", "own_tools", "always", "waiting", false},
		{"and back", "own_tools", "waiting", "always", false},
		{"further rules tighten", "inspect.rules", "off", rooted + "/a", false},
		{"no further rules loosen", "inspect.rules", rooted + "/a", "off", true},
		{"other rules may hold less", "inspect.rules", rooted + "/a", rooted + "/b", true},
		{"the same rules again", "inspect.rules", rooted + "/a", rooted + "/a", false},
		{"another spelling of the same loosens nothing", "pins.recheck", "30s", "30", false},
		{"doubt: from a value that cannot be read", "pins.first_use", "?", "review", true},
		{"doubt: to a value that cannot be read", "pins.first_use", "review", "?", true},
		{"doubt: between two equal values that cannot be read", "pins.first_use", "?", "?", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := must(t, c.key).Loosens(c.from, c.to); got != c.loosens {
				t.Errorf("%s from %q to %q: loosens = %v", c.key, c.from, c.to, got)
			}
		})
	}
}

// rooted is how a whole path begins on this system.
var rooted = func() string {
	if filepath.Separator == '\\' {
		return "C:"
	}
	return ""
}()

func TestStricter(t *testing.T) {
	for _, c := range []struct{ name, key, a, b, want string }{
		{"the first is stricter", "pins.recheck", "0s", "30s", "0s"},
		{"the second is stricter", "pins.recheck", "off", "30s", "30s"},
		{"equally safe: the first", "own_tools", "waiting", "always", "waiting"},
		{"one cannot be read", "pins.first_use", "?", "trust-clean", "trust-clean"},
		{"the other cannot be read", "pins.first_use", "trust-clean", "?", "trust-clean"},
		{"neither can be read", "pins.first_use", "?", "", "review"},
		{"an unknown key has no value", "no.such", "a", "b", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Stricter(c.key, c.a, c.b); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestEveryRowOfTheTableHoldsTogether(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range All() {
		if seen[s.Key] {
			t.Errorf("%s stands in the table twice", s.Key)
		}
		seen[s.Key] = true
		if got, err := s.Parse(s.Default); err != nil || got != s.Default {
			t.Errorf("%s: default %q reads as %q, %v", s.Key, s.Default, got, err)
		}
		if s.Loosens(s.Default, s.Default) {
			t.Errorf("%s: staying at the default loosens", s.Key)
		}
		if len(s.Doc) < 20 || !strings.HasSuffix(s.Doc, ".") || s.Values == "" || s.Safer == "" {
			t.Errorf("%s: is not documented", s.Key)
		}
	}
	for key := range Defaults() {
		if !seen[key] {
			t.Errorf("default of unknown %s", key)
		}
	}
}

func TestForWrapperFallsBackToDefaults(t *testing.T) {
	defaults := Wrapper{OwnTools: "once", Recheck: 30 * time.Second, RecheckTimeout: 10 * time.Second, MaxMessage: 64 << 20, Launch: "notify", Idle: 15 * time.Minute,
		MaxInspect: 64 << 20, HoldBeyond: true, Mode: "allow", Flow: "ask", Classes: "auto", Interaction: "guard", Descriptions: "review", Sanitizer: "standard", ANSI: "visible", Redact: "detect", GuardTimeout: 2 * time.Second, GuardHold: true, Spotlight: "off",
		Validation: "warn", ValidateBytes: 8 << 20, ValidateDepth: 64}
	broken := Values{}
	for _, s := range All() {
		broken[s.Key] = "no value of anything"
	}
	for name, values := range map[string]Values{"no values": nil, "defaults": Defaults(), "values that cannot be read": broken} {
		if got := ForWrapper(values); got != defaults {
			t.Errorf("%s: %+v", name, got)
		}
	}
	got := ForWrapper(Values{"own_tools": "waiting", "pins.first_use": "trust-clean", "pins.recheck": "off",
		"pins.recheck_timeout": "1s", "pins.resources": "on", "limits.message": "1MiB", "pins.launch": "block", "sandbox": "shield", "remote.plaintext": "on", "remote.idle": "1m",
		"inspect.max_bytes": "1MiB", "inspect.on_limit": "allow", "tools.mode": "off", "flow.policy": "note", "tools.class": "takes,gives", "interaction.policy": "deny", "inspect.descriptions": "block", "sanitizer.profile": "strict", "sanitizer.ansi": "strip", "redact.mode": "redact", "redact.profile": "strict", "spotlight": "ask",
		"output_validation.mode": "strict", "output_validation.max_bytes": "10", "output_validation.max_depth": "3", "output_validation.missing_structured_content": "block"})
	want := Wrapper{OwnTools: "waiting", TrustClean: true, RecheckOff: true, RecheckTimeout: time.Second, Resources: true, MaxMessage: 1 << 20, Launch: "block", Plaintext: true, Idle: time.Minute,
		MaxInspect: 1 << 20, Mode: "off", Flow: "note", Classes: "gives,takes", Interaction: "deny", Descriptions: "block", Sanitizer: "strict", ANSI: "strip", Redact: "redact", RedactStrict: true, GuardTimeout: 2 * time.Second, GuardHold: true, Spotlight: "ask",
		Validation: "strict", ValidateBytes: 10, ValidateDepth: 3, BlockMissing: true}
	if got != want {
		t.Errorf("set values: %+v", got)
	}
	if got := ForWrapper(Values{"pins.recheck": "0s"}); got.RecheckOff || got.Recheck != 0 {
		t.Errorf("every call: %+v", got)
	}
	if got := ForHub(Values{"activity.keep": "garbage"}); got != (Hub{AutoProtect: true, ActivityKeep: 90 * 24 * time.Hour, ActivitySize: 256 << 20, Retention: 24 * time.Hour}) {
		t.Errorf("hub: %+v", got)
	}
	if got := ForHub(Values{"inspect.rules": filepath.FromSlash(rooted + "/rules.json")}).Rules; got != filepath.FromSlash(rooted+"/rules.json") {
		t.Errorf("rule file: %q", got)
	}
}

// TestTheSettingsPageSaysWhatTheTableSays keeps docs/settings.md from drifting away from the table.
func TestTheSettingsPageSaysWhatTheTableSays(t *testing.T) {
	page := filepath.Join("..", "..", "docs", "settings.md")
	want := settingsPage()
	if *updateGolden {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if strings.ReplaceAll(string(got), "\r\n", "\n") != want {
		t.Errorf("%s does not say what the table says: go test ./proxy/policy -update", page)
	}
}

func settingsPage() string {
	var b strings.Builder
	b.WriteString(pageIntro)
	for _, s := range All() {
		fmt.Fprintf(&b, "\n### `%s`\n\n%s\n\n", s.Key, s.Doc)
		fmt.Fprintf(&b, "- values: %s\n- default: `%s`\n- can be set: %s\n- safer: %s\n", s.Values, s.Default, map[Scope]string{
			Global: "globally", Server: "globally, per server", Tool: "globally, per server, per tool",
		}[s.Scope], s.Safer)
		if s.Window {
			b.WriteString("- can only be set in the window\n")
		}
	}
	return b.String()
}

const pageIntro = "# Settings\n\n" +
	"<!-- Written by `go test ./proxy/policy -update` from the table in proxy/policy/table.go. -->\n\n" +
	"`sallyport settings list` shows every setting with its value and where it comes from. `sallyport settings set KEY VALUE` changes one.\n" +
	"Safer values apply at once. Sallyport asks before making anything less safe, like an approval.\n" +
	"To restore the default or the value for all servers, set an empty value: `sallyport settings set KEY ''` (with `--server` or\n" +
	"`--tool` if it was set with them).\n\n" +
	"You can also edit `settings.json` by hand, with dotted or nested keys, and `servers` for values that differ per server or per tool. The\n" +
	"file must be yours alone: Sallyport doesn't read one that others can read or write (mode 0644, as many editors create it).\n" +
	"`chmod 600` fixes that.\n\n" +
	"```json\n{\n  \"pins.recheck\": \"30s\",\n  \"pins\": { \"resources\": true },\n  \"servers\": {\n    \"weather\": { \"pins.recheck\": 0, \"tools\": { \"read_mail\": { \"redact.mode\": \"redact\" } } }\n  }\n}\n```\n\n" +
	"- A stricter value applies at once. A less safe one goes to the inbox (`settings_changed`); the stricter value applies until you decide.\n" +
	"- Name a server by its whole name, its identity (`stdio:…`, `url:…`) or its id (see `sallyport servers --json`). Under a\n" +
	"  display name a value can only be stricter: another command may take the same name tomorrow, and trust never follows a name.\n" +
	"- Name a tool as its server does. The narrowest value applies: a tool's before its server's, and that before the one for all servers.\n" +
	"- Sallyport reports keys that are unknown, given twice or of the wrong type and ignores them; it still reads the rest of the file.\n" +
	"- Write durations as in Go (`30s`, `1m30s`, `0`); a bare number is seconds. Write sizes in bytes, or with `KiB`, `MiB` or `GiB`.\n\n" +
	"## The table\n"

func must(t *testing.T, key string) Setting {
	t.Helper()
	s, ok := Lookup(key)
	if !ok {
		t.Fatalf("no setting %s", key)
	}
	return s
}

func equal(a, b Values) bool { return maps.Equal(a, b) }
