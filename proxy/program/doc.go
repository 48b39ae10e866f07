// Package program finds the file that a command's first word means to a server, in the server's own environment and folder. It reads PATH
// and first lines of scripts, and starts nothing.
package program
