//go:build !linux

package e2e

func hostile() int { return 2 }

func impostor([]string) int { return 2 }
