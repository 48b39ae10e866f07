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

func (c logsCommand) check() error {
	if c.Lines < 1 {
		return fmt.Errorf("--lines %d: a number from 1 up", c.Lines)
	}
	return nil
}

func (c logsCommand) ask(ctx context.Context, s streams, hub *control.Client) (int, error) {
	query := control.LogQuery{Server: c.Server, Lines: c.Lines}
	for {
		log, err := control.AskLog(ctx, hub, query)
		if err != nil {
			return exitFailed, err
		}
		// The hub has escaped it; doing it again changes nothing and keeps the rule that server text is escaped where it is printed.
		if _, err := io.WriteString(s.out, legible.Escape(log.Text)); err != nil {
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
