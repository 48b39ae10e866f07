package clientconfig

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Stays is an error if a client's file must not name the program at path: a client keeps the path, so the program must still be there
// tomorrow.
func Stays(path string) error {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	if why := passing(path, target, os.TempDir(), os.Getenv("SALLYPORT_HOME") != ""); why != "" {
		return fmt.Errorf("%s %s, and clients keep this path: install the program in a permanent place (sudo install %s /usr/local/bin/sallyport) and run it from there",
			path, why, filepath.Base(path))
	}
	return nil
}

// Stayed is Stays for a home of its own, which may be in the temporary folder with its program.
func Stayed(path string) bool {
	target, err := filepath.EvalSymlinks(path)
	return err == nil && passing(path, target, os.TempDir(), true) == ""
}

// goRun reports whether `go run` or `go test` built in a folder: they delete it when they end.
func goRun(folder string) bool {
	number, ok := strings.CutPrefix(folder, "go-build")
	return ok && strings.Trim(number, "0123456789") == ""
}

// passing says why a path will probably be gone tomorrow, "" if it won't. A home named by SALLYPORT_HOME is an installation of its own and
// may be in the temporary folder, with its program.
func passing(path, target, temporary string, ownHome bool) string {
	for _, p := range []string{path, target} {
		parts := strings.FieldsFunc(p, func(r rune) bool { return r == '/' || r == '\\' })
		switch {
		case slices.ContainsFunc(parts[:max(len(parts)-1, 0)], goRun):
			return "was built by go run, which deletes it afterwards"
		case slices.ContainsFunc(parts, func(part string) bool { return strings.HasPrefix(part, ".mount_") }):
			return "is in a disk image that is only mounted while it runs"
		case slices.Contains(parts, "AppTranslocation"), strings.HasPrefix(p, "/Volumes/"):
			return "is in a disk image, or was not moved to the Applications folder yet"
		case strings.HasPrefix(p, "/proc/"), strings.HasPrefix(p, "/dev/"):
			return "is not a permanent file"
		case !ownHome && (below(p, temporary) || below(p, "/tmp") || below(p, "/var/tmp")):
			return "is in the temporary folder"
		}
	}
	return ""
}

// below reports whether path is in folder, as written or with the links of folder followed.
func below(path, folder string) bool {
	dirs := []string{folder}
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		dirs = append(dirs, real)
	}
	return slices.ContainsFunc(dirs, func(dir string) bool {
		rel, err := filepath.Rel(dir, path)
		return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
	})
}
