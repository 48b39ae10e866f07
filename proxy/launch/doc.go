// Package launch says what a server's command runs: before the start what can be known then (Look), and once it runs what
// only its processes show (Running): the package that npx or uvx chose, the image that docker started.
//
// A Look is cheap, a few stats; Fill reads the files whose content is not known by their stat already. Nothing here
// decides: the parts become a pin.LaunchForm, and the hub compares it.
//
// What is not covered, and docs/launch.md says so: what a script imports, what a program loads while it runs, and a
// program that lies about itself in the process table.
//
// The values of variables never leave this package: those that load code are hashed with the hub's key, the others are
// not looked at.
package launch
