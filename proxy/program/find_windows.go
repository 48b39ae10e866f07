package program

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// Not tested on Windows.

func sameName(a, b string) bool { return strings.EqualFold(a, b) }

// Find finds the file that name means to a server with this environment, through its PATH and PATHEXT (npx is npx.cmd). It does not search
// the current folder, though Windows would. An error says why there is none, without the name.
func Find(name string, env []string, dir string) (string, error) {
	endings := []string{".com", ".exe", ".bat", ".cmd"}
	if list, ok := Lookup(env, "PATHEXT"); ok && list != "" {
		endings = strings.Split(strings.ToLower(list), ";")
	}
	if strings.ContainsAny(name, `\/:`) {
		if path, ok := withEnding(FromDir(name, dir), endings); ok {
			return path, nil
		}
		return "", errors.New("no such program: install it, or correct the path")
	}
	path, _ := Lookup(env, "PATH")
	for _, folder := range filepath.SplitList(path) {
		found, ok := withEnding(filepath.Join(FromDir(folder, dir), name), endings)
		if !ok {
			continue
		}
		if !filepath.IsAbs(folder) {
			return "", errRelative
		}
		return found, nil
	}
	return "", errNotFound
}

func withEnding(path string, endings []string) (string, bool) {
	candidates := make([]string, 0, len(endings)+1)
	if filepath.Ext(path) != "" {
		candidates = append(candidates, path)
	}
	for _, ending := range endings {
		if strings.HasPrefix(ending, ".") {
			candidates = append(candidates, path+ending)
		}
	}
	for _, candidate := range candidates {
		if info, err := os.Stat(candidate); err == nil && !info.IsDir() {
			return candidate, true
		}
	}
	return "", false
}
