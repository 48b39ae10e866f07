package main

import (
	"context"
	"strings"
	"time"

	"github.com/sallyport/sallyport/cmd/sallyport/review"
	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/control"
)

type inboxCommand struct{ jsonFlag }

func (c inboxCommand) ask(ctx context.Context, s streams, hub *control.Client) (int, error) {
	items, err := control.AskInbox(ctx, hub)
	if err != nil {
		return exitFailed, err
	}
	code := exitFine
	if len(items) > 0 {
		code = exitPerson
	}
	return code, c.print(s, listOf(items), func(p *page) {
		if len(items) == 0 {
			p.Printf("Nothing needs your review.\n")
			return
		}
		rows := make([][]string, len(items))
		for i, item := range items {
			rows[i] = []string{terminal.Text(item.Code), terminal.Text(string(item.Severity)), terminal.Text(string(item.Kind)), terminal.Server(item.Server, item.Shown), terminal.Name(item.Title, 60)}
		}
		p.Table(strings.Fields("ITEM SEVERITY KIND SERVER WHAT"), rows)
		p.Printf("\nRead one with: sallyport show %s\n", terminal.Text(items[0].Code))
	})
}

type showCommand struct {
	jsonFlag
	Code string `arg:"" complete:"item" help:"Code of the inbox item, such as 4F2A."`
}

func (c showCommand) ask(ctx context.Context, s streams, hub *control.Client) (int, error) {
	item, err := control.AskItem(ctx, hub, itemCode(c.Code))
	if err != nil {
		return exitFailed, err
	}
	return exitFine, c.print(s, item, func(p *page) { review.Item(p.Page, item, hub.Welcome(), time.Now()) })
}

// itemCode normalises a typed code: codes are read off a screen, in any case.
func itemCode(typed string) string { return strings.ToUpper(strings.TrimSpace(typed)) }
