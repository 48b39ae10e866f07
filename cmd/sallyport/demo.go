package main

import (
	"context"

	"github.com/sallyport/sallyport/cmd/sallyport/demo"
	"github.com/sallyport/sallyport/proxy/scripted"
)

type demoCommand struct {
	Keep bool `help:"Keep the temporary data folder and print its path."`
}

func (c demoCommand) run(ctx context.Context, s streams) (int, error) {
	if err := demo.Tell(ctx, newPage(s).Page, version, c.Keep); err != nil {
		return exitFailed, err
	}
	return exitFine, nil
}

// demoServerCommand is the server of the demo: an MCP server that changes on command. It ships with the program so that the demo works on a
// machine with nothing else on it.
type demoServerCommand struct {
	Args []string `arg:"" optional:"" passthrough:""`
}

func (c demoServerCommand) run(_ context.Context, s streams) (int, error) {
	return scripted.Main(c.Args, s.in, s.out, s.err), nil
}
