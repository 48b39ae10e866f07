package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/control"
)

type exceptCommand struct {
	jsonFlag
	Code   string        `arg:"" complete:"held" help:"Code of the held response, such as 4F2A."`
	Rule   []string      `sep:"none" placeholder:"RULE" help:"Only this rule, of those that matched. Can be repeated."`
	For    time.Duration `default:"1h" help:"How long it lasts, at most 168h."`
	Digest narrow        `placeholder:"D" help:"Decide only if the item still has this digest."`
	Yes    bool          `help:"Answer yes to every question."`
}

func (c exceptCommand) check() error {
	if c.For <= 0 || c.For > 7*24*time.Hour {
		return fmt.Errorf("--for %s: an exception lasts at most 168h", c.For)
	}
	return nil
}

func (c exceptCommand) ask(ctx context.Context, s streams, hub *control.Client) (int, error) {
	item, err := heldItem(ctx, hub, c.Code, string(c.Digest))
	if err != nil {
		return exitFailed, err
	}
	rules := c.Rule
	if len(rules) == 0 {
		rules = item.Held.Excepts
	}
	if len(item.Held.Excepts) == 0 {
		return exitFailed, fmt.Errorf("can't make an exception for %s: it has a Critical warning, or no rule caused the hold", item.Code)
	}
	var made []control.Exception
	d := aboutItem(hub, item, c.jsonFlag, c.Yes)
	d.question = fmt.Sprintf("\nAllow responses like this one from %s for %s, for the rules %s? [y/N] ", terminal.Server(item.Server, item.Shown), c.For, terminal.Text(strings.Join(rules, ", ")))
	d.do = func() (err error) {
		made, err = control.AskExcept(ctx, hub, control.Except{Code: item.Code, Digest: item.Digest, Rules: c.Rule, For: c.For})
		return err
	}
	if code, err := d.run(ctx, s); err != nil {
		return code, err
	}
	return exitFine, c.print(s, listOf(made), func(p *page) {
		for _, e := range made {
			p.Line("", "exception until "+terminal.Clock(e.Until)+": ", exceptionWords(e))
		}
		p.Printf("The held response stays held: release it with \"sallyport release %s\". To end an exception: sallyport exceptions end ID\n", terminal.Text(item.Code))
	})
}

// exceptionWords says what an exception covers.
func exceptionWords(e control.Exception) string {
	what := e.Item
	if what == "" {
		what = "responses without a tool"
	}
	return fmt.Sprintf("%s up to %s, %s of %s", e.Rule, e.Level, what, terminal.Server(e.Server, e.Shown))
}

type exceptionsCommand struct {
	List exceptionsListCommand `cmd:"" default:"withargs" help:"List the exceptions in force."`
	End  exceptionsEndCommand  `cmd:"" help:"End an exception now."`
}

type exceptionsListCommand struct{ jsonFlag }

func (c exceptionsListCommand) ask(ctx context.Context, s streams, hub *control.Client) (int, error) {
	all, err := control.AskExceptions(ctx, hub)
	if err != nil {
		return exitFailed, err
	}
	return exitFine, c.print(s, listOf(all), func(p *page) {
		if len(all) == 0 {
			p.Printf("No exceptions.\n")
			return
		}
		rows := make([][]string, len(all))
		for i, e := range all {
			rows[i] = []string{terminal.Text(e.ID), terminal.Short(e.Rule, 32), terminal.Text(string(e.Level)), terminal.Server(e.Server, e.Shown), orDash(terminal.Short(e.Item, 40)), terminal.Clock(e.Until), strconv.Itoa(e.Used)}
		}
		p.Table(strings.Fields("ID RULE UP-TO SERVER ITEM UNTIL USED"), rows)
		p.Printf("\nTo end one: sallyport exceptions end ID\n")
	})
}

type exceptionsEndCommand struct {
	jsonFlag
	ID  string `arg:"" optional:"" help:"ID of the exception."`
	All bool   `help:"All exceptions in force."`
}

func (c exceptionsEndCommand) check() error {
	if c.All == (c.ID != "") {
		return errors.New("name one exception, or use --all")
	}
	return nil
}

func (c exceptionsEndCommand) ask(ctx context.Context, s streams, hub *control.Client) (int, error) {
	ids := []string{strings.TrimSpace(c.ID)}
	if c.All {
		all, err := control.AskExceptions(ctx, hub)
		if err != nil {
			return exitFailed, err
		}
		ids = nil
		for _, e := range all {
			ids = append(ids, e.ID)
		}
	}
	var ended []control.Exception
	for _, id := range ids {
		e, err := control.AskEndException(ctx, hub, id)
		if err != nil {
			return exitFailed, err
		}
		s.did("it was ended")
		ended = append(ended, e)
	}
	return exitFine, c.print(s, listOf(ended), func(p *page) {
		for _, e := range ended {
			p.Line("", "ended: ", exceptionWords(e))
		}
		if len(ended) == 0 {
			p.Printf("No exceptions.\n")
		}
	})
}
