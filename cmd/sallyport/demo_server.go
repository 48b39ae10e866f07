package main

import (
	"context"

	"github.com/sallyport/sallyport/proxy/scripted"
)

// demoServerCommand is the server that the demo wraps: an MCP server that changes when it is told to. It ships with the
// program so that the story can be told on a machine with nothing else on it.
type demoServerCommand struct {
	Args []string `arg:"" optional:"" passthrough:""`
}

func (c demoServerCommand) run(_ context.Context, s streams) (int, error) {
	return scripted.Main(c.Args, s.in, s.out, s.err), nil
}
