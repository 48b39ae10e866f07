package oauth

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sallyport/sallyport/app/oauth/issuer"
	"github.com/sallyport/sallyport/proxy/address"
)

// in changes one member of a document.
func in(document, member string, value func(s *stage) any) func(s *stage, k *issuer.Knobs) {
	return func(s *stage, k *issuer.Knobs) {
		v := value(s)
		k.Edit = func(name string, members map[string]any) {
			switch {
			case name == document && v == nil:
				delete(members, member)
			case name == document:
				members[member] = v
			}
		}
	}
}

func always(v any) func(*stage) any { return func(*stage) any { return v } }

// elsewhere is an address of an issuer at another host, with the same port, where the same program listens.
func elsewhere(host, path string) func(s *stage) any {
	return func(s *stage) any { return elsewhereOf(s, host, path) }
}

func elsewhereOf(s *stage, host, path string) string {
	u, _ := url.Parse(s.URL)
	return u.Scheme + "://" + host + ":" + u.Port() + path
}

func redirecting(place, path string, status int, to func(s *stage) any) func(s *stage, k *issuer.Knobs) {
	return func(s *stage, k *issuer.Knobs) {
		target := to(s).(string)
		k.Instead = func(at string, w http.ResponseWriter, r *http.Request) bool {
			if at != place || !strings.HasPrefix(r.URL.Path, path) || strings.HasPrefix(r.Host, "evil.") {
				return false
			}
			w.Header().Set("Location", target)
			w.WriteHeader(status)
			return true
		}
	}
}

func responding(path string, status int, body string) func(s *stage, k *issuer.Knobs) {
	return func(_ *stage, k *issuer.Knobs) {
		k.Instead = func(_ string, w http.ResponseWriter, r *http.Request) bool {
			if !strings.HasPrefix(r.URL.Path, path) {
				return false
			}
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
			return true
		}
	}
}

func inResponse(change func(q url.Values)) func(s *stage, k *issuer.Knobs) {
	return func(_ *stage, k *issuer.Knobs) { k.Redirect = change }
}

func TestTwelveWrongAuthorizationServersGetNothing(t *testing.T) {
	const prm, asm = "/.well-known/oauth-protected-resource", "/.well-known/oauth-authorization-server"
	const (
		beforeThePage = iota // no page was opened
		afterThePage         // a person opened the page, and its response was refused: no code was sent
		atTheTokens          // the code was sent, once, to the right place; nothing came of it
	)
	for _, c := range []struct {
		name  string
		wrong func(s *stage, k *issuer.Knobs)
		when  int
		words string
	}{
		// The twelve, some in several ways.
		{"1 the issuer in the metadata differs", in("issuer", "issuer", elsewhere("evil.example", "")), beforeThePage, "about another issuer"},
		{"1 the issuer differs by a slash", in("issuer", "issuer", func(s *stage) any { return s.URL + "/" }), beforeThePage, "about another issuer"},
		{"1 the issuer differs by case", in("issuer", "issuer", func(s *stage) any { return strings.Replace(s.URL, "auth", "AUTH", 1) }), beforeThePage, "about another issuer"},
		{"2 no word about PKCE", in("issuer", "code_challenge_methods_supported", always(nil)), beforeThePage, "S256"},
		{"2 only plain PKCE", in("issuer", "code_challenge_methods_supported", always([]string{"plain"})), beforeThePage, "S256"},
		{"3 iss in the response differs", inResponse(func(q url.Values) { q.Set("iss", "https://evil.example") }), afterThePage, "from another issuer"},
		{"3 iss is empty", inResponse(func(q url.Values) { q.Set("iss", "") }), afterThePage, "from another issuer"},
		{"4 iss is missing though promised", inResponse(func(q url.Values) { q.Del("iss") }), afterThePage, "does not name the issuer"},
		{"5 the metadata is about another server", in("resource", "resource", always("https://evil.example/mcp")), beforeThePage, "about another resource"},
		{"5 the metadata is about a neighbour", in("resource", "resource", func(s *stage) any { return s.Resource + "2" }), beforeThePage, "about another resource"},
		{"5 the metadata is about half a segment", in("resource", "resource", func(s *stage) any { return strings.TrimSuffix(s.Resource, "p") }), beforeThePage, "about another resource"},
		{"5 the metadata is about what is below", in("resource", "resource", func(s *stage) any { return s.Resource + "/below" }), beforeThePage, "about another resource"},
		{"6 the metadata of the server redirects elsewhere", redirecting("resource", prm, 302, elsewhere("evil.example", prm)), beforeThePage, "redirects to https://evil.example"},
		{"7 the issuer is at an inner address", in("resource", "authorization_servers", func(s *stage) any { return []string{elsewhereOf(s, "inner.example", "")} }), beforeThePage, "leads to a private address"},
		{"7 the issuer is on this computer", in("resource", "authorization_servers", func(s *stage) any { return []string{elsewhereOf(s, "here.example", "")} }), beforeThePage, "leads to a loopback address"},
		{"7 the place for tokens is at an inner address", in("issuer", "token_endpoint", elsewhere("inner.example", "/token")), beforeThePage, "leads to a private address"},
		{"7 the page is on this computer", in("issuer", "authorization_endpoint", elsewhere("here.example", "/authorize")), beforeThePage, "leads to a loopback address"},
		{"7 the registrar is where clouds keep their keys", in("issuer", "registration_endpoint", elsewhere("cloud.example", "/register")), beforeThePage, "that no server has"},
		{"7 the place for revoking is an inner address in figures", in("issuer", "revocation_endpoint", elsewhere("127.0.0.1", "/revoke")), beforeThePage, "leads to a loopback address"},
		{"8 another state", inResponse(func(q url.Values) { q.Set("state", "A"+q.Get("state")[1:]+"A") }), afterThePage, "another sign-in"},
		{"8 no state", inResponse(func(q url.Values) { q.Del("state") }), afterThePage, "another sign-in"},
		{"9 the place for tokens redirects elsewhere", redirecting("issuer", "/token", 307, elsewhere("evil.example", "/token")), atTheTokens, "where nothing was sent"},
		{"9 the place for tokens redirects within itself", redirecting("issuer", "/token", 308, func(s *stage) any { return s.URL + "/elsewhere" }), atTheTokens, "not followed"},
		{"10 two codes", inResponse(func(q url.Values) { q.Add("code", "another") }), afterThePage, "says code twice"},
		{"11 the issuer is plain http", in("resource", "authorization_servers", func(s *stage) any { return []string{strings.Replace(s.URL, "https", "http", 1)} }), beforeThePage, "is not https"},
		{"11 the place for tokens is plain http", in("issuer", "token_endpoint", func(s *stage) any { return strings.Replace(s.URL, "https", "http", 1) + "/token" }), beforeThePage, "is not https"},
		{"11 the page is plain http", in("issuer", "authorization_endpoint", func(s *stage) any { return strings.Replace(s.URL, "https", "http", 1) + "/authorize" }), beforeThePage, "is not https"},
		{"12 the metadata of the issuer redirects elsewhere", redirecting("issuer", asm, 307, elsewhere("evil.example", asm)), beforeThePage, "redirects to https://evil.example"},
		{"12 the registrar redirects elsewhere", redirecting("issuer", "/register", 307, elsewhere("evil.example", "/register")), beforeThePage, "redirects to https://evil.example"},
		// And more.
		{"the page is a script", in("issuer", "authorization_endpoint", always("javascript:alert(1)//")), beforeThePage, "can't be read"},
		{"the page is a file", in("issuer", "authorization_endpoint", always("file:///etc/passwd")), beforeThePage, "can't be read"},
		{"the page has a name and a password", in("issuer", "authorization_endpoint", always("https://u:p@auth.example/authorize")), beforeThePage, "can't be read"},
		{"the page has a line break", in("issuer", "authorization_endpoint", always("https://auth.example/\r\nauthorize")), beforeThePage, "can't be read"},
		{"no page", in("issuer", "authorization_endpoint", always(nil)), beforeThePage, "no page"},
		{"no place for tokens", in("issuer", "token_endpoint", always(nil)), beforeThePage, "no place for tokens"},
		{"the place for tokens is a list", in("issuer", "token_endpoint", always([]string{"https://auth.example/token"})), beforeThePage, "another type"},
		{"no issuer", in("resource", "authorization_servers", always([]string{})), beforeThePage, "names no authorization server"},
		{"the issuer has a query", in("resource", "authorization_servers", func(s *stage) any { return []string{s.URL + "?a=b"} }), beforeThePage, "? part"},
		{"the issuer is not known to the network", in("resource", "authorization_servers", always([]string{"https://nowhere.example"})), beforeThePage, "not known to the network"},
		{"a member that two programs read differently", responding(asm, 200, `{"issuer":"https://auth.example","issuer":"https://evil.example"}`), beforeThePage, "a member twice"},
		{"metadata without an end", responding(asm, 200, `{"issuer":"`+strings.Repeat("x", 2<<20)+`"}`), beforeThePage, "more than the 1 MiB"},
		{"no metadata but guessable places", responding("/.well-known/o", 404, ""), beforeThePage, "does not say where"},
		{"a page for people in place of metadata", responding(asm, 200, "<html>welcome</html>"), beforeThePage, "does not say how to sign in"},
		{"a registration without an id", in("registration", "client_id", always(nil)), beforeThePage, "no client id"},
		{"a registration with a line break", in("registration", "client_id", always("a\nb")), beforeThePage, "odd characters"},
		{"a registration in a way that is not known here", in("registration", "token_endpoint_auth_method", always("private_key_jwt")), beforeThePage, "not known here"},
		{"two states", inResponse(func(q url.Values) { q.Add("state", "another") }), afterThePage, "says state twice"},
		{"two issuers", inResponse(func(q url.Values) { q.Add("iss", "https://evil.example") }), afterThePage, "says iss twice"},
		{"no code", inResponse(func(q url.Values) { q.Del("code") }), afterThePage, "no code"},
		{"an error beside the code", inResponse(func(q url.Values) { q.Set("error", "server_error") }), afterThePage, "can't sign anyone in"},
		{"an error of another issuer", inResponse(func(q url.Values) { q.Set("error", "access_denied"); q.Set("iss", "https://evil.example") }), afterThePage, "from another issuer"},
		{"tokens of another kind", in("tokens", "token_type", always("mac")), atTheTokens, "another kind"},
		{"no kind of tokens", in("tokens", "token_type", always(nil)), atTheTokens, "another kind"},
		{"a token that would be a second header", in("tokens", "access_token", always("a\r\nX: y")), atTheTokens, "fits no header"},
		{"no token", in("tokens", "access_token", always("")), atTheTokens, "fits no header"},
		{"an error with status 200", in("tokens", "error", always("invalid_grant")), atTheTokens, "no longer accepts"},
		{"tokens without an end", responding("/token", 200, strings.Repeat(" ", 2<<20)), atTheTokens, "more than the 1 MiB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := inPublic(t, issuer.Knobs{})
			s.Set(func(k *issuer.Knobs) { c.wrong(s, k) })
			in := s.signIn(Challenge{}, Setup{})
			if in.err == nil || !strings.Contains(in.err.Error(), c.words) || strings.ContainsAny(in.err.Error(), "\r\n") {
				t.Errorf("%v, without %q", in.err, c.words)
			}
			if in.Access != "" || in.Refresh != "" {
				t.Error("there are tokens")
			}
			if opened := in.page != ""; opened != (c.when > beforeThePage) {
				t.Errorf("the page: %q", in.page)
			}
			codes := 0
			for _, r := range s.Seen() {
				if host := r.Host; !strings.HasPrefix(host, "auth.example:") && !strings.HasPrefix(host, "mcp.example:") {
					t.Errorf("%s was asked for %s", host, r.Path)
				}
				if r.Form.Has("code") || r.Form.Has("code_verifier") {
					codes++
				}
			}
			if want := c.when / atTheTokens; codes != want {
				t.Errorf("codes were sent %d times, not %d", codes, want)
			}
			if f, ok := errors.AsType[*Failure](in.err); ok && len([]rune(f.Words)) > maxWords {
				t.Errorf("%q", f.Words)
			}
		})
	}
}

// What a challenge names on another origin is not asked for; the well-known places are.
func TestMetadataOnAnotherOriginIsNotAskedFor(t *testing.T) {
	evil := inPublic(t, issuer.Knobs{})
	for _, metadata := range []string{
		strings.Replace(evil.MetadataURL(), "mcp.", "evil.", 1), evil.MetadataURL(), "https://mcp.example/", "//mcp.example/x", "javascript:x", "https://mcp.example:x/",
		"http" + strings.TrimPrefix(evil.MetadataURL(), "https"), strings.Replace(evil.MetadataURL(), "https://", "https://x@", 1),
	} {
		s := inPublic(t, issuer.Knobs{})
		p, err := s.c.Discover(t.Context(), Challenge{Metadata: metadata}, "")
		if err != nil || p.Issuer != s.URL {
			t.Errorf("%s: %q, %v", metadata, p.Issuer, err)
		}
	}
	if seen := evil.Seen(); len(seen) != 0 {
		t.Errorf("it was asked: %+v", seen)
	}
}

// The second request to the callback, a request with another Host, method or path: none of them counts, and no code is sent twice.
func TestOneResponseIsTaken(t *testing.T) {
	s := inPublic(t, issuer.Knobs{})
	a := s.begun()
	u, _ := url.Parse(a.URL())
	redirect, state := u.Query().Get("redirect_uri"), u.Query().Get("state")
	back, _ := url.Parse(redirect)
	good := url.Values{"iss": {s.URL}, "state": {state}, "code": {"stolen"}}.Encode()
	ask := func(method, address, host string) int {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		if host != "" {
			r.Host = host
		}
		got, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		defer got.Body.Close()
		body, _ := io.ReadAll(got.Body)
		if strings.Contains(string(body), "stolen") || got.Header.Get("Referrer-Policy") != "no-referrer" || got.Header.Get("Cache-Control") != "no-store" || !strings.Contains(got.Header.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%v %s", got.Header, body)
		}
		return got.StatusCode
	}
	for name, status := range map[string]int{
		"another name that leads here": ask(http.MethodGet, redirect+"?"+good, "evil.example:"+back.Port()),
		"localhost":                    ask(http.MethodGet, redirect+"?"+good, "localhost:"+back.Port()),
		"no port":                      ask(http.MethodGet, redirect+"?"+good, "127.0.0.1"),
		"another path":                 ask(http.MethodGet, "http://"+back.Host+"/?"+good, ""),
		"a path below":                 ask(http.MethodGet, redirect+"/x?"+good, ""),
		"a form":                       ask(http.MethodPost, redirect+"?"+good, ""),
		"only a look":                  ask(http.MethodHead, redirect+"?"+good, ""),
	} {
		if status < 400 {
			t.Errorf("%s: %d", name, status)
		}
	}
	if _, status, err := s.Visit(t.Context(), a.URL()); err != nil || status != http.StatusOK {
		t.Fatal(status, err)
	}
	if status := ask(http.MethodGet, redirect+"?"+good, ""); status != http.StatusGone {
		t.Errorf("the second time: %d", status)
	}
	if _, status, _ := s.Visit(t.Context(), a.URL()); status != http.StatusGone {
		t.Errorf("the page again: %d", status)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := a.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	s.wants(map[string]int{issuer.Registrations: 1, issuer.Pages: 2, issuer.Codes: 2, issuer.Exchanges: 1})
	for _, r := range s.Seen() {
		if r.Form.Get("code") == "stolen" {
			t.Error("a code was sent that another request brought")
		}
	}
}

// A server in the clear elsewhere has no sign-in, whatever else was allowed for it.
func TestAServerInTheClearHasNoSignIn(t *testing.T) {
	c := clientFor(t, "http://mcp.example/mcp")
	c.encrypted.Lookup, c.clear.Lookup = lookUp, lookUp
	if _, err := c.Discover(t.Context(), Challenge{}, ""); !errors.Is(err, ErrWrong) || !strings.Contains(err.Error(), "in the clear") {
		t.Error(err)
	}
}

// A name that was public and leads to this computer now is not followed there, and opens nothing else there.
func TestAServerThatMovesInwardsGetsNoSignIn(t *testing.T) {
	s := onThisComputer(t, issuer.Knobs{})
	s.c.o.Class = func() address.Class { return "public" }
	if _, err := s.c.Discover(t.Context(), Challenge{}, ""); !errors.Is(err, ErrWrong) || len(s.Seen()) != 0 {
		t.Errorf("%v, asked %+v", err, s.Seen())
	}
	s = inPublic(t, issuer.Knobs{})
	s.c.o.Class = func() address.Class { return "" } // not known: as public
	if _, err := s.c.Discover(t.Context(), Challenge{}, ""); err != nil {
		t.Error(err)
	}
	s.Set(func(k *issuer.Knobs) { in("issuer", "token_endpoint", elsewhere("inner.example", "/token"))(s, k) })
	if _, err := s.c.Discover(t.Context(), Challenge{}, ""); !errors.Is(err, ErrWrong) {
		t.Error(err)
	}
}

// A name may lead to several places; the server is where it is reached from the farthest.
func TestAServerThatIsAlsoOutsideIsOutside(t *testing.T) {
	s := inPublic(t, issuer.Knobs{})
	s.Set(func(k *issuer.Knobs) {
		in("resource", "authorization_servers", func(s *stage) any { return []string{elsewhereOf(s, "inner.example", "")} })(s, k)
	})
	s.c.encrypted.Lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
		ips, err := lookUp(ctx, host)
		if host == "mcp.example" {
			ips = append([]netip.Addr{netip.MustParseAddr("10.0.0.7")}, ips...)
		}
		return ips, err
	}
	if _, err := s.c.Discover(t.Context(), Challenge{}, ""); !errors.Is(err, ErrWrong) || len(s.Seen()) != 0 {
		t.Errorf("%v, asked %+v", err, s.Seen())
	}
}

func TestARedirectOfMetadataWithinItsOriginIsFollowedAFewTimes(t *testing.T) {
	for times, kind := range map[int]error{1: nil, 3: nil, 4: ErrWrong} {
		s := inPublic(t, issuer.Knobs{})
		left := times
		s.Set(func(k *issuer.Knobs) {
			k.Instead = func(place string, w http.ResponseWriter, r *http.Request) bool {
				if place != "issuer" || left == 0 || !strings.HasPrefix(r.URL.Path, "/.well-known/oauth-a") {
					return false
				}
				left--
				w.Header().Set("Location", strings.Replace(s.URL, "https://", "https://name:word@", 1)+r.URL.Path+"#x")
				w.WriteHeader(http.StatusFound)
				return true
			}
		})
		if _, err := s.c.Discover(t.Context(), Challenge{}, ""); !errors.Is(err, kind) {
			t.Errorf("%d: %v", times, err)
		}
		for _, r := range s.Seen() {
			if r.Header.Get("Authorization") != "" {
				t.Error("a name and password of the server were sent")
			}
		}
	}
}

// http is for this computer alone, also where everything else is on this computer.
func TestAnIssuerInTheClearElsewhereIsNotAsked(t *testing.T) {
	s := onThisComputer(t, issuer.Knobs{})
	s.Set(func(k *issuer.Knobs) {
		in("resource", "authorization_servers", func(s *stage) any { return []string{elsewhereOf(s, "inner.example", "")} })(s, k)
	})
	if _, err := s.c.Discover(t.Context(), Challenge{}, ""); !errors.Is(err, ErrWrong) || !strings.Contains(err.Error(), "in the clear") || s.Count(issuer.Metadata) != 0 {
		t.Error(err)
	}
}

func TestARegistrationIsShownToItsIssuerAlone(t *testing.T) {
	s := inPublic(t, issuer.Knobs{})
	got := s.signIn(Challenge{}, Setup{})
	if got.err != nil {
		t.Fatal(got.err)
	}
	before := len(s.Seen())
	got.reg.Issuer = "https://evil.example"
	if _, err := s.c.Refresh(t.Context(), got.plan, got.reg, got.Refresh); !errors.Is(err, ErrWrong) {
		t.Error(err)
	}
	if _, err := s.c.Revoke(t.Context(), got.plan, got.reg, got.Tokens); !errors.Is(err, ErrWrong) {
		t.Error(err)
	}
	if len(s.Seen()) != before {
		t.Error("something was sent")
	}
}

// The refresh of a plan that was kept is held to the same rules as the plan when it was made.
func TestAPlaceForTokensThatMovesInwardsGetsNoRefreshToken(t *testing.T) {
	s := inPublic(t, issuer.Knobs{})
	got := s.signIn(Challenge{}, Setup{})
	before := len(s.Seen())
	for _, endpoint := range []string{elsewhereOf(s, "inner.example", "/token"), elsewhereOf(s, "here.example", "/token"), strings.Replace(got.plan.TokenEndpoint, "https", "http", 1)} {
		got.plan.TokenEndpoint = endpoint
		if _, err := s.c.Refresh(t.Context(), got.plan, got.reg, got.Refresh); !errors.Is(err, ErrWrong) || len(s.Seen()) != before {
			t.Errorf("%s: %v", endpoint, err)
		}
	}
}

// Through a proxy, names lead where the proxy says. What this computer knows to be inner is not asked for all the same.
func TestAProxyIsUsedAndReachesNothingInner(t *testing.T) {
	s := inPublic(t, issuer.Knobs{})
	var tunnels []string
	var mu sync.Mutex
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		tunnels = append(tunnels, r.Method+" "+r.Host)
		mu.Unlock()
		to, err := dialHere(r.Context(), "tcp", r.Host)
		if err != nil {
			http.Error(w, "no", http.StatusBadGateway)
			return
		}
		from, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		_, _ = io.WriteString(from, "HTTP/1.1 200 OK\r\n\r\n")
		go func() { _, _ = io.Copy(to, buffered); to.Close() }()
		_, _ = io.Copy(from, to)
		from.Close()
	}))
	defer proxy.Close()
	u, _ := url.Parse(proxy.URL)
	s.c.proxy = func(*http.Request) (*url.URL, error) { return u, nil }
	got := s.signIn(Challenge{}, Setup{})
	if got.err != nil {
		t.Fatal(got.err)
	}
	mu.Lock()
	if len(tunnels) < 4 || slices.ContainsFunc(tunnels, func(s string) bool { return !strings.HasPrefix(s, "CONNECT ") }) {
		t.Errorf("%q", tunnels)
	}
	tunnels = nil
	mu.Unlock()
	s.Set(func(k *issuer.Knobs) { in("issuer", "token_endpoint", elsewhere("inner.example", "/token"))(s, k) })
	if got := s.signIn(Challenge{}, Setup{}); !errors.Is(got.err, ErrWrong) || got.page != "" {
		t.Error(got.err)
	}
	s.c.proxy = func(*http.Request) (*url.URL, error) { return nil, errors.New("odd") }
	if got := s.signIn(Challenge{}, Setup{}); !errors.Is(got.err, ErrUnreachable) {
		t.Error(got.err)
	}
}

// A name that is safe when it is looked at and leads elsewhere when it is connected to (DNS rebinding) is not connected to.
func TestANameThatMovesBetweenLookAndConnectionIsRefused(t *testing.T) {
	for _, inner := range []string{"10.0.0.1", "127.0.0.1", "169.254.169.254"} {
		s := inPublic(t, issuer.Knobs{})
		looks := 0
		s.c.encrypted.Lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
			if host == "auth.example" {
				if looks++; looks > 2 { // when it was named, and before the request
					return []netip.Addr{netip.MustParseAddr(inner)}, nil
				}
			}
			return lookUp(ctx, host)
		}
		if _, err := s.c.Discover(t.Context(), Challenge{}, ""); !errors.Is(err, ErrWrong) || s.Count(issuer.Metadata) != 0 || looks < 3 {
			t.Errorf("%s: %v after %d looks, %d requests", inner, err, looks, s.Count(issuer.Metadata))
		}
	}
}

// Nothing that a server is silent about lasts longer than one request may.
func TestASilentServerIsWaitedForOnce(t *testing.T) {
	s := inPublic(t, issuer.Knobs{Instead: func(_ string, _ http.ResponseWriter, r *http.Request) bool {
		<-r.Context().Done()
		return true
	}})
	s.c.limit = 50 * time.Millisecond
	if _, err := s.c.Discover(t.Context(), Challenge{}, ""); !errors.Is(err, ErrUnreachable) || len(s.Seen()) != 1 {
		t.Errorf("%v after %d requests", err, len(s.Seen()))
	}
}
