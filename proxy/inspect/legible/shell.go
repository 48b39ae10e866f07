package legible

import "strings"

// ShellWord is a name quoted for a shell, or a placeholder for one that nobody should paste.
func ShellWord(name string) string {
	switch {
	case name == "" || strings.HasPrefix(name, "-") || Escape(name) != name || strings.ContainsAny(name, "'\n\r\t"):
		return "NAME"
	case strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.@/:-") == "":
		return name
	}
	return "'" + name + "'"
}
