package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBubblewrapIsTakenFromRootOnly(t *testing.T) {
	dir := t.TempDir()
	fake := filepath.Join(dir, "bwrap")
	if err := os.WriteFile(fake, []byte("#!/bin/sh\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(fake, 0o777); err != nil {
		t.Fatal(err)
	}
	if path, err := findBwrap([]string{filepath.Join(dir, "none")}); err == nil || !strings.Contains(err.Error(), "install the package bubblewrap") {
		t.Errorf("a bwrap that is not there: %q, %v", path, err)
	}
	if path, err := findBwrap([]string{fake}); err == nil || !strings.Contains(err.Error(), "can be changed by others") {
		t.Errorf("a bwrap that anybody may write: %q, %v", path, err)
	}
}
