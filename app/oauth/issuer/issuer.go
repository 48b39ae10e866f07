package issuer

import (
	"crypto/rand"
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"
)

// Options don't change while an issuer runs.
type Options struct {
	Path     string // of the issuer, such as /tenant; "" for none
	Endpoint string // the path of the resource; "" is /mcp
	// Authority makes both speak TLS, under these names. nil is plain http on 127.0.0.1.
	Authority                *Authority
	IssuerHost, ResourceHost string       // with an Authority; "" is 127.0.0.1
	Resource                 http.Handler // what is behind the sign-in; nil: a JSON object
	Knobs                    Knobs        // to begin with
}

// Knobs can be turned while an issuer runs, by Set.
type Knobs struct {
	Lifetime     time.Duration // of access tokens; 0: an hour
	Scopes       []string      // that the resource wants, and the issuer knows
	Offline      bool          // the issuer knows offline_access, and gives refresh tokens for it alone
	NoRegistrar  bool          // no dynamic registration
	NoRevocation bool
	Documents    bool // client ids can be addresses
	SamePort     bool // redirect addresses are compared with their port (not as RFC 8252, 7.3 says)
	NoIss        bool // responses of the page do not name the issuer, and don't promise to
	Denies       bool // the person declines

	Out    bool          // status 503 for everything of the issuer
	Before time.Duration // the token endpoint waits so long before it does anything; then not, if the client has gone
	After  time.Duration // the token endpoint waits so long before it responds

	Edit     func(document string, members map[string]any)                   // changes "resource", "issuer", "registration", "tokens" before they are sent
	Redirect func(query url.Values)                                          // changes the response of the page
	Instead  func(place string, w http.ResponseWriter, r *http.Request) bool // responds in place of the issuer or resource if it returns true
	Needs    func(r *http.Request) []string                                  // scopes that a request to the resource needs
}

// What is counted.
const (
	Metadata      = "metadata" // of the issuer
	Registrations = "register"
	Pages         = "authorize" // visits of the page
	Codes         = "code"      // that were given
	Exchanges     = "token"     // codes that were exchanged for tokens
	Refreshes     = "refresh"   // that gave tokens
	Refused       = "refused"   // requests of the token endpoint that gave none
	Reused        = "reused"    // refresh tokens that came again
	Revoked       = "revoked"
	Challenges    = "challenge" // 401s and 403s of the resource
	Calls         = "call"      // requests that the resource let through
)

// Request is one that the issuer or its resource got.
type Request struct {
	Place, Host, Method, Path string // Place is issuer or resource
	Query, Form               url.Values
	Header                    http.Header
}

// Issuer is an authorization server and what it protects.
type Issuer struct {
	URL      string // the issuer's identifier
	Resource string // the address of what it protects

	o       Options
	servers []*http.Server

	mu      sync.Mutex
	knobs   Knobs
	counts  map[string]int
	seen    []Request
	clients map[string]*client
	codes   map[string]*grant
	refresh map[string]*held
	access  map[string]*held
	over    map[string]bool // families of tokens that were revoked
}

// Start starts both.
func Start(o Options) (*Issuer, error) {
	if o.Endpoint == "" {
		o.Endpoint = "/mcp"
	}
	i := &Issuer{
		o: o, knobs: o.Knobs, counts: map[string]int{}, clients: map[string]*client{}, codes: map[string]*grant{},
		refresh: map[string]*held{}, access: map[string]*held{}, over: map[string]bool{},
	}
	base, err := i.serve("issuer", o.IssuerHost, i.issuerRoutes())
	if err != nil {
		return nil, err
	}
	i.URL = base + o.Path
	if base, err = i.serve("resource", o.ResourceHost, i.resourceRoutes()); err != nil {
		i.Close()
		return nil, err
	}
	i.Resource = base + o.Endpoint
	return i, nil
}

// Close ends both.
func (i *Issuer) Close() {
	for _, s := range i.servers {
		_ = s.Close()
	}
}

func (i *Issuer) serve(place, host string, routes http.Handler) (base string, err error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	scheme := "http"
	if host == "" || i.o.Authority == nil {
		host = "127.0.0.1"
	}
	if i.o.Authority != nil {
		scheme = "https"
		l = tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{i.o.Authority.certificate}, MinVersion: tls.VersionTLS12})
	}
	s := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		i.mu.Lock()
		i.seen = append(i.seen, Request{place, r.Host, r.Method, r.URL.Path, r.URL.Query(), r.PostForm, r.Header.Clone()})
		knobs := i.knobs
		i.mu.Unlock()
		switch {
		case knobs.Instead != nil && knobs.Instead(place, w, r):
		case knobs.Out && place == "issuer":
			http.Error(w, "out of order", http.StatusServiceUnavailable)
		default:
			routes.ServeHTTP(w, r)
		}
	})}
	i.servers = append(i.servers, s)
	go func() { _ = s.Serve(l) }()
	return scheme + "://" + net.JoinHostPort(host, port), nil
}

// Set turns knobs.
func (i *Issuer) Set(turn func(*Knobs)) {
	i.mu.Lock()
	defer i.mu.Unlock()
	turn(&i.knobs)
}

func (i *Issuer) now() Knobs {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.knobs
}

// Count is how often something happened.
func (i *Issuer) Count(what string) int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.counts[what]
}

func (i *Issuer) count(what string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.counts[what]++
}

// Seen are all requests so far.
func (i *Issuer) Seen() []Request {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.seen)
}

// Expire ends the life of every access token.
func (i *Issuer) Expire() {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, t := range i.access {
		t.until = time.Time{}
	}
}

// Forget has the issuer forget every client, as one does that was set up anew.
func (i *Issuer) Forget() {
	i.mu.Lock()
	defer i.mu.Unlock()
	clear(i.clients)
}

// Know registers a client as a person does, on a page of the issuer. A secret of "" is none; a redirect address of "" is any on this computer.
func (i *Issuer) Know(id, secret, redirect string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.clients[id] = &client{id: id, secret: secret, redirect: redirect}
}

func fresh() string { return rand.Text() + rand.Text() }
