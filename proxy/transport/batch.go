package transport

import (
	"path/filepath"
	"strconv"
	"strings"
)

// forBatch refuses arguments that cmd.exe would read as more than arguments. cmd.exe runs .cmd and .bat files and parses the command line
// by its own rules, quotes or not (and Windows drops dots and blanks at the end of a name); a server's argument must not become a second
// command.
func forBatch(name, path string, args []string) error {
	switch strings.ToLower(filepath.Ext(strings.TrimRight(path, ". "))) {
	case ".cmd", ".bat":
	default:
		return nil
	}
	for i, arg := range args {
		if strings.ContainsAny(arg, "&|<>^%!\"()\r\n") {
			return &StartError{name, "argument " + strconv.Itoa(i+1) + " holds a character that a .cmd or .bat file would run as a command: start its program (node.exe, python.exe) itself"}
		}
	}
	return nil
}
