package main

import (
	"context"
	"fmt"
	"time"

	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/vocab"
)

type activitySummaryCommand struct {
	jsonFlag
	By string `enum:"server,tool,kind" default:"server" help:"One row for each server, tool or kind."`
	activityFilters
}

func (c activitySummaryCommand) check() error { return c.valid() }

func (c activitySummaryCommand) ask(ctx context.Context, s streams, hub *control.Client) (int, error) {
	found, err := control.AskSummary(ctx, hub, control.SummaryQuery{ActivityQuery: c.query(), By: c.By})
	if err != nil {
		return exitFailed, err
	}
	return exitFine, c.print(s, found, func(p *page) { p.summary(found) })
}

func (p *page) summary(found control.Summary) {
	if found.Records == 0 {
		p.Printf("no records\n")
		return
	}
	p.Printf("%s, %s to %s\n", terminal.Counted(found.Records, "record"), terminal.Clock(found.From), terminal.Clock(found.To))
	if len(found.Items) == 0 {
		p.Printf("none of them is about a tool\n")
		return
	}
	header := []string{found.By, "records"}
	var shown []vocab.Status
	for _, status := range vocab.Statuses {
		for _, row := range found.Items {
			if row.Status[string(status)] > 0 {
				shown, header = append(shown, status), append(header, string(status))
				break
			}
		}
	}
	var rows [][]string
	for _, row := range found.Items {
		cells := []string{summaryName(found.By, row), fmt.Sprint(row.Records)}
		for _, status := range shown {
			cells = append(cells, fmt.Sprint(row.Status[string(status)]))
		}
		rows = append(rows, append(cells, tookCell(row.MedianUS), tookCell(row.P95US), sizeCell(row.Bytes), terminal.Clock(row.Last)))
	}
	p.Table(append(header, "median", "95 %", "bytes", "last"), rows)
}

func summaryName(by string, row control.SummaryRow) string {
	if by == control.ByKind {
		return orDash(terminal.Text(row.Kind))
	}
	name := ""
	if row.Server != "" {
		name = terminal.Server("", legible.ShortName(row.Server, legible.MaxShownName+legible.MarkLength))
	}
	if by == control.ByTool {
		name += "/" + terminal.Tool(row.Tool, 40)
	}
	return orDash(name)
}

// tookCell is a duration to three digits.
func tookCell(us int64) string {
	d := time.Duration(us) * time.Microsecond
	switch {
	case us == 0:
		return "-"
	case d < time.Millisecond:
		return d.String()
	case d < time.Second:
		return d.Round(10 * time.Microsecond).String()
	}
	return d.Round(10 * time.Millisecond).String()
}

// sizeCell is a number of bytes in the largest unit that it reaches.
func sizeCell(n int64) string {
	for _, unit := range []struct {
		size int64
		name string
	}{{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}} {
		if n >= unit.size {
			return fmt.Sprintf("%.1f %s", float64(n)/float64(unit.size), unit.name)
		}
	}
	return fmt.Sprint(n)
}
