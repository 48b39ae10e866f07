package desktop

import "net/http"

// withPolicy puts the page's content security policy on everything that is served to it: our own files, and nothing else.
func withPolicy(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", pagePolicy())
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Referrer-Policy", "no-referrer")
		next.ServeHTTP(w, r)
	})
}

// strictPolicy was measured in WebKitGTK: inline script, eval, outside fetches and pictures, style elements and innerHTML are
// blocked. Svelte's own policy name is the one way to make a template.
const strictPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-src 'none'; require-trusted-types-for 'script'; trusted-types svelte-trusted-html"
