//go:build !darwin && !windows

package reveal

func browser(address string) []string { return []string{"xdg-open", address} }
