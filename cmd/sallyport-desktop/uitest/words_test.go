//go:build ui

package uitest

// What buttons are called, as far as stories press them.
const (
	keepBlocked   = "Keep"
	allowTool     = "Allow this tool"
	allowServer   = "Allow this server"
	allowProgram  = "Allow this program"
	allowOnce     = "Allow once"
	refuseCall    = "Refuse this call"
	alwaysCall    = "Always allow this call"
	alwaysTo      = "Always to this recipient"
	allowSetting  = "Allow this setting"
	allowVersion  = "Allow this version"
	allowIt       = "Allow it"
	blockIt       = "Block it"
	keepSafer     = "Keep the safer setting"
	putBack       = "Put the guard back"
	restore       = "Restore previous settings"
	leaveOpen     = "Leave it as it is: without a guard"
	leaveSettings = "Leave it as it is: the changed settings"
	leaveIt       = "Leave it as it is"
	releaseOnce   = "Release once"
	releaseRest   = "Release without the marked parts"
	discard       = "Discard the response"
	alwaysAllow   = "Always allow this tool"
	beginAgain    = "Start over with an empty store"
	showNew       = "Show the new version"
	seeChange     = "See the exact change"
	protect       = "Protect"
	undo          = "Undo"
)
