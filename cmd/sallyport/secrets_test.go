package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"
)

// storyNowhere looks for each text in every file of the home but the copies of clients' own files: nowhere TEXT….
func storyNowhere(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: nowhere TEXT…")
	}
	home := ts.Getenv("SALLYPORT_HOME")
	looked := 0
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // gone meanwhile
		}
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "backups" || d.Name() == "clients") && filepath.Dir(path) == home {
			return fs.SkipDir
		}
		if !d.Type().IsRegular() {
			return nil
		}
		raw, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		for _, text := range args {
			if bytes.Contains(raw, []byte(text)) {
				ts.Fatalf("%s is in %s in clear", text, path)
			}
		}
		if d.Name() == "sallyport.db" {
			looked++
		}
		return err
	})
	ts.Check(err)
	if looked != 1 {
		ts.Fatalf("there is no store in %s", home)
	}
}
