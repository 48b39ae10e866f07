// Package frontend embeds the window's page. The page's own build makes dist; a fresh clone only has a placeholder there, for embedding
// and go vet to work. Check for dist/index.html before serving Dist.
package frontend

import "embed"

// Dist is the built page, below "dist". The pattern needs all: because the placeholder's name starts with a dot.
//
//go:embed all:dist
var Dist embed.FS
