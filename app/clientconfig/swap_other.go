//go:build !linux

package clientconfig

import "errors"

func swap(_, _ string) error { return errors.ErrUnsupported }
