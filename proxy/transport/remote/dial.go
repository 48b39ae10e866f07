package remote

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/sallyport/sallyport/proxy/address"
)

// dialer connects to the server of one address.
type dialer struct {
	*address.Dialer
	origin    *url.URL
	plaintext func() bool // http may go further than this computer
	reaches   func(host string, class address.Class, proxy string) error
	through   func(*http.Request) (*url.URL, error) // the proxy for a request, nil for none
}

func newDialer(origin *url.URL, plaintext func() bool, reaches func(host string, class address.Class, proxy string) error) *dialer {
	if reaches == nil {
		reaches = func(string, address.Class, string) error { return nil }
	}
	d := &dialer{origin: origin, plaintext: plaintext, reaches: reaches, through: http.ProxyFromEnvironment}
	d.Dialer = address.NewDialer(d.allows)
	return d
}

// connect is http.Transport.DialContext. A connection to a proxy is the proxy's matter.
func (d *dialer) connect(ctx context.Context, network, to string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(to)
	if err != nil {
		return nil, err
	}
	if !strings.EqualFold(host, d.origin.Hostname()) || port != address.Port(d.origin) {
		return d.Dial(ctx, network, to)
	}
	conn, _, err := d.Connect(ctx, network, host, port)
	return conn, err
}

func (d *dialer) allows(host string, class address.Class) error {
	if d.origin.Scheme == "http" && class != address.Loopback && !d.plaintext() {
		return inTheClear(host)
	}
	return d.reaches(host, class, "")
}

// proxy is http.Transport.Proxy: the environment's, but nothing in the clear through it.
func (d *dialer) proxy(r *http.Request) (*url.URL, error) {
	through, err := d.through(r)
	if err == nil && through != nil && r.URL.Scheme == "http" && !d.plaintext() {
		return nil, inTheClear(r.URL.Hostname())
	}
	if err == nil && through != nil {
		err = d.reaches(r.URL.Hostname(), address.Proxied, address.HostPort(through))
	}
	return through, err
}

func inTheClear(host string) error {
	return address.Refused("%s is not on this computer, and http:// sends everything in the clear; use https://, or allow it with the setting remote.plaintext", host)
}

// whyOf puts an error of the network into our words. sent is false if the request can't have reached the server.
func whyOf(err error, host string) (why string, sent bool) {
	if errors.Is(err, errTooLong) {
		return host + " sent a response that is longer than the limit (setting limits.message)", true
	}
	return address.Why(err, host)
}
