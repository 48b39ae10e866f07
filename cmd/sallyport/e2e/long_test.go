package e2e

import (
	"flag"
	"testing"
)

var longFlag = flag.Bool("long", false, "play every case; without it, of tests with many alike, those that differ most")

// played are the cases of all that a run plays: with -long every one, else the first few.
func played[T any](few int, all []T) []T {
	if *longFlag {
		return all
	}
	return all[:few]
}

// onlyLong skips a test that make long plays: another of make test guards the same.
func onlyLong(t *testing.T) {
	t.Helper()
	if !*longFlag {
		t.Skip("make long plays it")
	}
}
