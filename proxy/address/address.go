package address

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"
)

// Parse reads the address of a server as a person wrote it. It refuses what two programs could read differently, and what would put a secret
// where it is shown.
func Parse(raw string) (*url.URL, error) {
	for _, c := range []byte(raw) {
		if c <= ' ' || c > '~' {
			return nil, errors.New("the address has a character other than printable ASCII; write it percent-encoded")
		}
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return nil, errors.New("it is no address; write it as https://HOST/PATH")
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, errors.New("the address must begin with https:// or http://")
	case u.User != nil:
		return nil, errors.New("the address has a user name or password in it; pass them as a header: --header 'Authorization: Basic env:VAR'")
	case u.Hostname() == "":
		return nil, errors.New("the address names no host; write it as https://HOST/PATH")
	case u.Fragment != "" || strings.Contains(raw, "#"):
		return nil, errors.New("the address has a # part, which no server gets; leave it out")
	}
	return u, nil
}

// Class says where an address is: what changes when a name suddenly leads elsewhere.
type Class string

const (
	Loopback Class = "loopback"
	Private  Class = "private" // RFC 1918, RFC 4193, RFC 6598
	Public   Class = "public"
	Proxied  Class = "proxied" // the proxy resolves the name
)

// InnerTo reports whether an address of this class is nearer to the person than one of the other: reached by fewer people, and trusted by more
// programs. A class that isn't known is nearer than all others.
func (c Class) InnerTo(other Class) bool { return c.distance() < other.distance() }

func (c Class) distance() int {
	switch c {
	case Loopback:
		return 1
	case Private:
		return 2
	case Public, Proxied: // what a proxy leads to isn't known, so nothing inner may be concluded from it
		return 3
	}
	return 0
}

// ClassOf is the class of an address; "" for one that no server has: link-local, multicast, unspecified (RFC 6890).
func ClassOf(ip netip.Addr) Class {
	ip = ip.Unmap()
	switch {
	case ip.IsLoopback():
		return Loopback
	case ip.IsUnspecified(), ip.IsMulticast(), ip.IsLinkLocalUnicast():
		return ""
	case ip.IsPrivate(), sharedSpace.Contains(ip):
		return Private
	}
	return Public
}

var sharedSpace = netip.MustParsePrefix("100.64.0.0/10") // RFC 6598

// Port is the port of an address, written or not.
func Port(u *url.URL) string {
	if port := u.Port(); port != "" {
		return port
	}
	if u.Scheme == "http" {
		return "80"
	}
	return "443"
}

// SameOrigin reports whether an address has the scheme, host and port of another (RFC 6454, 4).
func SameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && Port(a) == Port(b)
}

// Origin is how another origin is called in errors. Its name is the server's words, so one with characters that host names don't have is not shown.
func Origin(u *url.URL) string {
	if !isPlain(u) {
		return "another host"
	}
	return u.Scheme + "://" + u.Host
}

// Host is Origin for the host alone, "" for one that is not shown.
func Host(u *url.URL) string {
	if !isPlain(u) {
		return ""
	}
	return u.Hostname()
}

// HostPort is Host with the port as written.
func HostPort(u *url.URL) string {
	if !isPlain(u) {
		return ""
	}
	return u.Host
}

func isPlain(u *url.URL) bool {
	plain := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune(".-_:[]", c)
	}
	return len(u.Host) <= maxHost && strings.IndexFunc(u.Scheme+u.Host, func(c rune) bool { return !plain(c) }) < 0
}

// maxHost is the longest name of a host (RFC 1035, 2.3.4), with a port.
const maxHost = 253 + 6
