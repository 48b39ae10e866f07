package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestWhatWasCalledStaysTheLinkThatItIs(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "sallyport-1.2"), filepath.Join(dir, "sallyport")
	if err := os.WriteFile(file, []byte("x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	if got := calledAs(link); got != link {
		t.Errorf("called as %s, got %s", link, got)
	}
	if !sameFile(link, file) || sameFile(link, dir) || sameFile("", "") {
		t.Error("the link leads to its file and to nothing else")
	}
	t.Setenv("PATH", dir)
	if got := calledAs("sallyport"); got != link {
		t.Errorf("found by PATH as %s, got %s", link, got)
	}
	if got := calledAs("no-such-program-anywhere"); got != "" {
		t.Errorf("got %s", got)
	}
}
