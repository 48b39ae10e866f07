package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/control"
)

// discardReport is the output of `discard --all --json`: what was in the inbox, and what happened to it.
type discardReport struct {
	Items []control.InboxItem `json:"items"`
	control.DiscardedHeld
}

// runAll discards the responses held at this moment, of one server or tool if named. Later ones stay, and are counted.
func (c discardCommand) runAll(ctx context.Context, s streams) (int, error) {
	if c.Digest != "" {
		return exitUsage, errors.New("--digest goes with one held response, not with --all")
	}
	hub, err := dial(ctx)
	if err != nil {
		return exitFailed, err
	}
	defer hub.Close()
	set, err := control.AskHeldSet(ctx, hub, control.HeldQuery{Server: c.Server, Tool: c.Tool})
	if err != nil {
		return exitFailed, err
	}
	shown := s
	if c.JSON {
		shown.out = s.err
	}
	p := newPage(shown)
	if len(set.Codes) > 0 && hub.Welcome().CLIApproval {
		for _, item := range set.Items {
			p.Line("", fmt.Sprintf("%s  %s  ", terminal.Text(item.Code), terminal.Counted(item.Count, "response")), item.Server+": "+item.Title)
		}
		if err := confirm(ctx, s, c.Yes, fmt.Sprintf("\nDiscard %s? [y/N] ", terminal.Counted(len(set.Codes), "held response")), "y"); err != nil {
			return codeOf(err), err
		}
	}
	var done control.DiscardedHeld
	if len(set.Codes) > 0 {
		done, err = control.AskDiscardHeld(ctx, hub, control.DiscardHeld{Codes: set.Codes, Server: c.Server, Tool: c.Tool})
	}
	switch {
	case hubError(err, control.CodeNotHere), hubError(err, control.CodeDescends):
		if c.JSON {
			err = errors.Join(writeJSON(s.out, listOf(set.Items)), err)
		}
		return exitPerson, err
	case err != nil:
		return exitFailed, err
	}
	if done.Discarded > 0 {
		s.did("it was decided")
	}
	if c.JSON {
		return exitFine, writeJSON(s.out, discardReport{listOf(set.Items).Items, done})
	}
	if len(set.Codes) == 0 {
		if c.Tool != "" || c.Server != "" {
			p.Printf("No held response matches --server and --tool.\n")
		} else {
			p.Printf("No responses are held.\n")
		}
		return exitFine, nil
	}
	p.Printf("discarded: %s\n", terminal.Counted(done.Discarded, "response"))
	if done.Meanwhile > 0 {
		p.Printf("already decided or expired: %d\n", done.Meanwhile)
	}
	if done.Came > 0 {
		p.Printf("new since you asked, not discarded: %s\n", terminal.Counted(done.Came, "response"))
	}
	return exitFine, nil
}
