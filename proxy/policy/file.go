package policy

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxPath is the longest file path; no system allows a longer one.
const maxPath = 4096

// file is the full path of a file, or off. Having a file is the safer way; of two files neither is safer.
type file struct{}

func (file) parse(value string) (string, error) {
	switch {
	case strings.EqualFold(value, off):
		return off, nil
	case len(value) > maxPath:
		return "", fmt.Errorf("the path is longer than %d bytes; use the full path of a file, or off", maxPath)
	case !utf8.ValidString(value) || strings.ContainsFunc(value, unwritten):
		return "", errors.New("the path has invisible characters; use the full path of a file, or off")
	case strings.HasPrefix(value, "~"):
		return "", fmt.Errorf("%.40q: ~ doesn't work here; use the full path of a file, or off", value)
	case !filepath.IsAbs(value):
		return "", fmt.Errorf("%.40q is not a full path; use the full path of a file, or off", value)
	case strings.HasPrefix(filepath.ToSlash(filepath.VolumeName(value)), "//"):
		// A share on another computer may hang the reader, and a device has no end.
		return "", fmt.Errorf("%.40q is not a file on this computer; use the full path of a file, or off", value)
	}
	return filepath.Clean(value), nil
}

// unwritten matches controls, invisible characters and those that turn text around: with them two paths may look alike.
func unwritten(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}

func (f file) risk(canonical string) (float64, error) {
	if canonical == off {
		return 1, nil
	}
	return 0, nil
}

// rival: only a person can say which of two files is stricter.
func (file) rival(a, b string) bool { return a != off && b != off && a != b }
