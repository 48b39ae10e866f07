package main

import (
	"context"
	"errors"
)

var errUnwired = errors.New("not wired yet")

func runWrap(_ context.Context, _ wrapOptions, s streams) int {
	return fail(s, exitFailed, "wrap", errUnwired)
}

func runProbe(_ context.Context, _ probeOptions, s streams) int {
	return fail(s, exitFailed, "probe", errUnwired)
}

func runHub(_ context.Context, _ hubOptions, s streams) int {
	return fail(s, exitFailed, "hub", errUnwired)
}
