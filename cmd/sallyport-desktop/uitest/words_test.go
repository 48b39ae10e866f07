//go:build ui

package uitest

// What buttons are called, as far as stories press them.
const (
	keepBlocked  = "Keep"
	allowTool    = "Allow this tool"
	allowServer  = "Allow this server"
	allowVersion = "Allow this version"
	showNew      = "Show the new version"
	seeChange    = "See the exact change"
	protect      = "Protect"
	undo         = "Undo"
)
