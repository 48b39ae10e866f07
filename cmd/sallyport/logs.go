package main

import (
	"context"
	"fmt"
	"io"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

type logsCommand struct {
	Server string `arg:"" complete:"server" help:"Name or identity of the server."`
	Lines  int    `default:"50" help:"Number of lines from the end."`
	Follow bool   `short:"f" help:"Keep printing new lines."`
}

func (c logsCommand) run(ctx context.Context, s streams) (int, error) {
	if c.Lines < 1 {
		return exitUsage, fmt.Errorf("--lines %d: a number from 1 up", c.Lines)
	}
	hub, err := dial(ctx)
	if err != nil {
		return exitFailed, err
	}
	defer hub.Close()
	query := control.LogQuery{Server: c.Server, Lines: c.Lines}
	for {
		log, err := control.AskLog(ctx, hub, query)
		if err != nil {
			return exitFailed, err
		}
		if err := printLog(s, log.Text); err != nil {
			return exitFailed, err
		}
		if !c.Follow {
			return exitFine, nil
		}
		query = control.LogQuery{Server: c.Server, Offset: log.Next, Follow: true}
		if !pause(ctx) {
			return exitFine, nil
		}
	}
}

// printLog prints a piece of a server's error output. The hub has escaped it already; doing it again changes nothing and keeps the rule
// that server text is escaped where it is printed.
func printLog(s streams, text string) error {
	_, err := io.WriteString(s.out, legible.Escape(text))
	return err
}
