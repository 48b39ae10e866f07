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
