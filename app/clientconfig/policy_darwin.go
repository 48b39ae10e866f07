package clientconfig

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const preferences = "com.anthropic.claudefordesktop.plist"

// managed reads the settings made by device management; the person's own preferences are not a policy.
func managed(s System) []policySource {
	folder := s.path("/Library", "Managed Preferences")
	var sources []policySource
	for _, path := range []string{filepath.Join(folder, filepath.Base(s.Home), preferences), filepath.Join(folder, preferences)} {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		sources = append(sources, policySource{path, func(key string) (string, bool, error) { return plistValue(path, key) }})
	}
	return sources
}

// plistValue asks the system's own tool: a managed plist is binary, and we only want one key.
func plistValue(path, key string) (string, bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if file, err := os.Open(path); err != nil {
		return "", false, err
	} else {
		file.Close()
	}
	out, err := exec.CommandContext(ctx, "/usr/bin/plutil", "-extract", key, "raw", "-o", "-", path).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "", false, nil // no such key
	}
	return strings.TrimSuffix(string(out), "\n"), err == nil, err
}
