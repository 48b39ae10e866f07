// Package program finds the file that a command's first word means to a server: through the server's own environment and
// folder, not ours. It reads PATH and first lines of scripts, and starts nothing.
package program
