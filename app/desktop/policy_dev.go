//go:build dev

package desktop

import "os"

// pagePolicy of a development build. Wails' overlay there takes Svelte's policy name a second time, and a page that is served
// by Vite needs its styles and its socket. No target ships such a build: it takes calls from any web origin.
func pagePolicy() string {
	if os.Getenv("frontenddevserverurl") != "" {
		return "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; " +
			"connect-src 'self' ws: http://localhost:*; base-uri 'none'; form-action 'none'; frame-src 'none'"
	}
	return strictPolicy + " 'allow-duplicates'"
}
