package oauth

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/sallyport/sallyport/proxy/address"
)

// Options say for which server.
type Options struct {
	Server *url.URL // from address.Parse
	// Class is the class of the server's own address, as it was approved. nil: it is looked up once, and the outermost address counts. "" counts
	// as public.
	Class func() address.Class
	Now   func() time.Time // nil: time.Now
	Roots *x509.CertPool   // nil: the system's
}

// Limits of one request.
const (
	requestLimit = 10 * time.Second
	maxBody      = 1 << 20
	maxRedirects = 3
)

// Client makes every request of the sign-in to one server.
type Client struct {
	o             Options
	encrypted     *address.Dialer
	clear         *address.Dialer
	over, through *http.Transport // without and with a proxy
	inClear       *http.Transport
	limit         time.Duration                         // of a request
	proxy         func(*http.Request) (*url.URL, error) // that the environment names

	mu    sync.Mutex
	class address.Class // that was looked up
}

// New makes a client. Nothing is sent.
func New(o Options) *Client {
	if o.Now == nil {
		o.Now = time.Now
	}
	c := &Client{o: o, limit: requestLimit, proxy: http.ProxyFromEnvironment}
	c.encrypted = address.NewDialer(func(host string, class address.Class) error {
		if floor := c.floor(); class.InnerTo(floor) {
			return address.Refused("%s leads to a %s address, and the server's own is %s; nothing was sent", host, class, floor)
		}
		return nil
	})
	c.clear = address.NewDialer(func(host string, class address.Class) error {
		if class != address.Loopback {
			return address.Refused("%s is not on this computer, and http:// sends everything in the clear; nothing was sent", host)
		}
		return nil
	})
	c.over, c.inClear, c.through = c.transport(c.encrypted), c.transport(c.clear), c.transport(nil)
	c.through.Proxy = func(r *http.Request) (*url.URL, error) { return c.proxy(r) }
	return c
}

// transport keeps no connection: a sign-in is a few requests, and then nothing for a long time.
func (c *Client) transport(d *address.Dialer) *http.Transport {
	t := &http.Transport{
		TLSHandshakeTimeout: address.ConnectLimit, MaxResponseHeaderBytes: address.MaxHeaders, DisableCompression: true, DisableKeepAlives: true,
		ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: c.o.Roots, MinVersion: tls.VersionTLS12},
	}
	if d != nil {
		t.DialContext = func(ctx context.Context, network, to string) (net.Conn, error) {
			host, port, err := net.SplitHostPort(to)
			if err != nil {
				return nil, err
			}
			conn, _, err := d.Connect(ctx, network, host, port)
			return conn, err
		}
	}
	return t
}

// floor is the class that no address may be inner to: the server's own, or public while that isn't known.
func (c *Client) floor() address.Class {
	class := c.known()
	if class == "" {
		return address.Public
	}
	return class
}

func (c *Client) known() address.Class {
	if c.o.Class != nil {
		return c.o.Class()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.class
}

// settle finds out the class of the server's address, unless the caller knows it.
func (c *Client) settle(ctx context.Context) error {
	if c.o.Class == nil && c.known() == "" {
		class, err := c.classOf(ctx, c.o.Server)
		if err != nil {
			return err
		}
		c.mu.Lock()
		c.class = class
		c.mu.Unlock()
	}
	if c.o.Server.Scheme != "https" && c.floor() != address.Loopback {
		return failed(ErrWrong, "%s is reached over http://, which sends everything in the clear, so there is no sign-in to it; use https://", c.o.Server.Hostname())
	}
	return nil
}

func (c *Client) classOf(ctx context.Context, u *url.URL) (address.Class, error) {
	proxied, err := c.isProxied(u)
	if err != nil || proxied {
		return address.Proxied, err
	}
	look := &address.Dialer{Lookup: c.encrypted.Lookup, Allows: func(string, address.Class) error { return nil }}
	ips, err := look.Resolve(ctx, u.Hostname())
	if err != nil {
		return "", c.broke(u, err)
	}
	var outermost address.Class
	for _, ip := range ips {
		if class := address.ClassOf(ip); outermost.InnerTo(class) {
			outermost = class
		}
	}
	return outermost, nil
}

func (c *Client) isProxied(u *url.URL) (bool, error) {
	through, err := c.proxy(&http.Request{URL: u})
	if err != nil {
		return false, failed(ErrUnreachable, "the proxy that the environment names can't be used; check HTTPS_PROXY")
	}
	return through != nil, nil
}

// may reports whether an address is one that a sign-in may use, before anything is sent there.
func (c *Client) may(ctx context.Context, u *url.URL) error {
	if err := c.settle(ctx); err != nil {
		return err
	}
	proxied, err := c.isProxied(u)
	if err != nil {
		return err
	}
	dialer := c.encrypted
	if u.Scheme != "https" {
		if c.floor() != address.Loopback || proxied {
			return failed(ErrWrong, "%s is not https, so nothing was sent there", address.Origin(u))
		}
		dialer = c.clear
	}
	if _, err = dialer.Resolve(ctx, u.Hostname()); err == nil {
		return nil
	}
	if _, unknown := errors.AsType[*net.DNSError](err); unknown && proxied {
		return nil // the proxy knows names that this computer doesn't
	}
	return c.broke(u, err)
}

// response is what a server sent.
type response struct {
	status int
	body   []byte
}

// send makes one request and reads its response. Redirects of a GET are followed within the origin; a request with a body is never sent twice.
func (c *Client) send(ctx context.Context, method string, to *url.URL, header http.Header, body string) (*response, error) {
	ctx, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	origin := to
	for n := 0; ; n++ {
		if err := c.may(ctx, to); err != nil {
			return nil, err
		}
		r, err := c.once(ctx, method, to, header, body)
		if err != nil {
			return nil, err
		}
		if r.StatusCode < 300 || r.StatusCode >= 400 {
			defer r.Body.Close()
			read, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
			switch {
			case err != nil:
				return nil, c.broke(to, err)
			case len(read) > maxBody:
				return nil, failed(ErrWrong, "%s sent more than the 1 MiB that is read", address.Origin(to))
			}
			return &response{r.StatusCode, read}, nil
		}
		r.Body.Close()
		next, err := to.Parse(r.Header.Get("Location"))
		switch {
		case err != nil || next.Host == "":
			return nil, failed(ErrWrong, "%s redirects to no address", address.Origin(to))
		case !address.SameOrigin(next, origin):
			return nil, failed(ErrWrong, "%s redirects to %s, where nothing was sent", address.Origin(to), address.Origin(next))
		case method != http.MethodGet || n == maxRedirects:
			return nil, failed(ErrWrong, "%s redirects a request of the sign-in, which is not followed", address.Origin(to))
		}
		next.User, next.Fragment = nil, ""
		to = next
	}
}

func (c *Client) once(ctx context.Context, method string, to *url.URL, header http.Header, body string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, to.String(), strings.NewReader(body))
	if err != nil {
		return nil, failed(ErrWrong, "%s can't be used as an address", address.Origin(to))
	}
	for name, values := range header {
		r.Header[name] = values
	}
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", "Sallyport")
	proxied, err := c.isProxied(to)
	if err != nil {
		return nil, err
	}
	transport := c.over
	switch {
	case to.Scheme != "https":
		transport = c.inClear
	case proxied:
		transport = c.through
	}
	got, err := transport.RoundTrip(r)
	if err != nil {
		return nil, c.broke(to, err)
	}
	return got, nil
}

// broke is an error of the network in our words.
func (c *Client) broke(to *url.URL, err error) *Failure {
	why, _ := address.Why(err, address.Origin(to))
	if _, refused := errors.AsType[*address.Refusal](err); refused {
		return failed(ErrWrong, "%s", why)
	}
	return failed(ErrUnreachable, "%s", why)
}
