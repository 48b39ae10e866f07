package remote

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// ParseAddress reads the address of a server as a person wrote it. It refuses what two programs could read differently, and what would put a
// secret where it is shown.
func ParseAddress(raw string) (*url.URL, error) {
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

// classOf is the class of an address; "" for one that no server has: link-local, multicast, unspecified (RFC 6890).
func classOf(ip netip.Addr) Class {
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

// Time limits of a connection.
const (
	connectLimit = 10 * time.Second // name, connection and TLS, each
	maxHeaders   = 64 << 10         // bytes of a response's headers
)

// refusal is why nothing was sent, in our words.
type refusal struct{ why string }

func (r *refusal) Error() string { return r.why }

func refused(format string, args ...any) error { return &refusal{fmt.Sprintf(format, args...)} }

// dialer connects to the server of one address: it resolves the name, checks what it leads to, and connects to what it checked.
type dialer struct {
	origin    *url.URL
	plaintext func() bool // http may go further than this computer
	lookup    func(ctx context.Context, host string) ([]netip.Addr, error)
	dial      net.Dialer
}

func newDialer(origin *url.URL, plaintext func() bool) *dialer {
	return &dialer{
		origin: origin, plaintext: plaintext, dial: net.Dialer{Timeout: connectLimit},
		lookup: func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		},
	}
}

// connect is http.Transport.DialContext. A connection to a proxy is the proxy's matter.
func (d *dialer) connect(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if !strings.EqualFold(host, d.origin.Hostname()) || port != portOf(d.origin) {
		return d.dial.DialContext(ctx, network, address)
	}
	bounded, cancel := context.WithTimeout(ctx, connectLimit)
	ips, err := d.lookup(bounded, host)
	cancel()
	if err != nil {
		return nil, err
	}
	var last error = refused("%s leads to no address", host)
	for _, ip := range ips {
		if last = d.allows(host, ip); last != nil {
			return nil, last // all of them, or the name could be steered from one to the other
		}
	}
	for _, ip := range ips {
		conn, err := d.dial.DialContext(ctx, network, net.JoinHostPort(ip.Unmap().String(), port))
		if err == nil {
			return conn, nil
		}
		last = err
	}
	return nil, last
}

func (d *dialer) allows(host string, ip netip.Addr) error {
	switch class := classOf(ip); {
	case class == "":
		return refused("%s leads to %s, an address that no server has", host, ip.Unmap())
	case d.origin.Scheme == "http" && class != Loopback && !d.plaintext():
		return refused("%s is not on this computer, and http:// sends everything in the clear; use https://, or allow it with the setting remote.plaintext", host)
	}
	return nil
}

func portOf(u *url.URL) string {
	if port := u.Port(); port != "" {
		return port
	}
	if u.Scheme == "http" {
		return "80"
	}
	return "443"
}

// proxy is http.Transport.Proxy: the environment's, but nothing in the clear through it.
func (d *dialer) proxy(r *http.Request) (*url.URL, error) {
	through, err := http.ProxyFromEnvironment(r)
	if err == nil && through != nil && r.URL.Scheme == "http" && !d.plaintext() {
		return nil, refused("%s is not on this computer, and http:// sends everything in the clear; use https://, or allow it with the setting remote.plaintext", r.URL.Hostname())
	}
	return through, err
}

// sameOrigin reports whether an address has the scheme, host and port of another (RFC 6454, 4).
func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && portOf(a) == portOf(b)
}

// origin is how another origin is called in errors. Its name is the server's words, so one with characters that host names don't have is not shown.
func origin(u *url.URL) string {
	plain := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune(".-:[]", c)
	}
	if len(u.Host) > maxHost || strings.IndexFunc(u.Scheme+u.Host, func(c rune) bool { return !plain(c) }) >= 0 {
		return "another host"
	}
	return u.Scheme + "://" + u.Host
}

// maxHost is the longest name of a host (RFC 1035, 2.3.4), with a port.
const maxHost = 253 + 6

// whyOf puts an error of the network into our words. sent is false if the request can't have reached the server.
func whyOf(err error, host string) (why string, sent bool) {
	if no, ok := errors.AsType[*refusal](err); ok {
		return no.why, false
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		if dns.IsNotFound {
			return host + " is not known to the network; check the address", false
		}
		return "the name " + host + " could not be looked up; check the network", false
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && (op.Op == "dial" || op.Op == "proxyconnect") {
		switch {
		case errors.Is(err, syscall.ECONNREFUSED):
			return host + " refused the connection: no server is running there", false
		case op.Timeout():
			return fmt.Sprintf("%s did not answer a connection within %s", host, connectLimit), false
		}
		return "no connection to " + host + " could be made; check the network", false
	}
	if isTLS(err) {
		return "the certificate of " + host + " is not valid, so nothing was sent", false
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return host + " did not respond in time", true
	case errors.Is(err, errTooLong):
		return host + " sent a response that is longer than the limit (setting limits.message)", true
	case strings.Contains(err.Error(), "server response headers exceeded"):
		return host + " sent more headers than the 64 KiB that are read", true
	}
	return "the connection to " + host + " broke", true
}
