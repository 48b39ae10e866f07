//go:build !linux && !darwin && !windows

package terminal

import (
	"errors"
	"os"
)

// Is says no: on an untried platform, a decision needs --yes.
func Is(*os.File) bool { return false }

func columnsOf(*os.File) int { return 80 }

// Hide is an error: nothing can be read unseen.
func Hide(*os.File) (show func(), err error) { return nil, errors.ErrUnsupported }
