//go:build dev

package desktop

import "os"

// pagePolicy for development builds. Wails' overlay uses Svelte's policy name a second time, and a page served by Vite needs its styles
// and its socket. No target ships such a build: it accepts calls from any web origin.
func pagePolicy() string {
	if os.Getenv("frontenddevserverurl") != "" {
		return "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; " +
			"connect-src 'self' ws: http://localhost:*; base-uri 'none'; form-action 'none'; frame-src 'none'"
	}
	return strictPolicy + " 'allow-duplicates'"
}
