// Package reveal shows a file in the system's file manager: it opens the folder, with the file selected if the file manager supports that.
// It never opens the file. Browse opens an address in the browser.
package reveal

import (
	"errors"
	"os"
	"path/filepath"
)

// ErrNoFolder: none of the folders above the file exists.
var ErrNoFolder = errors.New("the folder of the file isn't there")

// ErrNoManager: nothing here shows folders.
var ErrNoManager = errors.New("no file manager opened the folder")

// Show opens the file manager at a file, or at the nearest existing folder above it. path is absolute.
func Show(path string) error {
	if !filepath.IsAbs(path) {
		return ErrNoFolder
	}
	path = filepath.Clean(path)
	if _, err := os.Lstat(path); err == nil {
		return show(path, filepath.Dir(path))
	}
	folder, err := above(path)
	if err != nil {
		return err
	}
	return show("", folder)
}

// above is the nearest existing folder above path.
func above(path string) (string, error) {
	for {
		folder := filepath.Dir(path)
		if info, err := os.Stat(folder); err == nil && info.IsDir() {
			return folder, nil
		}
		if folder == path {
			return "", ErrNoFolder
		}
		path = folder
	}
}
