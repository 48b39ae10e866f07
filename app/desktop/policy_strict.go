//go:build !dev

package desktop

func pagePolicy() string { return strictPolicy }
