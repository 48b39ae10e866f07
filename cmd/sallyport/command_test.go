package main

import (
	"strings"
	"testing"
)

// faultyReader panics when it is read.
type faultyReader struct{ lines []string }

func (r *faultyReader) Read([]byte) (int, error) { return len(r.lines[1]), nil }

func TestAFaultOfOursIsOneLineAndNoStackTrace(t *testing.T) {
	var out, errs strings.Builder
	code := runCommand(t.Context(), []string{"scan", "-"}, streams{&faultyReader{}, &out, &errs})
	said := errs.String()
	if code != exitFailed || strings.Count(said, "\n") != 1 || !strings.HasPrefix(said, "sallyport: scan: a bug in Sallyport") || !strings.Contains(said, "command_test.go:") {
		t.Errorf("exit %d, %q", code, said)
	}
}
