package main

import (
	"io"
	"reflect"
	"strings"
	"testing"
)

// newBlockedReader is a terminal where no one types.
func newBlockedReader() (io.Reader, func()) {
	r, w := io.Pipe()
	return r, func() { w.Close() }
}

func TestWrapLeavesTheServersArgumentsAlone(t *testing.T) {
	for _, c := range []struct {
		name string
		args string
		want wrapOptions
	}{
		{"a command", "-- npx -y server", wrapOptions{argv: []string{"npx", "-y", "server"}}},
		{"flags of the server that look like ours", "-- server --name x --help --client=y", wrapOptions{argv: []string{"server", "--name", "x", "--help", "--client=y"}}},
		{"a second -- reaches the server", "--name a -- server -- --", wrapOptions{name: "a", argv: []string{"server", "--", "--"}}},
		{"a command that begins with --", "-- --", wrapOptions{argv: []string{"--"}}},
		{"values joined and apart", "--name=a=b --client c -- s", wrapOptions{name: "a=b", client: "c", argv: []string{"s"}}},
		{"a value that looks like a flag", "--name --client -- s", wrapOptions{name: "--client", argv: []string{"s"}}},
		{"help before --", "--name x --help -- s", wrapOptions{name: "x", help: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := parseWrap(strings.Fields(c.args))
			c.want.transport = "auto"
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
	if got, err := parseWrap([]string{"--", "sh", "-c", `echo "a b"  $X`, "", "\n"}); err != nil || !reflect.DeepEqual(got.argv, []string{"sh", "-c", `echo "a b"  $X`, "", "\n"}) {
		t.Errorf("quotes, spaces or empty words were lost: %q, %v", got.argv, err)
	}
}

func TestWrapRefusesWhatItDoesNotUnderstand(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"", "no server"},
		{"server", "after it"},
		{"--", "no command"},
		{"--nam x -- s", "unknown flag --nam"},
		{"--name", "needs a value"},
		{"--header a -- s", "--url"},
		{"--url http://x -- s", "one server"},
		{"--url http://x --transport tcp", "auto, http or sse"},
		{"--transport sse -- s", "--transport goes with --url"},
		{"--account work -- s", "--account goes with --url"},
		{"--url http://x --account", "needs a value"},
		{"--url http://x --account=", "--account: the label is empty"},
		{"--url http://x --account a/b", "--account: a label has"},
	} {
		if _, err := parseWrap(strings.Fields(c.args)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.args, err)
		}
	}
}

func TestWrapTakesALabelForAnAccount(t *testing.T) {
	for _, args := range []string{"--url http://x --account work", "--account=work --url=http://x"} {
		if got, err := parseWrap(strings.Fields(args)); err != nil || got.account != "work" || got.url != "http://x" {
			t.Errorf("%q: %+v, %v", args, got, err)
		}
	}
	to, err := remoteOf("https://h.example/mcp", "work", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if server := to.register("", "").Server; server.URL != "https://h.example/mcp account:work" || server.Name != "h.example work" || to.address.String() != "https://h.example/mcp" {
		t.Errorf("it registers as %+v and connects to %s", server, to.address)
	}
	if server := to.register("tracker", "").Server; server.Name != "tracker" {
		t.Errorf("it is called %s", server.Name)
	}
}

func TestWrapTakesItsCommandWithoutDashes(t *testing.T) {
	for value, want := range map[string][]string{
		`["npx","-y","server"]`:              {"npx", "-y", "server"},
		`["s","--","--name","x","--help"]`:   {"s", "--", "--name", "x", "--help"},
		" [ \"a b\" , \"\" , \"\\u00e9\" ] ": {"a b", "", "é"},
		`["s","\ufffd","\ud83d\ude00"]`:      {"s", "\uFFFD", "😀"},
	} {
		got, err := parseWrap([]string{"--name", "a", "--argv=" + value, "--client", "c"})
		if err != nil || !reflect.DeepEqual(got, wrapOptions{name: "a", client: "c", transport: "auto", argv: want}) {
			t.Errorf("%s: %+v, %v", value, got, err)
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--argv", `["a"]`}, "after an equals sign"},
		{[]string{"--argv="}, "not a JSON array"},
		{[]string{"--argv=npx -y x"}, "not a JSON array"},
		{[]string{`--argv={"a":1}`}, "not a JSON array"},
		{[]string{`--argv=["a",1]`}, "not a JSON array"},
		{[]string{`--argv=["a"]["b"]`}, "not a JSON array"},
		{[]string{`--argv=["a"] x`}, "not a JSON array"},
		{[]string{`--argv=["a",null]`}, "item 2 is null"},
		{[]string{`--argv=[]`}, "the first item is the program"},
		{[]string{`--argv=null`}, "the first item is the program"},
		{[]string{`--argv=["","a"]`}, "the first item is the program"},
		{[]string{`--argv=["\ud800"]`}, "can't be read"},
		{[]string{"--argv=[\"a\xff\"]"}, "can't be read"},
		{[]string{`--argv=["a"]`, "--", "b"}, "two commands"},
		{[]string{`--argv=["a"]`, `--argv=["a"]`}, "two commands"},
		{[]string{`--argv=["a"]`, "--url", "http://x"}, "one server"},
	} {
		if got, err := parseWrap(c.args); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %+v, %v", c.args, got, err)
		}
	}
}

func BenchmarkParseWrap(b *testing.B) {
	args := strings.Fields("--name weather --client claude-desktop -- npx -y server")
	for b.Loop() {
		if _, err := parseWrap(args); err != nil {
			b.Fatal(err)
		}
	}
}
