package oauth

import (
	"context"
	"crypto/subtle"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/sallyport/sallyport/proxy/address"
)

// expected is what the browser must bring.
type expected struct {
	issuer   string
	promised bool // that issuer is named in each response
	state    string
	page     *url.URL
}

// host is how the issuer is called in errors.
func (e expected) host() string { return address.Origin(e.page) }

// brought is what the browser brought: a code, or why there is none.
type brought struct {
	code string
	err  error
}

// callback listens for the browser, for one sign-in. The first request to its address is the response, and there is no second.
type callback struct {
	redirect string // the address that the issuer sends the browser to
	host     string
	path     string
	expected expected
	came     chan brought
	server   *http.Server

	mu    sync.Mutex
	taken bool
}

// listen listens on 127.0.0.1. redirect names a path, and a port if that must not change; "" is a random path.
func listen(redirect string, e expected) (*callback, error) {
	c := &callback{path: "/" + secret(), expected: e, came: make(chan brought, 1)}
	port := "0"
	if redirect != "" {
		u, err := address.Parse(redirect)
		if err != nil || u.Scheme != "http" || u.Hostname() != "127.0.0.1" || u.RawQuery != "" {
			return nil, failed(ErrWrong, "the address that the browser comes back to must be http://127.0.0.1/PATH, with a port if the issuer wants one")
		}
		if c.path = u.EscapedPath(); c.path == "" {
			c.path = "/"
		}
		if u.Port() != "" {
			port = u.Port()
		}
	}
	l, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", port))
	if err != nil && port != "0" {
		return nil, failed(ErrListen, "port %s of this computer is in use, and the sign-in needs it; end the program that has it, or register another", port)
	}
	if err != nil {
		return nil, failed(ErrListen, "no port of this computer could be had for the sign-in; try again")
	}
	c.host = l.Addr().String()
	c.redirect = "http://" + c.host + c.path
	if redirect != "" && port == "80" {
		c.host, c.redirect = "127.0.0.1", "http://127.0.0.1"+c.path
	}
	c.server = &http.Server{
		Handler: http.HandlerFunc(c.serve), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 5 * time.Second, WriteTimeout: 5 * time.Second, IdleTimeout: 5 * time.Second,
		MaxHeaderBytes: address.MaxHeaders,
	}
	go func() { _ = c.server.Serve(l) }()
	return c, nil
}

// close lets a page that is being sent arrive.
func (c *callback) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if c.server.Shutdown(ctx) != nil {
		_ = c.server.Close()
	}
}

// serve takes a request. Its Host is looked at first: a page elsewhere can have its name lead to this computer, but not this name.
func (c *callback) serve(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Host != c.host:
		page(w, http.StatusMisdirectedRequest, pageOther)
	case r.URL.EscapedPath() != c.path:
		page(w, http.StatusNotFound, pageOther)
	case r.Method != http.MethodGet:
		w.Header().Set("Allow", http.MethodGet)
		page(w, http.StatusMethodNotAllowed, pageOther)
	case !c.take():
		page(w, http.StatusGone, pageAgain)
	default:
		came := c.expected.read(r.URL.RawQuery)
		if came.err != nil {
			page(w, http.StatusBadRequest, pageFailed)
		} else {
			page(w, http.StatusOK, pageDone)
		}
		c.came <- came
	}
}

// take reports whether this is the first response.
func (c *callback) take() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.taken
	c.taken = true
	return !was
}

// read checks a response of the page: who it is from before all else (RFC 9207, 2.4), then which sign-in it belongs to.
func (e expected) read(query string) brought {
	wrong := func(format string, args ...any) brought { return brought{err: failed(ErrWrong, format, args...)} }
	q, err := url.ParseQuery(query)
	if err != nil {
		return wrong("the response of the sign-in at %s can't be read", e.host())
	}
	for _, name := range []string{"iss", "state", "code", "error", "error_description"} {
		if len(q[name]) > 1 { // RFC 6749, 3.1
			return wrong("the response of the sign-in at %s says %s twice", e.host(), name)
		}
	}
	switch {
	case q.Has("iss") && q.Get("iss") != e.issuer:
		return wrong("the response of the sign-in at %s is from another issuer, so its code was sent nowhere; start the sign-in again", e.host())
	case e.promised && !q.Has("iss"):
		return wrong("the response of the sign-in at %s does not name the issuer, as it promised, so its code was sent nowhere", e.host())
	case subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(e.state)) != 1:
		return wrong("the response of the sign-in at %s belongs to another sign-in, so its code was sent nowhere; start the sign-in again", e.host())
	case q.Has("error"):
		return brought{err: e.refusal(q)}
	case !isVisible(q.Get("code")):
		return wrong("the response of the sign-in at %s has no code", e.host())
	}
	return brought{code: q.Get("code")}
}

// refusal is what the page said instead of giving a code (RFC 6749, 4.1.2.1).
func (e expected) refusal(q url.Values) *Failure {
	var f *Failure
	switch q.Get("error") {
	case "access_denied":
		f = failed(ErrDenied, "the sign-in at %s was declined", e.host())
	case "temporarily_unavailable", "server_error":
		f = failed(ErrUnreachable, "%s can't sign anyone in now; try again later", e.host())
	default:
		f = failed(ErrIssuer, "%s refused the sign-in", e.host())
	}
	words := q.Get("error_description")
	if words == "" {
		words = q.Get("error")
	}
	f.Words = inert(words, e.state, q.Get("code"))
	return f
}

// The pages that the browser shows. They are the same for every server and issuer: nothing foreign is in them.
const (
	pageDone   = "Sallyport has the response. Look there to see whether the sign-in worked. You can close this page."
	pageFailed = "The sign-in failed. Sallyport says why. You can close this page."
	pageAgain  = "Sallyport already has a response for this sign-in. You can close this page."
	pageOther  = "No sign-in is at this address."
)

func page(w http.ResponseWriter, status int, words string) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer") // the address has the code in it
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Connection", "close")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, "<!doctype html><html lang=en><meta charset=utf-8><title>Sallyport</title><p>"+words+"</p></html>\n")
}
