// Package reveal shows a file in the system's file manager. It opens no file: what is shown is the folder, with the file
// marked in it where the file manager can do that.
package reveal

import (
	"errors"
	"os"
	"path/filepath"
)

// ErrNoFolder: there is nothing on the way to the file that could be shown.
var ErrNoFolder = errors.New("the folder of the file isn't there")

// ErrNoManager: nothing here shows folders.
var ErrNoManager = errors.New("no file manager opened the folder")

// Show opens the file manager at a file, or at the nearest folder above one that is not there. path is absolute.
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

// above is the nearest folder above path that is there.
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
