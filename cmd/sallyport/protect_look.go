package main

import (
	"context"
	"fmt"

	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// protectedReport is the output of `protect --json`: what was written, and what was found.
type protectedReport struct {
	control.Protected
	Looked []probeReport `json:"looked"`
}

// look looks at each entry that was written, so that a person reviews before the restart and not after it. It prints in that order: what
// was written, what was found, where to review it, and last the restart. An entry that can't be looked at stays protected.
func (c protectCommand) look(ctx context.Context, s streams, done control.Protected, hub control.Welcome) (int, error) {
	s.did("the file was changed")
	code, undone := c.undone(done)
	page := newPage(s)
	if !c.JSON {
		page.protected(done, guarding)
	}
	var names []string
	for _, entry := range done.Entries {
		if entry.State == control.EntryWrapped {
			names = append(names, entry.Name)
		}
	}
	servers, reports, err := fromFile(done.Client, done.Path, names)
	if err != nil {
		return exitFailed, fmt.Errorf("the servers are guarded, but Sallyport couldn't check them: %w", err)
	}
	if !c.JSON && len(names) > 0 {
		page.Printf("\nChecking %s:\n", terminal.Counted(len(names), "server"))
	}
	wide, waiting := widest(names), 0
	found := func(report probeReport) {
		if !c.JSON {
			page.looked(report, wide)
		}
		if report.Code != "" {
			waiting++
		}
	}
	for _, report := range reports {
		found(report)
	}
	err = lookAt(ctx, servers, func(report probeReport) {
		reports = append(reports, report)
		found(report)
	})
	if err != nil {
		return exitFailed, err
	}
	if waiting > 0 && code == exitFine {
		code = exitPerson
	}
	if c.JSON {
		if failed := writeJSON(s.out, protectedReport{done, listOf(reports).Items}); failed != nil {
			return exitFailed, failed
		}
		return code, undone
	}
	page.afterLook(waiting, hub)
	return code, undone
}

// looked prints what was found about one server, after its name in an aligned column.
func (p *page) looked(report probeReport, wide int) {
	words := "nothing to review: " + report.settled()
	switch {
	case report.Error != "":
		words = "guarded, but couldn't be checked: " + terminal.Text(report.Error)
	case report.Code != "" && report.Kind == vocab.ItemNewServer:
		words = fmt.Sprintf("new, %s to review: item %s", terminal.Counted(report.Items, "item"), report.Code)
	case report.Code != "" && report.Items > 0 && report.Blocked == report.Items:
		words = fmt.Sprintf("you keep it blocked: item %s", report.Code)
	case report.Code != "":
		words = fmt.Sprintf("changed since you allowed it: item %s", report.Code)
	}
	p.inColumns(wide, report.Server, words)
}

// afterLook prints the next steps, in order.
func (p *page) afterLook(waiting int, hub control.Welcome) {
	p.Printf("\n")
	if waiting == 0 {
		p.Prose("", "Restart the client once so that it reads its file.")
		return
	}
	needs, where := "items need", "sallyport inbox"
	if waiting == 1 {
		needs = "item needs"
	}
	if hub.Window {
		where = "the Sallyport window"
	}
	p.Prose("", fmt.Sprintf("%d %s your review: %s. Then restart the client once so that it reads its file.", waiting, needs, where))
}
