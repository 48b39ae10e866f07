// Package extensions follows the desktop extensions of Claude Desktop, which the client starts itself, so that no wrapper is in front of
// them. What a person accepted is pinned: the manifest and every file. An extension that is new, or differs, becomes an inbox item; nothing
// is ever written into its folder, and nothing is blocked.
//
// Its lock is taken before the office's and never under it, because reading a folder takes a while.
package extensions
