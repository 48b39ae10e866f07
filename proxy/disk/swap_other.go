//go:build !linux

package disk

import (
	"errors"
	"os"
)

// Swap exchanges two files in one step, or returns errors.ErrUnsupported.
func Swap(_, _ string) error { return errors.ErrUnsupported }

func renameNew(from, to string) error { return os.Rename(from, to) }
