package clientconfig

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// Administered is the file in which an administrator names Claude Code's servers for every user of a machine, nil if there is none. The client
// then starts no others. It is read, never written.
func Administered(s System) (path string, f *File, err error) {
	switch s.OS {
	case "darwin":
		path = s.path("/Library", "Application Support", "ClaudeCode")
	case "windows":
		path = s.path(`C:\Program Files`, "ClaudeCode")
	default:
		path = s.path("/etc", "claude-code")
	}
	path = filepath.Join(path, "managed-mcp.json")
	raw, err := Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, nil, nil
	}
	if err != nil {
		return path, nil, err
	}
	if f, err = Parse(raw, Format{shape: FormatOf(ClaudeCode).shape}); err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return path, f, err
}
