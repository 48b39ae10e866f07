package address

import (
	"net/netip"
	"strings"
	"testing"
)

func TestAddressesThatTwoProgramsCouldReadDifferentlyAreRefused(t *testing.T) {
	for address, words := range map[string]string{
		"https://mcp.example/mcp": "", "http://127.0.0.1:3000/mcp": "", "https://[::1]:8443/": "", "https://a.example/x?key=1": "",
		"ftp://a.example/":        "must begin with https://",
		"a.example/mcp":           "must begin with https://",
		"HTTPS://":                "names no host",
		"https://user:pw@a.ex/":   "user name or password",
		"https://user@a.ex/":      "user name or password",
		"https://a.example/#x":    "# part",
		"https://a.example/#":     "# part",
		"https://ä.example/":      "printable ASCII",
		"https://a.example/ b":    "printable ASCII",
		"https://a.example/\r\nX": "printable ASCII",
		"https://:443/":           "names no host",
		"https://a.example:x/":    "no address",
		"https://a.example/%zz":   "no address",
	} {
		_, err := Parse(address)
		if (err == nil) != (words == "") || err != nil && !strings.Contains(err.Error(), words) {
			t.Errorf("%q: %v", address, err)
		}
	}
}

func TestAClassHasAPlaceInAnOrder(t *testing.T) {
	inside := []Class{"", Loopback, Private, Public}
	for i, a := range inside {
		for j, b := range inside {
			if a.InnerTo(b) != (i < j) {
				t.Errorf("%q inner to %q: %v", a, b, a.InnerTo(b))
			}
		}
	}
	if Proxied.InnerTo(Public) || Public.InnerTo(Proxied) {
		t.Error("what a proxy leads to is inner to nothing")
	}
	for ip, class := range map[string]Class{
		"127.0.0.1": Loopback, "127.9.9.9": Loopback, "::1": Loopback, "::ffff:127.0.0.1": Loopback,
		"10.1.2.3": Private, "172.16.0.1": Private, "192.168.1.1": Private, "100.64.0.1": Private, "fd00::1": Private, "::ffff:10.0.0.1": Private,
		"192.0.2.1": Public, "2001:db8::1": Public, "100.128.0.1": Public,
		"169.254.169.254": "", "fe80::1": "", "0.0.0.0": "", "::": "", "224.0.0.1": "", "ff02::1": "",
	} {
		if got := ClassOf(netip.MustParseAddr(ip)); got != class {
			t.Errorf("%s is %q, not %q", ip, got, class)
		}
	}
}
