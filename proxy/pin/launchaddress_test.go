package pin

import (
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/address"
)

func TestANameThatLeadsInwardsIsGraveAndOtherChangesOfAnAddressAreNot(t *testing.T) {
	at := func(class address.Class, transport string, headers ...string) LaunchForm {
		return LaunchForm{Address: &LaunchAddress{Class: class, Transport: transport, Headers: headers}}
	}
	for _, c := range []struct {
		name    string
		allowed []LaunchForm
		now     LaunchForm
		changes int
		grave   bool
	}{
		{"the same", []LaunchForm{at("public", "http", "X: env:A")}, at("public", "http", "X: env:A"), 0, false},
		{"public to loopback", []LaunchForm{at("public", "")}, at("loopback", ""), 1, true},
		{"public to private", []LaunchForm{at("public", "")}, at("private", ""), 1, true},
		{"private to loopback", []LaunchForm{at("private", "")}, at("loopback", ""), 1, true},
		{"proxied to private", []LaunchForm{at("proxied", "")}, at("private", ""), 1, true},
		{"private to public", []LaunchForm{at("private", "")}, at("public", ""), 1, false},
		{"public to proxied", []LaunchForm{at("public", "")}, at("proxied", ""), 1, false},
		{"allowed in both", []LaunchForm{at("public", ""), at("private", "")}, at("private", ""), 0, false},
		{"inner to one of two", []LaunchForm{at("public", ""), at("loopback", "")}, at("private", ""), 1, false},
		{"another transport", []LaunchForm{at("public", "http")}, at("public", "sse"), 1, false},
		{"a transport that was left open", []LaunchForm{at("public", "")}, at("public", "sse"), 0, false},
		{"a transport that was left open and is known since", []LaunchForm{at("public", ""), at("public", "http")}, at("public", "sse"), 1, false},
		{"a transport that is not known yet", []LaunchForm{at("public", "http")}, at("public", ""), 0, false},
		{"another header", []LaunchForm{at("public", "", "X: env:A")}, at("public", "", "X: env:B"), 1, false},
		{"all of it", []LaunchForm{at("public", "http")}, at("loopback", "sse", "X: env:A"), 3, true},
		{"a program before", []LaunchForm{{Executable: LaunchFile{Path: "/bin/a", SHA256: strings.Repeat("0", 64)}}}, at("public", ""), 1, true},
	} {
		d := c.now.Against(c.allowed)
		if len(d.Changes) != c.changes || d.Grave != c.grave || c.changes > 0 && (!d.Strict || d.About() != AboutAddress) {
			t.Errorf("%s: %+v", c.name, d)
		}
	}
	if form := at("public", "", "B: env:B", "A: env:A"); !form.Complete() || !form.Known() || len(form.Files()) != 0 {
		t.Error("an address is whole as it is")
	}
	if got := at("loopback", "").Assume(at("public", "sse")); got.Address.Transport != "sse" || got.Address.Class != "loopback" {
		t.Errorf("assumed: %+v", got.Address)
	}
	if got := at("loopback", "http").Assume(at("public", "sse")); got.Address.Transport != "http" {
		t.Errorf("assumed: %+v", got.Address)
	}
	raw, _, err := at("private", "sse", "X: env:A").Definition()
	if err != nil {
		t.Fatal(err)
	}
	if words := LaunchWords(raw); len(words) != 3 || words[0].After != "an address in a private network" {
		t.Errorf("words: %+v", words)
	}
}

// Another proxy is a circumstance: it is shown, and nobody is asked. With a change that is asked about it makes no other question of it.
func TestAProxyIsShownWithItsHostAndNoQuestion(t *testing.T) {
	through := func(proxy string) LaunchForm {
		return LaunchForm{Address: &LaunchAddress{Class: address.Proxied, Proxy: proxy, Transport: "http"}}
	}
	direct := LaunchForm{Address: &LaunchAddress{Class: address.Public, Transport: "http"}}
	a, b := through("a.example:3128"), through("b.example:3128")
	raw, digest, err := a.Definition()
	if err != nil {
		t.Fatal(err)
	}
	if words := LaunchWords(raw); words[0].After != "an address behind the proxy a.example:3128" {
		t.Errorf("words: %+v", words)
	}
	d := b.Against([]LaunchForm{a})
	if d.Drifted() || d.Strict || d.Grave || len(d.Joins) != 1 || d.Joins[0].Before != "an address behind the proxy a.example:3128" || d.Joins[0].After != "an address behind the proxy b.example:3128" {
		t.Errorf("another proxy: %+v", d)
	}
	for name, allowed := range map[string][]LaunchForm{"the same": {a}, "one of two": {a, b}, "one of two, and the other order": {b, a}} {
		if d := a.Against(allowed); d.Drifted() || len(d.Joins) != 0 {
			t.Errorf("%s: %+v", name, d)
		}
	}
	if d := a.Against([]LaunchForm{direct}); len(d.Changes) != 1 || d.Changes[0].After != "an address behind the proxy a.example:3128" {
		t.Errorf("public to proxied: %+v", d)
	}
	if !a.SameCode(b) || a.SameCode(direct) || a.Program() != b.Program() || a.Program() == "" {
		t.Error("another proxy must be the same launch otherwise")
	}
	_, askedOfA, _ := a.Asked([]LaunchForm{direct}).Definition()
	_, askedOfB, _ := b.Asked([]LaunchForm{direct}).Definition()
	if askedOfA != askedOfB {
		t.Error("another proxy makes another question")
	}
	if _, again, _ := a.Definition(); again != digest || a.Proxy() != "a.example:3128" {
		t.Error("comparing changed the form")
	}
}
