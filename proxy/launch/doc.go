// Package launch finds out what a server's command runs: before the start what can be known then (Look), and once it runs what only its
// processes show (Running), such as the package that npx or uvx chose, or the image that docker started.
//
// A Look is cheap, a few stats; Fill reads the files that changed since their digest was stored. Nothing here decides: the parts become a
// pin.LaunchForm, and the hub compares it.
//
// Not covered, as docs/launch.md says: what a script imports, what a program loads while it runs, and a program that lies about itself in
// the process table.
//
// The values of variables never leave this package: those of loaders are hashed with the hub's key, the others are not read.
package launch
