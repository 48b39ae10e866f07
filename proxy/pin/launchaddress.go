package pin

import (
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/address"
)

// LaunchAddress is how a remote server is reached: it has no program that could be pinned. Scheme, host and port are part of which server it is.
type LaunchAddress struct {
	Class     address.Class `json:"class" ts_type:"'loopback' | 'private' | 'proxied' | 'public'"` // of the address that its name leads to
	Proxy     string        `json:"proxy,omitempty"`                                               // host and port of the proxy, of the class proxied; a circumstance
	Transport string        `json:"transport,omitempty"`                                           // http or sse; "" until it was found out
	Headers   []string      `json:"headers,omitempty"`                                             // that are sent along, with the source of each value, sorted
}

func (a *LaunchAddress) text() string {
	if a == nil {
		return ""
	}
	lines := []string{a.where()}
	if a.Transport != "" {
		lines = append(lines, transportWords(a.Transport))
	}
	return strings.Join(append(lines, a.Headers...), "\n")
}

// where is the class in words, with the proxy's host.
func (a *LaunchAddress) where() string {
	if a.Class == address.Proxied && a.Proxy != "" {
		return "an address behind the proxy " + a.Proxy
	}
	return classWords(a.Class)
}

func classWords(class address.Class) string {
	switch class {
	case address.Loopback:
		return "an address on this computer"
	case address.Private:
		return "an address in a private network"
	case address.Proxied:
		return "an address behind a proxy"
	case address.Public:
	}
	return "a public address"
}

func transportWords(transport string) string {
	if transport == "sse" {
		return "over HTTP with SSE"
	}
	return "over streamable HTTP"
}

// address compares how a remote server is reached. A name that leads further inwards than was allowed is grave: what is sent there could reach what
// no server from outside may. Another proxy needs no question: it differs from network to network, and sees no more of a server than the network does.
func (d *LaunchDrift) address(now *LaunchAddress, allowed []LaunchForm) {
	var before *LaunchAddress
	class, proxy, transport, headers, inner := false, false, now.Transport == "" || !slices.ContainsFunc(allowed, LaunchForm.speaks), false, true
	for _, a := range allowed {
		if a.Address == nil {
			continue
		}
		before = a.Address
		class = class || before.Class == now.Class
		proxy = proxy || before.Class == now.Class && before.Proxy == now.Proxy
		transport = transport || before.Transport == now.Transport
		headers = headers || slices.Equal(before.Headers, now.Headers)
		inner = inner && now.Class.InnerTo(before.Class)
	}
	if before == nil {
		d.moves(Change{Path: "address", Op: Added, Words: "is reached at an address now, not as a program", After: now.text()}, true)
		return
	}
	if !class {
		d.moves(Change{Path: "address", Op: Changed, Words: "its name leads to " + classWords(now.Class) + " now", Before: before.where(), After: now.where()}, inner)
	} else if !proxy {
		d.joins(Change{Path: "address", Op: Changed, Words: "is reached through another proxy", Before: before.where(), After: now.where()})
	}
	if !transport {
		d.moves(Change{Path: "address", Op: Changed, Words: "is spoken to in another way", Before: transportWords(before.Transport), After: transportWords(now.Transport)}, false)
	}
	if !headers {
		d.moves(Change{Path: "address", Op: Changed, Words: "other headers are sent along", Before: strings.Join(before.Headers, "\n"), After: strings.Join(now.Headers, "\n")}, false)
	}
}

// speaks reports whether it is known how the server is spoken to.
func (f LaunchForm) speaks() bool { return f.Address != nil && f.Address.Transport != "" }

func (d *LaunchDrift) moves(c Change, grave bool) {
	d.Changes = append(d.Changes, c)
	d.moved, d.Strict, d.Grave = true, true, d.Grave || grave
}

// Proxy is the host of the proxy that a remote server is reached through, "" for none.
func (f LaunchForm) Proxy() string {
	if f.Address == nil {
		return ""
	}
	return f.Address.Proxy
}

// behind is the form as it is through another proxy, "" for none.
func (f LaunchForm) behind(proxy string) LaunchForm {
	if f.Proxy() != proxy && f.Address != nil {
		other := *f.Address
		other.Proxy = proxy
		f.Address = &other
	}
	return f
}
