//go:build !linux && !darwin && !windows

package reveal

func show(string, string) error { return ErrNoManager }
