package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/control"
)

type flowCommand struct {
	List   flowListCommand   `cmd:"" default:"withargs" help:"List the calls that are allowed for good."`
	Forget flowForgetCommand `cmd:"" help:"Ask about a call again."`
}

type flowListCommand struct{ jsonFlag }

// allowedWith is the value or the arguments that were allowed. Of a change of access none are kept: they may be a password.
func allowedWith(a control.AllowedCall) string {
	if a.Value == "" {
		return "(arguments not kept)"
	}
	return terminal.Short(a.Value, 60)
}

func (c flowListCommand) ask(ctx context.Context, s streams, hub *control.Client) (int, error) {
	all, err := control.AskAllowedCalls(ctx, hub)
	if err != nil {
		return exitFailed, err
	}
	return exitFine, c.print(s, listOf(all), func(p *page) {
		if len(all) == 0 {
			p.Printf("No call is allowed for good.\n")
			return
		}
		rows := make([][]string, len(all))
		for i, a := range all {
			rows[i] = []string{terminal.Text(a.Code), terminal.Server(a.Server, a.Shown), terminal.Short(a.Tool, 32), allowedWith(a), terminal.Clock(a.Since), strconv.Itoa(a.Uses)}
		}
		p.Table(strings.Fields("CODE SERVER TOOL WITH SINCE USES"), rows)
		p.Printf("\nTo ask about one again: sallyport flow forget CODE\n")
	})
}

type flowForgetCommand struct {
	jsonFlag
	Value string `arg:"" optional:"" help:"What list shows of it: its code, its id, or its arguments."`
	All   bool   `help:"All calls that are allowed for good."`
}

func (c flowForgetCommand) check() error {
	if c.All == (c.Value != "") {
		return errors.New("name one call, or use --all")
	}
	return nil
}

func (c flowForgetCommand) ask(ctx context.Context, s streams, hub *control.Client) (int, error) {
	all, err := control.AskAllowedCalls(ctx, hub)
	if err != nil {
		return exitFailed, err
	}
	named := strings.TrimSpace(c.Value)
	var forgotten []control.AllowedCall
	for _, a := range all {
		if !c.All && !strings.EqualFold(named, a.Code) && named != a.ID && named != a.Value {
			continue
		}
		gone, err := control.AskForgetCall(ctx, hub, a.ID)
		if err != nil {
			return exitFailed, err
		}
		s.did("it was forgotten")
		forgotten = append(forgotten, gone)
	}
	if len(forgotten) == 0 && !c.All {
		return exitFailed, fmt.Errorf("no call like %s is allowed for good; \"sallyport flow\" lists those that are", terminal.Text(named))
	}
	return exitFine, c.print(s, listOf(forgotten), func(p *page) {
		for _, a := range forgotten {
			p.Printf("asked about again: %s of %s, %s\n", terminal.Short(a.Tool, 32), terminal.Server(a.Server, a.Shown), allowedWith(a))
		}
		if len(forgotten) == 0 {
			p.Printf("No call is allowed for good.\n")
		}
	})
}
