package issuer

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// client is who may ask for tokens.
type client struct{ id, secret, redirect string }

// grant is what a person agreed to.
type grant struct {
	client, redirect, challenge, resource, family string
	scopes                                        []string
	used                                          bool
}

// held is a token that a client has.
type held struct {
	grant *grant
	until time.Time // of an access token
	used  bool      // a refresh token
}

func (i *Issuer) refuse(w http.ResponseWriter, status int, code, why string) {
	i.respond(w, status, "", map[string]any{"error": code, "error_description": why})
}

// register is dynamic registration (RFC 7591).
func (i *Issuer) register(w http.ResponseWriter, r *http.Request) {
	var ask struct {
		Redirects []string `json:"redirect_uris"`
		Method    string   `json:"token_endpoint_auth_method"`
		Type      string   `json:"application_type"`
	}
	switch err := json.NewDecoder(r.Body).Decode(&ask); {
	case i.now().NoRegistrar:
		http.NotFound(w, r)
		return
	case err != nil || len(ask.Redirects) != 1 || ask.Type != "native":
		i.refuse(w, http.StatusBadRequest, "invalid_client_metadata", "one redirect address, and a native client")
		return
	}
	c := &client{id: fresh(), redirect: ask.Redirects[0]}
	d := map[string]any{"client_id": c.id, "redirect_uris": ask.Redirects, "token_endpoint_auth_method": ask.Method}
	if ask.Method != "none" {
		c.secret = fresh()
		d["client_secret"], d["client_secret_expires_at"] = c.secret, 0
	}
	i.count(Registrations)
	i.mu.Lock()
	i.clients[c.id] = c
	i.mu.Unlock()
	i.respond(w, http.StatusCreated, "registration", d)
}

// who is the client of an id.
func (i *Issuer) who(id string) *client {
	i.mu.Lock()
	defer i.mu.Unlock()
	if c := i.clients[id]; c != nil {
		return c
	}
	if i.knobs.Documents && strings.HasPrefix(id, "https://") {
		return &client{id: id}
	}
	return nil
}

// redirects reports whether a client may be sent to an address.
func (c *client) redirects(to string, samePort bool) bool {
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "http" || u.Hostname() != "127.0.0.1" {
		return false
	}
	if c.redirect == "" || c.redirect == to {
		return true
	}
	registered, err := url.Parse(c.redirect)
	if err != nil || samePort {
		return false
	}
	u.Host, registered.Host = u.Hostname(), registered.Hostname()
	return u.String() == registered.String()
}

// authorize is the page where a person signs in; this person is quick. What can't be sent back to the client is said here.
func (i *Issuer) authorize(w http.ResponseWriter, r *http.Request) {
	i.count(Pages)
	k, q := i.now(), r.URL.Query()
	c := i.who(q.Get("client_id"))
	if c == nil || !c.redirects(q.Get("redirect_uri"), k.SamePort) {
		http.Error(w, "unknown client or redirect address", http.StatusBadRequest)
		return
	}
	back := url.Values{"state": {q.Get("state")}}
	if !k.NoIss {
		back.Set("iss", i.URL)
	}
	scopes := strings.Fields(q.Get("scope"))
	switch {
	case q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" || len(q.Get("code_challenge")) != 43 || q.Get("state") == "":
		back.Set("error", "invalid_request")
	case !i.protects(q.Get("resource")):
		back.Set("error", "invalid_target")
	case !within(scopes, known(k)):
		back.Set("error", "invalid_scope")
	case k.Denies:
		back.Set("error", "access_denied")
		back.Set("error_description", "the person declined")
	default:
		code := fresh()
		i.count(Codes)
		i.mu.Lock()
		i.codes[code] = &grant{
			client: c.id, redirect: q.Get("redirect_uri"), challenge: q.Get("code_challenge"), resource: q.Get("resource"), family: fresh(), scopes: scopes,
		}
		i.mu.Unlock()
		back.Set("code", code)
	}
	if k.Redirect != nil {
		k.Redirect(back)
	}
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
}

// protects reports whether a resource is this one's (RFC 8707).
func (i *Issuer) protects(resource string) bool {
	return resource != "" && (resource == i.Resource || strings.HasPrefix(i.Resource, strings.TrimSuffix(resource, "/")+"/"))
}

func within(some, all []string) bool {
	return !slices.ContainsFunc(some, func(s string) bool { return !slices.Contains(all, s) })
}

// authenticated is the client that a request shows itself to be.
func (i *Issuer) authenticated(r *http.Request) *client {
	id, secret := r.PostForm.Get("client_id"), r.PostForm.Get("client_secret")
	if user, password, basic := r.BasicAuth(); basic {
		id, _ = url.QueryUnescape(user)
		secret, _ = url.QueryUnescape(password)
	}
	c := i.who(id)
	if c == nil || c.secret != secret {
		return nil
	}
	return c
}

// token gives tokens for a code or a refresh token (RFC 6749, 4.1.3 and 6).
func (i *Issuer) token(w http.ResponseWriter, r *http.Request) {
	k := i.now()
	if k.Before > 0 {
		select {
		case <-time.After(k.Before):
		case <-r.Context().Done():
			return
		}
	}
	g, what, code, why := i.granted(r)
	if code != "" {
		i.count(Refused)
		status := http.StatusBadRequest
		if code == "invalid_client" {
			status = http.StatusUnauthorized
		}
		i.refuse(w, status, code, why)
		return
	}
	i.count(what)
	members := i.issue(g)
	if k.After > 0 {
		select {
		case <-time.After(k.After):
		case <-r.Context().Done():
			return
		}
	}
	i.respond(w, http.StatusOK, "tokens", members)
}

// granted is what the person agreed to, by the code or refresh token of a request, which is used up by it. code is why there is none.
func (i *Issuer) granted(r *http.Request) (g *grant, what, code, why string) {
	c, f := i.authenticated(r), r.PostForm
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case c == nil:
		return nil, "", "invalid_client", "unknown client"
	case f.Get("grant_type") == "authorization_code":
		g = i.codes[f.Get("code")]
		sum := sha256.Sum256([]byte(f.Get("code_verifier")))
		switch {
		case g == nil || g.client != c.id:
			return nil, "", "invalid_grant", "unknown code"
		case g.used:
			i.over[g.family] = true // RFC 6749, 4.1.2
			return nil, "", "invalid_grant", "the code was used before"
		case g.redirect != f.Get("redirect_uri"):
			return nil, "", "invalid_grant", "another redirect address"
		case base64.RawURLEncoding.EncodeToString(sum[:]) != g.challenge:
			return nil, "", "invalid_grant", "another verifier"
		}
		what, g.used = Exchanges, true
	case f.Get("grant_type") == "refresh_token":
		old := i.refresh[f.Get("refresh_token")]
		switch {
		case old == nil || old.grant.client != c.id || i.over[old.grant.family]:
			return nil, "", "invalid_grant", "unknown refresh token"
		case old.used: // stolen, by whoever came first or second (RFC 9700, 4.14.2)
			i.counts[Reused]++
			i.over[old.grant.family] = true
			return nil, "", "invalid_grant", "the refresh token was used before"
		}
		what, g, old.used = Refreshes, old.grant, true
	default:
		return nil, "", "unsupported_grant_type", "a code or a refresh token"
	}
	if f.Get("resource") != g.resource {
		return nil, "", "invalid_target", "another resource"
	}
	return g, what, "", ""
}

// issue makes tokens.
func (i *Issuer) issue(g *grant) map[string]any {
	i.mu.Lock()
	defer i.mu.Unlock()
	life := i.knobs.Lifetime
	if life == 0 {
		life = time.Hour
	}
	access := fresh()
	i.access[access] = &held{grant: g, until: time.Now().Add(life)}
	members := map[string]any{"access_token": access, "token_type": "Bearer", "expires_in": int(life.Seconds())}
	if len(g.scopes) > 0 {
		members["scope"] = strings.Join(g.scopes, " ")
	}
	if !i.knobs.Offline || slices.Contains(g.scopes, "offline_access") {
		refresh := fresh()
		i.refresh[refresh] = &held{grant: g}
		members["refresh_token"] = refresh
	}
	return members
}

// check reports whether an access token is good for the resource now, and for which scopes.
func (i *Issuer) check(token string) (scopes []string, good bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	t := i.access[token]
	if t == nil || i.over[t.grant.family] || time.Now().After(t.until) {
		return nil, false
	}
	return t.grant.scopes, true
}

// revoke ends what a token belongs to (RFC 7009).
func (i *Issuer) revoke(w http.ResponseWriter, r *http.Request) {
	c := i.authenticated(r)
	if c == nil {
		i.refuse(w, http.StatusUnauthorized, "invalid_client", "unknown client")
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, of := range []map[string]*held{i.refresh, i.access} {
		if t := of[r.PostForm.Get("token")]; t != nil && t.grant.client == c.id {
			i.over[t.grant.family] = true
			i.counts[Revoked]++
		}
	}
	w.WriteHeader(http.StatusOK)
}

// dialLoopback has names lead to this computer, whatever they are.
func dialLoopback(to string) string {
	_, port, _ := net.SplitHostPort(to)
	return net.JoinHostPort("127.0.0.1", port)
}
