package oauth

import (
	"context"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/sallyport/sallyport/app/oauth/issuer"
	"github.com/sallyport/sallyport/proxy/address"
)

// patience bounds every wait; no test depends on how long something takes.
const patience = 20 * time.Second

// Where names lead in tests. Connections are made to this computer all the same.
var leads = map[string]string{
	"mcp.example": "192.0.2.1", "auth.example": "198.51.100.1", "evil.example": "203.0.113.1",
	"inner.example": "10.0.0.1", "here.example": "127.0.0.1", "cloud.example": "169.254.169.254", "127.0.0.1": "127.0.0.1",
}

func lookUp(_ context.Context, host string) ([]netip.Addr, error) {
	ip, known := leads[host]
	if !known {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return []netip.Addr{netip.MustParseAddr(ip)}, nil
}

func dialHere(ctx context.Context, network, to string) (net.Conn, error) {
	_, port, err := net.SplitHostPort(to)
	if err != nil {
		return nil, err
	}
	return new(net.Dialer).DialContext(ctx, network, net.JoinHostPort("127.0.0.1", port))
}

// stage is a server with its issuer, and a client that signs in to it.
type stage struct {
	*issuer.Issuer
	t *testing.T
	c *Client
}

// inPublic is a server and an issuer at public addresses, over TLS.
func inPublic(t *testing.T, k issuer.Knobs) *stage {
	t.Helper()
	ca, err := issuer.NewAuthority("mcp.example", "auth.example", "evil.example", "inner.example", "here.example", "cloud.example")
	if err != nil {
		t.Fatal(err)
	}
	return stand(t, issuer.Options{Authority: ca, IssuerHost: "auth.example", ResourceHost: "mcp.example", Knobs: k})
}

// onThisComputer is a server and an issuer on this computer, in the clear.
func onThisComputer(t *testing.T, k issuer.Knobs) *stage {
	t.Helper()
	return stand(t, issuer.Options{Knobs: k})
}

func stand(t *testing.T, o issuer.Options) *stage {
	t.Helper()
	i, err := issuer.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(i.Close)
	u, err := address.Parse(i.Resource)
	if err != nil {
		t.Fatal(err)
	}
	options := Options{Server: u}
	if o.Authority != nil {
		options.Roots = o.Authority.Pool
	}
	s := &stage{i, t, New(options)}
	for _, d := range []*address.Dialer{s.c.encrypted, s.c.clear} {
		d.Lookup, d.Dial = lookUp, dialHere
	}
	return s
}

// begun is a sign-in whose page nobody has opened yet.
func (s *stage) begun() *Attempt {
	s.t.Helper()
	p, err := s.c.Discover(s.t.Context(), Challenge{}, "")
	if err != nil {
		s.t.Fatal(err)
	}
	a, err := s.c.Begin(s.t.Context(), p, Setup{})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(a.Close)
	return a
}

// signedIn is how a sign-in went.
type signedIn struct {
	Tokens
	plan   Plan
	reg    Registration
	page   string // that the person was to open; "" if it came to none
	text   string // of the last page that the person saw
	status int
	err    error
}

// signIn signs in as a person does.
func (s *stage) signIn(challenge Challenge, setup Setup) (in signedIn) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	if in.plan, in.err = s.c.Discover(ctx, challenge, ""); in.err != nil {
		return in
	}
	a, err := s.c.Begin(ctx, in.plan, setup)
	if in.err = err; err != nil {
		return in
	}
	defer a.Close()
	in.page, in.reg = a.URL(), a.Registration()
	in.text, in.status, err = s.Visit(ctx, in.page)
	if err != nil {
		s.t.Errorf("the browser: %v", err)
	}
	wait, stop := context.WithTimeout(ctx, patience)
	defer stop()
	in.Tokens, in.err = a.Wait(wait)
	return in
}

// wants compares counts.
func (s *stage) wants(want map[string]int) {
	s.t.Helper()
	for _, what := range []string{issuer.Registrations, issuer.Pages, issuer.Codes, issuer.Exchanges, issuer.Refreshes, issuer.Refused, issuer.Reused, issuer.Revoked} {
		if got := s.Count(what); got != want[what] {
			s.t.Errorf("%s: %d times, not %d", what, got, want[what])
		}
	}
}
