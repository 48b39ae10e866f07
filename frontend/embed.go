// Package frontend holds the window's page, built into the program. dist is made by the page's own build and is empty in a
// fresh clone but for a placeholder that keeps the embedding (and go vet) working; who serves Dist looks for
// dist/index.html and says so where there is none.
package frontend

import "embed"

// Dist is the built page, below "dist". The pattern says all: because the placeholder's name starts with a dot.
//
//go:embed all:dist
var Dist embed.FS
