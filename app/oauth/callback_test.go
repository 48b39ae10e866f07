package oauth

import (
	"errors"
	"net/url"
	"strings"
	"testing"
)

// Whatever a browser brings, there is a code only from the right issuer and for the right sign-in, and an error has none of it.
func FuzzResponse(f *testing.F) {
	page, _ := url.Parse("https://auth.example/authorize")
	e := expected{issuer: "https://auth.example", promised: true, state: "the-state-of-this-sign-in", page: page}
	f.Add("iss=https%3A%2F%2Fauth.example&state=the-state-of-this-sign-in&code=abcdefgh")
	f.Add("iss=https%3A%2F%2Fauth.example&state=the-state-of-this-sign-in&error=access_denied&error_description=no%0Athanks")
	f.Add("iss=x&iss=https://auth.example;state=%zz&code")
	f.Fuzz(func(t *testing.T, query string) {
		got := e.read(query)
		if (got.code != "") == (got.err != nil) {
			t.Fatalf("%q, %v", got.code, got.err)
		}
		q, _ := url.ParseQuery(query)
		if got.code != "" && (len(q["iss"]) != 1 || q.Get("iss") != e.issuer || len(q["state"]) != 1 || q.Get("state") != e.state || q.Has("error") || got.code != q.Get("code")) {
			t.Fatalf("%q for %q", got.code, query)
		}
		fail, ok := errors.AsType[*Failure](got.err)
		if got.err == nil {
			return
		}
		if code := q.Get("code"); !ok || strings.ContainsAny(fail.Why+fail.Words, "\r\n\x1b") || len([]rune(fail.Words)) > maxWords || len(code) > 30 && strings.Contains(fail.Why, code) {
			t.Fatalf("%+v", fail)
		}
		if fail.Words != "" && (q.Get("iss") != e.issuer || q.Get("state") != e.state) {
			t.Fatalf("words of another issuer: %q", fail.Words)
		}
	})
}
