package issuer

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

const redirect, verifier = "http://127.0.0.1:1/back", "a-verifier-that-is-long-enough-to-be-a-good-one"

// post sends a form to the place for tokens.
func post(t *testing.T, i *Issuer, form url.Values) (got map[string]any) {
	t.Helper()
	r, err := http.PostForm(i.URL+"/token", form)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
		t.Fatal(err)
	}
	if (got["access_token"] != nil) != (r.StatusCode == http.StatusOK) {
		t.Errorf("status %d: %v", r.StatusCode, got)
	}
	return got
}

// page visits the page, and gives back what the browser would bring.
func page(t *testing.T, i *Issuer, change func(url.Values)) url.Values {
	t.Helper()
	sum := sha256.Sum256([]byte(verifier))
	q := url.Values{
		"response_type": {"code"}, "client_id": {"c"}, "redirect_uri": {redirect}, "state": {"s"}, "resource": {i.Resource},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
	}
	if change != nil {
		change(q)
	}
	r, err := http.NewRequest(http.MethodGet, i.URL+"/authorize?"+q.Encode(), nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	got.Body.Close()
	to, _ := url.Parse(got.Header.Get("Location"))
	return to.Query()
}

func started(t *testing.T, k Knobs) *Issuer {
	t.Helper()
	i, err := Start(Options{Knobs: k})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(i.Close)
	i.Know("c", "", redirect)
	i.Know("other", "", redirect)
	i.Know("guarded", "word", redirect)
	return i
}

func exchange(i *Issuer, code string) url.Values {
	return url.Values{"grant_type": {"authorization_code"}, "code": {code}, "client_id": {"c"}, "redirect_uri": {redirect}, "code_verifier": {verifier}, "resource": {i.Resource}}
}

func TestTheIssuerIsStrict(t *testing.T) {
	for name, change := range map[string]func(url.Values){
		"another verifier":         func(f url.Values) { f.Set("code_verifier", verifier+"x") },
		"no verifier":              func(f url.Values) { f.Del("code_verifier") },
		"another client":           func(f url.Values) { f.Set("client_id", "other") },
		"a client without secret":  func(f url.Values) { f.Set("client_id", "guarded") },
		"an unknown client":        func(f url.Values) { f.Set("client_id", "x") },
		"another redirect address": func(f url.Values) { f.Set("redirect_uri", redirect+"x") },
		"another resource":         func(f url.Values) { f.Set("resource", "https://evil.example") },
		"no resource":              func(f url.Values) { f.Del("resource") },
		"another code":             func(f url.Values) { f.Set("code", "x") },
		"another grant":            func(f url.Values) { f.Set("grant_type", "password") },
	} {
		i := started(t, Knobs{})
		form := exchange(i, page(t, i, nil).Get("code"))
		change(form)
		if got := post(t, i, form); got["access_token"] != nil || i.Count(Refused) != 1 || i.Count(Exchanges) != 0 {
			t.Errorf("%s: %v", name, got)
		}
	}
	for name, change := range map[string]func(url.Values){
		"plain PKCE":               func(q url.Values) { q.Set("code_challenge_method", "plain") },
		"no PKCE":                  func(q url.Values) { q.Del("code_challenge") },
		"no state":                 func(q url.Values) { q.Del("state") },
		"another resource":         func(q url.Values) { q.Set("resource", "https://evil.example") },
		"no resource":              func(q url.Values) { q.Del("resource") },
		"an unknown client":        func(q url.Values) { q.Set("client_id", "x") },
		"another redirect address": func(q url.Values) { q.Set("redirect_uri", "http://127.0.0.1:1/elsewhere") },
		"another host":             func(q url.Values) { q.Set("redirect_uri", "http://evil.example/back") },
		"an unknown scope":         func(q url.Values) { q.Set("scope", "everything") },
		"another port":             func(q url.Values) { q.Set("redirect_uri", "http://127.0.0.1:2/back") },
	} {
		i := started(t, Knobs{SamePort: true})
		if got := page(t, i, change); got.Has("code") || i.Count(Codes) != 0 {
			t.Errorf("the page, %s: %v", name, got)
		}
	}
	i := started(t, Knobs{})
	if got := page(t, i, func(q url.Values) { q.Set("redirect_uri", "http://127.0.0.1:2/back") }); !got.Has("code") || got.Get("iss") != i.URL || got.Get("state") != "s" {
		t.Errorf("another port (RFC 8252, 7.3): %v", got)
	}
}

func TestWhatIsGoodForOnceEndsTheSignInWhenItComesAgain(t *testing.T) {
	i := started(t, Knobs{})
	form := exchange(i, page(t, i, nil).Get("code"))
	first := post(t, i, form)
	refresh := func(token any) map[string]any {
		text, _ := token.(string)
		return post(t, i, url.Values{"grant_type": {"refresh_token"}, "client_id": {"c"}, "refresh_token": {text}, "resource": {i.Resource}})
	}
	second := refresh(first["refresh_token"])
	if second["access_token"] == nil || second["refresh_token"] == first["refresh_token"] || i.Count(Refreshes) != 1 {
		t.Fatalf("%v", second)
	}
	if got := refresh(first["refresh_token"]); got["error"] != "invalid_grant" || i.Count(Reused) != 1 {
		t.Errorf("%v", got)
	}
	if got := refresh(second["refresh_token"]); got["error"] != "invalid_grant" {
		t.Errorf("what came of a stolen token is good: %v", got)
	}
	r, _ := http.NewRequest(http.MethodGet, i.Resource, nil)
	r.Header.Set("Authorization", "Bearer "+second["access_token"].(string))
	if got, err := http.DefaultClient.Do(r); err != nil || got.StatusCode != http.StatusUnauthorized || !strings.Contains(got.Header.Get("WWW-Authenticate"), "invalid_token") {
		t.Error(err)
	}
	form = exchange(i, page(t, i, nil).Get("code"))
	third := post(t, i, form)
	if got := post(t, i, form); got["error"] != "invalid_grant" {
		t.Errorf("a code is good twice: %v", got)
	}
	if got := refresh(third["refresh_token"]); got["error"] != "invalid_grant" {
		t.Errorf("what came of a stolen code is good: %v", got)
	}
}
