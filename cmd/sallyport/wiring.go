package main

import (
	"context"
	"errors"
)

var errUnwired = errors.New("not wired yet")

func runProbe(_ context.Context, _ probeOptions, s streams) int {
	return fail(s, exitFailed, "probe", errUnwired)
}

func runHub(_ context.Context, _ hubOptions, s streams) int {
	return fail(s, exitFailed, "hub", errUnwired)
}
