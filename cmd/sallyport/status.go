package main

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/sallyport/sallyport/cmd/sallyport/review"
	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/control"
)

type statusCommand struct{ jsonFlag }

// statusReport is what `status --json` prints.
type statusReport struct {
	control.Status
	NotStarted int               `json:"servers_not_started"` // of the servers
	Coverage   *control.Coverage `json:"coverage,omitempty"`
}

func (c statusCommand) ask(ctx context.Context, s streams, hub *control.Client) (int, error) {
	status, err := control.AskStatus(ctx, hub)
	if err != nil {
		return exitFailed, err
	}
	coverage, unknown := control.AskCoverage(ctx, hub, control.CoverageQuery{})
	late := 0
	if servers, err := control.AskServers(ctx, hub); err == nil {
		status.Problems = append(status.Problems, sandboxStatus(ctx, servers)...)
		status.Servers = len(servers)
		late = len(slices.DeleteFunc(servers, func(s control.Server) bool { return !waitsForClient(s) }))
	}
	code := exitFine
	if status.WaitingCount > 0 || slices.ContainsFunc(status.Problems, blocksAll) {
		code = exitPerson
	}
	if c.JSON {
		whole := statusReport{Status: status, NotStarted: late}
		if unknown == nil {
			whole.Coverage = &coverage
		}
		return code, writeJSON(s.out, whole)
	}
	p := newPage(s)
	head := p.aside(func(p *page) {
		p.Printf("hub       %s, process %d, version %s\n", hubKind(status.Hub), status.Hub.PID, terminal.Text(status.Hub.Version))
		p.Printf("home      %s\n", terminal.Text(status.Home))
		if status.RuleSet != "" {
			p.Printf("rules     %s\n", terminal.Text(status.RuleSet))
		}
		p.Printf("servers   %d known", status.Servers)
		if late > 0 {
			p.Printf(", %d not started yet", late)
		}
		p.Printf("\n")
		p.wrappers(status.Wrappers)
	})
	problems := p.aside(func(p *page) {
		for _, problem := range status.Problems {
			p.problem(problem)
		}
	}).AtMost(maxProblemLines, "sallyport doctor")
	unseen := p.aside(func(p *page) { p.unseen(status.Unseen) }).AtMost(maxUnseenLines, "sallyport servers")
	waits := p.aside(func(p *page) { p.waitingList(status.Waiting, status.WaitingCount) })
	var guarded terminal.Lines
	if unknown == nil {
		guarded = p.coverage(coverage, maxStatusLines-len(head)-len(problems)-len(unseen)-len(waits))
	} else {
		guarded = p.aside(func(p *page) { p.Printf("guarded   unknown: %s\n", terminal.Text(unknown.Error())) })
	}
	for _, line := range slices.Concat(head, guarded, problems, unseen, waits) {
		p.Printf("%s", line)
	}
	return code, nil
}

// blocksAll reports whether a problem keeps everything blocked until a person fixes it: a store that is damaged, missing or not the sealed
// one (SP-001 to SP-005). No inbox item can say so, because the inbox is in that store.
func blocksAll(p control.Problem) bool { return p.Code >= "SP-001" && p.Code <= "SP-005" }

func hubKind(w control.Welcome) string {
	kind := "without a window"
	if w.Window {
		kind = "with the window"
	}
	if w.CLIApproval {
		kind += ", takes decisions from a terminal"
	}
	if w.StartedBy == "wrapper" {
		kind += ", started by a wrapper"
	}
	return kind
}

// maxProblem is how much of a problem is printed, in characters: room for two paths of maximum length, because a next step that is cut off
// is useless.
const maxProblem = 10_000

// problem prints one problem: its code, what it is, and the next step.
func (p *page) problem(problem control.Problem) {
	p.Printf("%s  %s\n", p.Paint(terminal.Yellow, terminal.Text(problem.Code)), terminal.Short(problem.What, maxProblem))
	if problem.Next != "" {
		p.Printf("        %s\n", terminal.Short(problem.Next, maxProblem))
	}
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// status fits on one screen, however much is pending. These are the shares of its parts; the list of guarded servers gets the rest.
const (
	maxStatusLines  = 60
	maxProblemLines = 13
	maxUnseenLines  = 8
	maxClientLines  = 8
	maxWaitingLines = 5
)

// wrappers counts running servers by client: --json has the processes.
func (p *page) wrappers(all []control.WrapperInfo) {
	p.Printf("wrappers  %d running\n", len(all))
	counts := map[string]int{}
	for _, w := range all {
		counts[w.Client]++
	}
	clients := slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b)) })
	for i, client := range clients {
		if i == maxClientLines-1 && len(clients) > maxClientLines {
			p.Printf("          and %s more\n", terminal.Counted(len(clients)-i, "client"))
			return
		}
		name := terminal.Text(client)
		if client == "" {
			name = "an unnamed client"
		}
		p.Printf("          %d for %s\n", counts[client], name)
	}
}

// waitingList lists the first pending items of status, most serious first and of those the oldest, or says that there are none.
func (p *page) waitingList(items []control.InboxItem, count int) {
	if count == 0 {
		p.Printf("waiting   nothing\n")
		return
	}
	p.Printf("waiting   %d\n", count)
	for _, item := range items[:min(len(items), maxWaitingLines)] {
		p.Printf("          %s  %-8s  %s\n", p.Paint(terminal.Bold, terminal.Text(item.Code)), review.Severity(p.Page, item.Severity), terminal.Name(item.Title, 60))
	}
	if more := count - maxWaitingLines; more > 0 {
		p.Printf("          and %d more: sallyport inbox\n", more)
	}
	p.Printf("\nRead one with: sallyport show %s\n", terminal.Text(items[0].Code))
}

func (p *page) aside(f func(*page)) terminal.Lines {
	return p.Page.Aside(func(inside *terminal.Page) { f(&page{inside}) })
}
