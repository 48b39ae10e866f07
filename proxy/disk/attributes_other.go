//go:build !linux

package disk

import "os"

func keepAttributes(*os.File, string) error { return nil }
