package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/app/oauth/issuer"
)

// call asks the server for something, with a token.
func (s *stage) call(token string) *http.Response {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.Resource, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	transport := s.c.over
	if r.URL.Scheme == "http" {
		transport = s.c.inClear
	}
	got, err := transport.RoundTrip(r)
	if err != nil {
		s.t.Fatal(err)
	}
	got.Body.Close()
	return got
}

func TestAPersonSignsInAndStaysSignedIn(t *testing.T) {
	for name, stand := range map[string]func(*testing.T, issuer.Knobs) *stage{"over TLS at public addresses": inPublic, "on this computer": onThisComputer} {
		t.Run(name, func(t *testing.T) {
			s := stand(t, issuer.Knobs{Scopes: []string{"read", "write"}, Offline: true, SamePort: true})
			challenge := ParseChallenge(s.call("").Header.Values("WWW-Authenticate"))
			if challenge.Metadata != s.MetadataURL() || !slices.Equal(challenge.Scopes, []string{"read", "write"}) {
				t.Fatalf("%+v", challenge)
			}
			in := s.signIn(challenge, Setup{})
			if in.err != nil {
				t.Fatal(in.err)
			}
			if in.reg.How != Dynamic || in.reg.ClientSecret != "" || in.reg.Issuer != s.URL || in.status != http.StatusOK || !strings.Contains(in.text, pageDone) {
				t.Errorf("%+v", in)
			}
			if !slices.Equal(in.Scopes, []string{"read", "write", "offline_access"}) || time.Until(in.Expires) < 50*time.Minute {
				t.Errorf("%q until %s", in.Scopes, in.Expires)
			}
			if got := s.call(in.Access).StatusCode; got != http.StatusOK {
				t.Errorf("the server: %d", got)
			}
			refresh := in.Refresh
			for n := range 3 {
				s.Expire()
				next, err := s.c.Refresh(t.Context(), in.plan, in.reg, refresh)
				if err != nil || next.Refresh == refresh || s.call(next.Access).StatusCode != http.StatusOK {
					t.Fatalf("refresh %d: %v", n, err)
				}
				refresh = next.Refresh
			}
			s.wants(map[string]int{issuer.Registrations: 1, issuer.Pages: 1, issuer.Codes: 1, issuer.Exchanges: 1, issuer.Refreshes: 3})
			if offered, err := s.c.Revoke(t.Context(), in.plan, in.reg, Tokens{Refresh: refresh}); !offered || err != nil {
				t.Error(offered, err)
			}
			if _, err := s.c.Refresh(t.Context(), in.plan, in.reg, refresh); !errors.Is(err, ErrInvalidGrant) {
				t.Error(err)
			}
		})
	}
}

func TestTheResourceIsNamedAtThePageAndForEveryToken(t *testing.T) {
	s := onThisComputer(t, issuer.Knobs{})
	in := s.signIn(Challenge{}, Setup{})
	if in.err != nil {
		t.Fatal(in.err)
	}
	if _, err := s.c.Refresh(t.Context(), in.plan, in.reg, in.Refresh); err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, r := range s.Seen() {
		if strings.HasSuffix(r.Path, "/authorize") && r.Query.Get("resource") == s.Resource || r.Form.Get("resource") == s.Resource {
			named++
		}
	}
	if named != 3 {
		t.Errorf("named %d times", named)
	}
}

func TestHowWeAreRegistered(t *testing.T) {
	for _, c := range []struct {
		name     string
		knobs    issuer.Knobs
		setup    Setup
		how      How
		clientID string
		kind     error
	}{
		{"the person's own goes before everything else", issuer.Knobs{Documents: true}, Setup{ClientID: "mine", Document: "https://us.example/client.json"}, Own, "mine", nil},
		{"the person's own, with a secret", issuer.Knobs{NoRegistrar: true}, Setup{ClientID: "guarded", ClientSecret: "hush: hush&=%"}, Own, "guarded", nil},
		{"the person's own, at the address registered for it", issuer.Knobs{NoRegistrar: true}, Setup{ClientID: "fixed", Redirect: "http://127.0.0.1/back"}, Own, "fixed", nil},
		{"a document, where the issuer takes them", issuer.Knobs{Documents: true}, Setup{Document: "https://us.example/client.json"}, Document, "https://us.example/client.json", nil},
		{"a document, where it does not", issuer.Knobs{}, Setup{Document: "https://us.example/client.json"}, Dynamic, "", nil},
		{"nothing is possible", issuer.Knobs{NoRegistrar: true}, Setup{}, "", "", ErrNoRegistration},
		{"the person's own is of another issuer", issuer.Knobs{}, Setup{ClientID: "mine", Issuer: "https://other.example"}, "", "", ErrWrong},
		{"the document is not https", issuer.Knobs{Documents: true}, Setup{Document: "http://us.example/client.json"}, "", "", ErrWrong},
		{"the registered address is elsewhere", issuer.Knobs{}, Setup{ClientID: "mine", Redirect: "http://evil.example/back"}, "", "", ErrWrong},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := onThisComputer(t, c.knobs)
			s.Know("mine", "", "")
			s.Know("guarded", "hush: hush&=%", "")
			s.Know("fixed", "", "http://127.0.0.1/back")
			in := s.signIn(Challenge{}, c.setup)
			if c.kind != nil {
				if !errors.Is(in.err, c.kind) || in.page != "" || s.Count(issuer.Registrations) != 0 {
					t.Errorf("%v, page %q", in.err, in.page)
				}
				return
			}
			if in.err != nil || in.reg.How != c.how || c.clientID != "" && in.reg.ClientID != c.clientID {
				t.Fatalf("%+v", in)
			}
			if next, err := s.c.Refresh(t.Context(), in.plan, in.reg, in.Refresh); err != nil || s.call(next.Access).StatusCode != http.StatusOK {
				t.Error(err)
			}
			want := 0
			if c.how == Dynamic {
				want = 1
			}
			if got := s.Count(issuer.Registrations); got != want {
				t.Errorf("%d registrations", got)
			}
		})
	}
}

func TestASecretIsShownAsTheIssuerWantsIt(t *testing.T) {
	for name, methods := range map[string][]string{
		"client_secret_basic": {"client_secret_basic"}, "client_secret_post": {"client_secret_basic", "client_secret_post"},
	} {
		s := onThisComputer(t, issuer.Knobs{Edit: func(document string, members map[string]any) {
			if document == "issuer" {
				members["token_endpoint_auth_methods_supported"] = methods
			}
		}})
		s.Know("guarded", "p&w=: %+", "")
		in := s.signIn(Challenge{}, Setup{ClientID: "guarded", ClientSecret: "p&w=: %+"})
		if in.err != nil || in.reg.AuthMethod != name {
			t.Errorf("%s: %q, %v", name, in.reg.AuthMethod, in.err)
		}
	}
}

func TestWhichScopesAreAskedFor(t *testing.T) {
	for _, c := range []struct {
		name  string
		knobs issuer.Knobs
		asked []string // by the challenge
		want  string
	}{
		{"those of the challenge", issuer.Knobs{Scopes: []string{"read", "write"}}, []string{"write"}, "write"},
		{"those that the resource lists", issuer.Knobs{Scopes: []string{"read", "write"}}, nil, "read write"},
		{"and offline_access where the issuer knows it", issuer.Knobs{Scopes: []string{"read"}, Offline: true}, nil, "read offline_access"},
		{"none where nothing is said", issuer.Knobs{}, nil, ""},
		{"none, rather than offline_access alone", issuer.Knobs{Offline: true}, nil, ""},
	} {
		s := onThisComputer(t, c.knobs)
		in := s.signIn(Challenge{Scopes: c.asked}, Setup{})
		u, _ := url.Parse(in.page)
		if in.err != nil || u.Query().Get("scope") != c.want || u.Query().Has("scope") != (c.want != "") {
			t.Errorf("%s: %q, %v", c.name, u.Query().Get("scope"), in.err)
		}
		if consent := u.Query().Get("prompt") == "consent"; consent != strings.Contains(c.want, "offline") {
			t.Errorf("%s: prompt=%q", c.name, u.Query().Get("prompt"))
		}
	}
}

func TestAQueryOfThePageIsKeptAndOursIsNotChanged(t *testing.T) {
	s := onThisComputer(t, issuer.Knobs{})
	s.Set(func(k *issuer.Knobs) {
		in("issuer", "authorization_endpoint", func(s *stage) any {
			return s.URL + "/authorize?tenant=a%26b&scope=everything&client_id=evil&state=known&state=twice&redirect_uri=https://evil.example&resource=https://evil.example&code_challenge_method=plain"
		})(s, k)
	})
	got := s.signIn(Challenge{}, Setup{})
	if got.err != nil {
		t.Fatal(got.err)
	}
	u, _ := url.Parse(got.page)
	q := u.Query()
	if q.Get("tenant") != "a&b" || q.Has("scope") || q.Get("client_id") != got.reg.ClientID || len(q["state"]) != 1 || q.Get("state") == "known" || q.Get("resource") != s.Resource || q.Get("code_challenge_method") != "S256" {
		t.Errorf("%q", q)
	}
}

func TestASecretThatWasNotAskedForIsUsedOnlyIfTheIssuerWantsIt(t *testing.T) {
	for method, want := range map[string]string{"none": "", "client_secret_post": "given", "client_secret_basic": "given"} {
		reg, err := parseRegistration([]byte(`{"client_id":"c","client_secret":"given","token_endpoint_auth_method":"`+method+`","client_secret_expires_at":2000000000}`), Plan{Issuer: "https://auth.example"})
		if err != nil || reg.ClientSecret != want || reg.AuthMethod != method || reg.Expires.IsZero() != (want == "") {
			t.Errorf("%s: %q, %v", method, reg.ClientSecret, err)
		}
	}
	reg, err := parseRegistration([]byte(`{"client_id":"c","client_secret":"given","client_secret_expires_at":0}`), Plan{AuthMethods: []string{"client_secret_basic"}})
	if err != nil || reg.AuthMethod != "client_secret_basic" || !reg.Expires.IsZero() {
		t.Errorf("%q, %v", reg.AuthMethod, err)
	}
}

// What a caller has kept is read again by the next version.
func TestAPlanAndARegistrationAreKeptAsJSON(t *testing.T) {
	plan := Plan{
		Resource: "r", Issuers: []string{"i", "j"}, Issuer: "i", AuthorizationEndpoint: "a", TokenEndpoint: "t", RegistrationEndpoint: "g", RevocationEndpoint: "v",
		Scopes: []string{"s"}, AuthMethods: []string{"none"}, IssPromised: true, ClientMetadataSupported: true, GrantsOffline: true,
	}
	reg := Registration{How: Dynamic, Issuer: "i", ClientID: "c", ClientSecret: "s", AuthMethod: "client_secret_post", Expires: time.Unix(2e9, 0).UTC()}
	for _, c := range []struct {
		kept, read any
		text       string
	}{
		{plan, new(Plan), `{"resource":"r","issuers":["i","j"],"issuer":"i","authorization_endpoint":"a","token_endpoint":"t","registration_endpoint":"g","revocation_endpoint":"v","scopes":["s"],"auth_methods":["none"],"iss_promised":true,"client_metadata_supported":true,"grants_offline":true}`},
		{reg, new(Registration), `{"how":"dynamic","issuer":"i","client_id":"c","client_secret":"s","auth_method":"client_secret_post","expires":"2033-05-18T03:33:20Z"}`},
	} {
		text, err := json.Marshal(c.kept)
		if err != nil || string(text) != c.text {
			t.Errorf("%s, %v", text, err)
		}
		if err := json.Unmarshal(text, c.read); err != nil || !reflect.DeepEqual(reflect.ValueOf(c.read).Elem().Interface(), c.kept) {
			t.Errorf("%s was read differently, %v", text, err)
		}
	}
}

func TestAPersonChoosesAmongSeveralIssuers(t *testing.T) {
	s := onThisComputer(t, issuer.Knobs{})
	other := onThisComputer(t, issuer.Knobs{})
	s.Set(func(k *issuer.Knobs) {
		k.Edit = func(document string, members map[string]any) {
			if document == "resource" {
				members["authorization_servers"] = []string{other.URL, s.URL}
			}
		}
	})
	p, err := s.c.Discover(t.Context(), Challenge{}, "")
	if !errors.Is(err, ErrSeveral) || !slices.Equal(p.Issuers, []string{other.URL, s.URL}) {
		t.Errorf("%q, %v", p.Issuers, err)
	}
	if s.Count(issuer.Metadata)+other.Count(issuer.Metadata) != 0 {
		t.Error("an issuer was asked before one was chosen")
	}
	if p, err = s.c.Discover(t.Context(), Challenge{}, s.URL); err != nil || p.Issuer != s.URL || other.Count(issuer.Metadata) != 0 {
		t.Errorf("%q, %v", p.Issuer, err)
	}
	if _, err = s.c.Discover(t.Context(), Challenge{}, "https://third.example"); !errors.Is(err, ErrWrong) {
		t.Error(err)
	}
}

func TestARefreshThatFailsSaysWhatItMeans(t *testing.T) {
	s := onThisComputer(t, issuer.Knobs{})
	in := s.signIn(Challenge{}, Setup{})
	if in.err != nil {
		t.Fatal(in.err)
	}
	refresh := func() error {
		_, err := s.c.Refresh(t.Context(), in.plan, in.reg, in.Refresh)
		return err
	}
	s.Set(func(k *issuer.Knobs) { k.Out = true })
	if err := refresh(); !errors.Is(err, ErrUnreachable) {
		t.Error(err)
	}
	s.Set(func(k *issuer.Knobs) { k.Out, k.Before = false, time.Hour })
	s.c.limit = 100 * time.Millisecond
	if err := refresh(); !errors.Is(err, ErrUnreachable) || !strings.Contains(err.Error(), "did not respond in time") {
		t.Error(err)
	}
	s.c.limit = requestLimit
	s.Set(func(k *issuer.Knobs) { k.Before = 0 })
	s.wants(map[string]int{issuer.Registrations: 1, issuer.Pages: 1, issuer.Codes: 1, issuer.Exchanges: 1}) // nothing has changed
	next, err := s.c.Refresh(t.Context(), in.plan, in.reg, in.Refresh)
	if err != nil {
		t.Fatal(err)
	}
	if err := refresh(); !errors.Is(err, ErrInvalidGrant) || s.Count(issuer.Reused) != 1 { // the old one comes again
		t.Error(err)
	}
	if _, err := s.c.Refresh(t.Context(), in.plan, in.reg, next.Refresh); !errors.Is(err, ErrInvalidGrant) {
		t.Error(err)
	}
	s.Forget()
	if err := refresh(); !errors.Is(err, ErrInvalidClient) {
		t.Error(err)
	}
	s.Close()
	if err := refresh(); !errors.Is(err, ErrUnreachable) || !strings.Contains(err.Error(), "refused the connection") {
		t.Error(err)
	}
}

func TestAnIssuerMayKeepTheRefreshToken(t *testing.T) {
	s := onThisComputer(t, issuer.Knobs{})
	in := s.signIn(Challenge{}, Setup{})
	s.Set(func(k *issuer.Knobs) {
		k.Edit = func(document string, members map[string]any) {
			if document == "tokens" {
				delete(members, "refresh_token")
				members["expires_in"] = "120"
			}
		}
	})
	next, err := s.c.Refresh(t.Context(), in.plan, in.reg, in.Refresh)
	if err != nil || next.Refresh != in.Refresh || time.Until(next.Expires) > 2*time.Minute || time.Until(next.Expires) < time.Minute {
		t.Errorf("%v", err)
	}
}

func TestTheWaitForAPersonEnds(t *testing.T) {
	s := onThisComputer(t, issuer.Knobs{})
	a := s.begun()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := a.Wait(ctx); !errors.Is(err, ErrNoResponse) {
		t.Error(err)
	}
	a.Close()
	if _, _, err := s.Visit(t.Context(), a.URL()); err == nil {
		t.Error("it still listens")
	}
}

func TestWhatAnIssuerSaysIsKeptApart(t *testing.T) {
	long := strings.Repeat("x", 1000)
	s := onThisComputer(t, issuer.Knobs{Denies: true, Redirect: func(q url.Values) {
		q.Set("error_description", "Press\x1b[2J\r\nallow\u202e \u200b"+long)
	}})
	in := s.signIn(Challenge{}, Setup{})
	f, ok := errors.AsType[*Failure](in.err)
	if !ok || !errors.Is(in.err, ErrDenied) {
		t.Fatal(in.err)
	}
	if want := "Press[2J allow " + long[:285]; f.Words != want {
		t.Errorf("%q", f.Words)
	}
	if strings.Contains(in.err.Error(), "Press") || strings.Contains(in.text, "Press") || in.status != http.StatusBadRequest || !strings.Contains(in.text, pageFailed) {
		t.Errorf("%v; the page: %s", in.err, in.text)
	}
}

// Whatever an issuer does with what it was sent, no error has a secret of it.
func TestNoErrorHasASecret(t *testing.T) {
	var sent []string
	s := onThisComputer(t, issuer.Knobs{})
	s.Know("guarded", "the-secret-of-mine", "")
	in := s.signIn(Challenge{}, Setup{ClientID: "guarded", ClientSecret: "the-secret-of-mine"})
	if in.err != nil {
		t.Fatal(in.err)
	}
	s.Set(func(k *issuer.Knobs) {
		k.Instead = func(place string, w http.ResponseWriter, r *http.Request) bool {
			if r.Method != http.MethodPost || place != "issuer" {
				return false
			}
			var got []string
			for _, name := range []string{"code", "code_verifier", "refresh_token", "client_secret", "token"} {
				got = append(got, r.PostForm[name]...)
			}
			sent = append(sent, got...)
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"error":"invalid_request","error_description":%q}`, "got "+strings.Join(got, " and "))
			return true
		}
	})
	_, refreshed := s.c.Refresh(t.Context(), in.plan, in.reg, in.Refresh)
	_, revoked := s.c.Revoke(t.Context(), in.plan, in.reg, in.Tokens)
	again := s.signIn(Challenge{}, Setup{ClientID: "guarded", ClientSecret: "the-secret-of-mine"})
	if len(sent) < 6 {
		t.Fatalf("sent %d values", len(sent))
	}
	for _, err := range []error{refreshed, revoked, again.err} {
		f, ok := errors.AsType[*Failure](err)
		if !ok || !strings.HasPrefix(f.Words, "got …") {
			t.Errorf("%v, %+v", err, f)
			continue
		}
		for _, secret := range sent {
			if strings.Contains(fmt.Sprintf("%+v %+v", err, f), secret) {
				t.Errorf("an error has a secret: %v, %q", err, f.Words)
			}
		}
	}
}
