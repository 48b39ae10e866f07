package clientconfig

import (
	"strings"
	"testing"
)

var tomlTrips = []trip{
	{"Codex's tables with comments everywhere", "codex", "# mine\nmodel = \"o\" # m\n\n[mcp_servers.a] # one\n# before\ncommand = \"npx\" # why\n# between\nargs = [ # first\n  \"-y\", # quiet\n  'pkg', # last\n] # end\nstartup_timeout_sec = 1_0\n\n[mcp_servers.a.env]\nKEY = \"SEKRET\" # secret\n\n[tui]\nx = true\n", nil},
	{"CRLF and no final newline", "codex", "[mcp_servers.a]\r\ncommand = \"npx\"\r\nargs = [\r\n\t\"-y\",\r\n\t\"x\"\r\n]\r\n\r\n[mcp_servers.b]\r\ncommand = 'uvx'\r\n# end", nil},
	{"a byte order mark and inline tables", "codex", "\xef\xbb\xbfmcp_servers = {a = {command=\"x\",args=[\"1\",\"2\"],env={K='SEKRET'}}, b = { command = 'C:\\y.exe' } , c={args=[],command=\"z\"}}", nil},
	{"dotted keys", "codex", "mcp_servers.a.command = \"x\"\nmcp_servers.a.args = []\nmcp_servers.a.env.K = \"SEKRET\"\nmcp_servers.b.command = \"y\" # no args\nmcp_servers . \"c d\" . command = '''z'''\n", nil},
	{"dotted keys below a table", "codex", "[mcp_servers]\n  a.command = \"x\"\n  a.args = [\"1\" , \"2\"]\n  b = { command = \"y\" }\n", nil},
	{"every way to quote a text", "codex", "[mcp_servers.\"a b\"]\ncommand = \"\"\"\\\n  npx\"\"\"\nargs = ['''it's''', \"\\u00e9\\t\\\"\", 'C:\\x', \"\"\"\nline\n\"\"\"]\n", nil},
	{"an argument with a character that TOML must escape", "codex", "[mcp_servers.a]\ncommand = \"x\\u007f\"\n[mcp_servers.\"\\u007f\"]\ncommand = \"y\"\n", nil},
	{"odd servers are named", "codex", "[mcp_servers.r]\nurl = \"https://h.example/\"\nbearer_token_env_var = \"T\"\n[mcp_servers.n]\ncommand = 7\n[mcp_servers.m]\ncommand = \"x\"\nargs = [\"y\", 8]\n[mcp_servers.e]\ncommand = \"x\"\nexperimental_environment = \"remote\"\n[mcp_servers.ok]\ncommand = \"x\"\nenabled = false\nenv_vars = [\"K\"]\n",
		map[string]string{"n": "a number, not text", "m": "argument 2 is a number", "e": "experimental_environment"}},
	{"a table in pieces is left, and the others are done", "codex", "[mcp_servers.a.env]\nK = \"SEKRET\"\n[mcp_servers.a]\ncommand = \"x\"\n[mcp_servers.b]\ncommand = \"y\"\n", map[string]string{"a": "several places"}},
	{"Vibe's servers are a list of tables", "mistral-vibe", "[[mcp_servers]]\nname = \"a\"\ntransport = \"stdio\"\ncommand = \"uvx\"\nargs = [\"x\"]\n\n[[mcp_servers]] # list\nname = \"b\"\ntransport = \"stdio\"\ncommand = [\"npx\", \"-y\"]\nargs = [\"pkg\"]\nenv = { K = \"SEKRET\" }\n\n[[mcp_servers]]\nname = \"c\"\ntransport = \"stdio\"\ncommand = [\n  \"x\",\n]\n\n[[mcp_servers]]\nname = \"line\"\ntransport = \"stdio\"\ncommand = \"npx -y x\"\n\n[[mcp_servers]]\nname = \"r\"\ntransport = \"http\"\nurl = \"https://h.example/\"\n",
		map[string]string{"line": "a line that the client splits"}},
	{"Vibe's servers in one line", "mistral-vibe", "mcp_servers = [ {name=\"a\",transport=\"stdio\",command=\"x\"}, {name=\"b\",transport=\"stdio\",command=[\"y\"],args=[\"z\"]} ]", nil},
	{"Vibe's servers without a name, or with one name twice", "mistral-vibe", "[[mcp_servers]]\ntransport = \"stdio\"\ncommand = \"x\"\n[[mcp_servers]]\nname = \"a\"\ntransport = \"stdio\"\ncommand = \"x\"\n[[mcp_servers]]\nname = \"a\"\ntransport = \"stdio\"\ncommand = \"y\"\n", map[string]string{"": "no name", "a": "same name"}},
}

func TestTOMLFilesComeBackByteForByte(t *testing.T) {
	for _, c := range tomlTrips {
		t.Run(c.name, func(t *testing.T) { checkTrip(t, c) })
	}
}

func TestOnlyTheValuesOfATOMLFileAreEdited(t *testing.T) {
	got := checkTrip(t, tomlTrips[0])
	path := got[strings.Index(got, "command = ")+11 : strings.Index(got, "\" # why")]
	want := strings.NewReplacer(`command = "npx"`, `command = "`+path+`"`, "args = [ # first\n  ", "args = [ # first\n  \"wrap\", \"--name\", \"a\", \"--client\", \"codex\", \"--\", \"npx\", ").Replace(tomlTrips[0].raw)
	if got != want {
		t.Errorf("it is\n%s\nwant\n%s", got, want)
	}
}

func TestATOMLFileThatIsNotValidIsLeftAlone(t *testing.T) {
	for _, raw := range []string{"[mcp_servers.a]\ncommand = \"x\"\ncommand = \"y\"\n", "[mcp_servers]\n[mcp_servers]\n", "mcp_servers = 7", "mcp_servers = [{}]", "x = \xff", strings.Repeat("a.", 300) + "b = 1", "a = " + strings.Repeat("[", 20000)} {
		if _, err := Parse([]byte(raw), FormatOf("codex")); err == nil {
			t.Errorf("%.40q is read", raw)
		}
	}
}

func TestALostOrFalseWrapperInATOMLFileIsPutBack(t *testing.T) {
	by := installed(t)
	by.Client = "codex"
	format := FormatOf("codex")
	const raw = "[mcp_servers.a]\ncommand = \"x\"\nargs = [\"1\"]\n[mcp_servers.b]\ncommand = \"y\"\n"
	wrapped := mustWrap(t, raw, format, by)
	wanted := mustParse(t, string(wrapped.Raw), format).Snapshot(by, wrapped.Records)
	for name, c := range map[string]struct {
		now  string
		left bool
	}{
		"both wrappers are gone":          {raw, false},
		"an argument was added":           {strings.Replace(string(wrapped.Raw), `"1"`, `"1", "2"`, 1), false},
		"another program is the guard":    {strings.Replace(string(wrapped.Raw), by.Path, "/none/sallyport", 1), false},
		"an entry is gone":                {string(wrapped.Raw)[:strings.Index(string(wrapped.Raw), "[mcp_servers.b]")] + "[tui]\nx = 1", false},
		"every entry is gone":             {"x = 1\n", false},
		"every entry is gone, CRLF":       {"x = 1\r\n[mcp_servers]\r\n", false},
		"the servers are an inline table": {"mcp_servers = {}\n", true},
		"a variable moves our data":       {string(wrapped.Raw) + "env = {HOME = \"/x\"}\n", true},
		"a variable of its own was set":   {string(wrapped.Raw) + "env = {K = \"/x\"}\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			now := mustParse(t, c.now, format)
			changes := Compare(wanted, now, by, wrapped.Records)
			if len(changes) == 0 {
				t.Fatal("nothing changed")
			}
			back, err := PutBack(now, wanted, changes, by, wrapped.Records)
			if err != nil {
				t.Fatal(err)
			}
			left := len(back.Outcomes) > 0 && back.Outcomes[0].Did == DidLeave
			if left != c.left || left && back.Changed {
				t.Errorf("outcomes %+v, changed %v", back.Outcomes, back.Changed)
			}
			if again := Compare(wanted, mustParse(t, string(back.Raw), format), by, Renew(wrapped.Records, back.Records)); !c.left && len(again) > 0 {
				t.Errorf("still %v in\n%s", again, back.Raw)
			}
		})
	}
}
