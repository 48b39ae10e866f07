package identity

import (
	"strings"
	"testing"

	"github.com/sallyport/sallyport/app/mask"
	"github.com/sallyport/sallyport/proxy/control"
)

func TestWhatIsOneServerAndWhatIsNot(t *testing.T) {
	stdio := func(argv ...string) control.ServerRef {
		return control.ServerRef{Transport: "stdio", Argv: argv, Name: "n"}
	}
	url := func(u string) control.ServerRef { return control.ServerRef{Transport: "url", URL: u} }
	renamed := stdio("npx", "-y", "weather")
	renamed.Name = "another name"
	for _, c := range []struct {
		name string
		a, b control.ServerRef
		same bool
	}{
		{"the same command under another name is the same server", stdio("npx", "-y", "weather"), renamed, true},
		{"another argument is another server", stdio("npx", "-y", "weather"), stdio("npx", "-y", "weather@2"), false},
		{"another order is another server", stdio("npx", "-y", "weather"), stdio("npx", "weather", "-y"), false},
		{"a space does not join arguments", stdio("a", "b c"), stdio("a", "b", "c"), false},
		{"a separator does not join arguments", stdio("a", "b\x00c"), stdio("a", "b", "c"), false},
		{"a quote does not join arguments", stdio("a", `b","c`), stdio("a", "b", "c"), false},
		{"an empty argument counts", stdio("a", ""), stdio("a"), false},
		{"a URL is no command", stdio("https://x/"), url("https://x/"), false},
		{"a URL is taken as written", url("https://x/"), url("https://x"), false},
		{"an account of its own is another server", url("https://x/"), url("https://x/ account:work"), false},
		{"another account is another server", url("https://x/ account:home"), url("https://x/ account:work"), false},
		{"an account in another case is another server", url("https://x/ account:Work"), url("https://x/ account:work"), false},
		{"a label in the path is no account", url("https://x/account:work"), url("https://x/ account:work"), false},
		{"a query is masked, an account is not", url("https://x/?k=one1 account:work"), url("https://x/?k=two2 account:work"), false},
		{"another token is another server", stdio("a", "--token", "one1one1"), stdio("a", "--token", "two2two2"), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, err := Of(c.a)
			if err != nil {
				t.Fatal(err)
			}
			b, err := Of(c.b)
			if err != nil {
				t.Fatal(err)
			}
			if (a.ID == b.ID) != c.same {
				t.Fatalf("%s and %s", a.Display, b.Display)
			}
			if (a.Display == b.Display) != c.same {
				t.Fatalf("they look alike: %s", a.Display)
			}
		})
	}
	for name, ref := range map[string]control.ServerRef{
		"no command":                    stdio(),
		"an empty command":              stdio(""),
		"both":                          {Transport: "stdio", Argv: []string{"a"}, URL: "https://x"},
		"neither":                       {Transport: "url"},
		"another way":                   {Transport: "pipe", Argv: []string{"a"}},
		"a blank in the URL":            url("https://x/ y"),
		"an account without a label":    url("https://x/ account:"),
		"a label that wrap refuses":     url("https://x/ account:my work"),
		"two accounts":                  url("https://x/ account:a account:b"),
		"bytes that JSON did not carry": stdio("a", "b\uFFFD"),
	} {
		if id, err := Of(ref); err == nil {
			t.Errorf("%s is a server: %+v", name, id)
		}
	}
}

func TestAnAccountIsShownWhereverItsServerIs(t *testing.T) {
	id, err := Of(control.ServerRef{Transport: "url", URL: "https://x.example/mcp?api_key=hunter2 account:aZ3kP9mQ2xR7tY4uW8vB1nC6"})
	if err != nil {
		t.Fatal(err)
	}
	if id.URL != "https://x.example/mcp?api_key=*** account:aZ3kP9mQ2xR7tY4uW8vB1nC6" || id.Display != "url:"+id.URL+" #"+id.ID[:6] {
		t.Errorf("shown as %s, its address as %s", id.Display, id.URL)
	}
}

func TestSecretsAreMaskedAndTheRestIsNot(t *testing.T) {
	for _, c := range []struct {
		name   string
		argv   []string
		shown  []string
		secret string
	}{
		{"a value after its flag", []string{"srv", "--token", "hunter2"}, []string{"srv", "--token", "***"}, "hunter2"},
		{"a value behind an equals sign", []string{"srv", "--api-key=hunter2"}, []string{"srv", "--api-key=***"}, "hunter2"},
		{"a variable", []string{"env", "API_KEY=hunter2", "srv"}, []string{"env", "API_KEY=***", "srv"}, "hunter2"},
		{"a known format anywhere", []string{"srv", "ghp_0123456789abcdefghij0123456789abcdef"}, []string{"srv", "***"}, "ghp_0123456789abcdefghij0123456789abcdef"},
		{"a header", []string{"srv", "--header", "Authorization: Bearer abcdefgh12345"}, []string{"srv", "--header", "Authorization: Bearer ***"}, "abcdefgh12345"},
		{"a connection string", []string{"srv", "postgres://bob:hunter2@db/x"}, []string{"srv", "postgres://***@db/x"}, "hunter2"},
		{"a password with an at sign in it", []string{"srv", "postgres://bob:hun@ter2@db/x"}, []string{"srv", "postgres://***@db/x"}, "ter2"},
		{"a query value", []string{"srv", "https://x/mcp?api_key=hunter2&a=1"}, []string{"srv", "https://x/mcp?api_key=***&a=1"}, "hunter2"},
		{"a long random run", []string{"srv", "aZ3kP9mQ2xR7tY4uW8vB1nC6"}, []string{"srv", "***"}, "aZ3kP9mQ2xR7tY4uW8vB1nC6"},
		{"nothing in honest arguments", []string{"npx", "-y", "@modelcontextprotocol/server-sequential-thinking@2025.7.1", "/home/me/Documents", "--port", "8080", "--log-level=debug"}, []string{"npx", "-y", "@modelcontextprotocol/server-sequential-thinking@2025.7.1", "/home/me/Documents", "--port", "8080", "--log-level=debug"}, ""},
		{"no path, however odd", []string{"/tmp/TestAbc1Def2Ghi3Jkl4Mno5Pqr6/001/server", "/tmp/TestAbc1Def2Ghi3Jkl4Mno5Pqr6/002"}, []string{"/tmp/TestAbc1Def2Ghi3Jkl4Mno5Pqr6/001/server", "/tmp/TestAbc1Def2Ghi3Jkl4Mno5Pqr6/002"}, ""},
		{"no digest of an image", []string{"docker", "run", "x@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}, []string{"docker", "run", "x@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			id, err := Of(control.ServerRef{Transport: "stdio", Argv: c.argv})
			if err != nil {
				t.Fatal(err)
			}
			if strings.Join(id.Argv, "\n") != strings.Join(c.shown, "\n") {
				t.Fatalf("shown %q, want %q", id.Argv, c.shown)
			}
			if c.secret == "" && id.Display != "stdio:"+mask.PlainJSON(c.argv) {
				t.Fatalf("identity %s", id.Display)
			}
			if c.secret != "" && (strings.Contains(id.Display, c.secret) || !strings.HasSuffix(id.Display, " #"+id.ID[:6])) {
				t.Fatalf("identity %s", id.Display)
			}
		})
	}
	for raw, shown := range map[string]string{
		"https://user:hunter2@x.example/mcp":             "https://***@x.example/mcp",
		"https://x.example/mcp?token=hunter2#t":          "https://x.example/mcp?token=***#t",
		"https://x.example/mcp?q=a%20b&c&d=":             "https://x.example/mcp?q=***&***&d=",
		"https://x.example/s/aZ3kP9mQ2xR7tY4uW8vB1nC6/m": "https://x.example/s/***/m",
	} {
		if got, _ := mask.URL(raw); got != shown {
			t.Errorf("%s is shown as %s", raw, got)
		}
	}
}
