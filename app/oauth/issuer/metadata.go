package issuer

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
)

func (i *Issuer) issuerRoutes() http.Handler {
	m := http.NewServeMux()
	path := i.o.Path
	m.HandleFunc("GET /.well-known/oauth-authorization-server"+path, i.describe)
	m.HandleFunc("GET "+path+"/authorize", i.authorize)
	m.HandleFunc("POST "+path+"/token", i.token)
	m.HandleFunc("POST "+path+"/register", i.register)
	m.HandleFunc("POST "+path+"/revoke", i.revoke)
	return m
}

// describe is the metadata of the issuer (RFC 8414).
func (i *Issuer) describe(w http.ResponseWriter, _ *http.Request) {
	i.count(Metadata)
	k := i.now()
	d := map[string]any{
		"issuer": i.URL, "authorization_endpoint": i.URL + "/authorize", "token_endpoint": i.URL + "/token",
		"response_types_supported": []string{"code"}, "grant_types_supported": []string{"authorization_code", "refresh_token"},
		"token_endpoint_auth_methods_supported": []string{"none", "client_secret_post", "client_secret_basic"}, "code_challenge_methods_supported": []string{"S256"},
	}
	if scopes := known(k); len(scopes) > 0 {
		d["scopes_supported"] = scopes
	}
	if !k.NoRegistrar {
		d["registration_endpoint"] = i.URL + "/register"
	}
	if !k.NoRevocation {
		d["revocation_endpoint"] = i.URL + "/revoke"
	}
	if !k.NoIss {
		d["authorization_response_iss_parameter_supported"] = true
	}
	if k.Documents {
		d["client_id_metadata_document_supported"] = true
	}
	i.respond(w, http.StatusOK, "issuer", d)
}

// known are the scopes that the issuer knows.
func known(k Knobs) []string {
	scopes := append([]string(nil), k.Scopes...)
	if k.Offline {
		scopes = append(scopes, "offline_access")
	}
	return scopes
}

func (i *Issuer) resourceRoutes() http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("GET /.well-known/oauth-protected-resource"+i.o.Endpoint, func(w http.ResponseWriter, _ *http.Request) {
		d := map[string]any{"resource": i.Resource, "authorization_servers": []string{i.URL}, "bearer_methods_supported": []string{"header"}}
		if k := i.now(); len(k.Scopes) > 0 {
			d["scopes_supported"] = k.Scopes
		}
		i.respond(w, http.StatusOK, "resource", d)
	})
	m.HandleFunc(i.o.Endpoint, i.guarded)
	return m
}

// MetadataURL is where the metadata of the resource is.
func (i *Issuer) MetadataURL() string {
	u, _ := url.Parse(i.Resource)
	return u.Scheme + "://" + u.Host + "/.well-known/oauth-protected-resource" + u.Path
}

// guarded lets a request with a good token through to the resource, and challenges every other (RFC 6750, 3).
func (i *Issuer) guarded(w http.ResponseWriter, r *http.Request) {
	k := i.now()
	token, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	granted, good := i.check(token)
	challenge := `Bearer resource_metadata="` + i.MetadataURL() + `"`
	wants := k.Scopes
	if k.Needs != nil {
		wants = k.Needs(r)
	}
	status := 0
	switch {
	case !bearer:
		status = http.StatusUnauthorized
	case !good:
		status, challenge = http.StatusUnauthorized, challenge+`, error="invalid_token"`
	case !within(wants, granted):
		status, challenge = http.StatusForbidden, challenge+`, error="insufficient_scope"`
	}
	if status != 0 {
		i.count(Challenges)
		if len(wants) > 0 {
			challenge += `, scope="` + strings.Join(wants, " ") + `"`
		}
		w.Header().Set("WWW-Authenticate", challenge)
		http.Error(w, "sign in", status)
		return
	}
	i.count(Calls)
	if i.o.Resource != nil {
		i.o.Resource.ServeHTTP(w, r)
		return
	}
	i.respond(w, http.StatusOK, "", map[string]any{"ok": true})
}

func (i *Issuer) respond(w http.ResponseWriter, status int, name string, members map[string]any) {
	if k := i.now(); k.Edit != nil && name != "" {
		k.Edit(name, members)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(members)
}
