package main

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/sallyport/sallyport/proxy/control"
)

type statusCommand struct{ jsonFlag }

func (c statusCommand) run(ctx context.Context, s streams) (int, error) {
	hub, err := dial(ctx)
	if err != nil {
		return exitFailed, err
	}
	defer hub.Close()
	status, err := hub.Status(ctx)
	if err != nil {
		return exitFailed, err
	}
	coverage, unknown := hub.Coverage(ctx, control.CoverageQuery{})
	if servers, err := hub.Servers(ctx); err == nil {
		status.Problems = append(status.Problems, sandboxStatus(ctx, servers)...)
	}
	code := exitFine
	if status.WaitingCount > 0 || slices.ContainsFunc(status.Problems, blocksAll) {
		code = exitPerson
	}
	if c.JSON {
		whole := struct {
			control.Status
			Coverage *control.Coverage `json:"coverage,omitempty"`
		}{Status: status}
		if unknown == nil {
			whole.Coverage = &coverage
		}
		return code, writeJSON(s.out, whole)
	}
	p := newPage(s)
	head := p.aside(func(p *page) {
		p.printf("hub       %s, process %d, version %s\n", hubKind(status.Hub), status.Hub.PID, text(status.Hub.Version))
		p.printf("home      %s\n", text(status.Home))
		if status.RuleSet != "" {
			p.printf("rules     %s\n", text(status.RuleSet))
		}
		p.printf("servers   %d known\n", status.Servers)
		p.wrappers(status.Wrappers)
	})
	problems := p.aside(func(p *page) {
		for _, problem := range status.Problems {
			p.problem(problem)
		}
	}).atMost(maxProblemLines, "sallyport doctor")
	unseen := p.aside(func(p *page) { p.unseen(status.Unseen) }).atMost(maxUnseenLines, "sallyport servers")
	waits := p.aside(func(p *page) { p.waitingList(status.Waiting, status.WaitingCount) })
	guarded := p.aside(func(p *page) {
		if unknown == nil {
			p.coverage(coverage)
		} else {
			p.printf("guarded   not known: %s\n", text(unknown.Error()))
		}
	}).atMost(maxStatusLines-len(head)-len(problems)-len(unseen)-len(waits), "sallyport doctor")
	for _, line := range slices.Concat(head, guarded, problems, unseen, waits) {
		p.printf("%s", line)
	}
	return code, nil
}

// blocksAll says whether a problem keeps everything blocked until a person has mended it: a store that is damaged, missing
// or not the one that was sealed (SP-001 to SP-005). No inbox item can say so, the inbox is in that store.
func blocksAll(p control.Problem) bool { return p.Code >= "SP-001" && p.Code <= "SP-005" }

func hubKind(w control.Welcome) string {
	kind := "without a window"
	if w.Window {
		kind = "with the window"
	}
	if w.CLIApproval {
		kind += ", decides from a terminal"
	}
	if w.StartedBy == "wrapper" {
		kind += ", started by a wrapper"
	}
	return kind
}

// maxProblem is how much of a problem is printed, in characters: room for two paths as long as a system allows, because a next
// step that is cut off is none.
const maxProblem = 10_000

// problem prints one thing that is wrong: its code, what it is, and the next step.
func (p *page) problem(problem control.Problem) {
	p.printf("%s  %s\n", p.paint(yellow, text(problem.Code)), short(problem.What, maxProblem))
	if problem.Next != "" {
		p.printf("        %s\n", short(problem.Next, maxProblem))
	}
}

type serversCommand struct{ jsonFlag }

func (c serversCommand) run(ctx context.Context, s streams) (int, error) {
	hub, err := dial(ctx)
	if err != nil {
		return exitFailed, err
	}
	defer hub.Close()
	servers, err := hub.Servers(ctx)
	if err != nil {
		return exitFailed, err
	}
	if c.JSON {
		return exitFine, writeJSON(s.out, listOf(servers))
	}
	p := newPage(s)
	if len(servers) == 0 {
		p.printf("No server is known yet. A server is known once it ran through \"sallyport wrap\".\n")
		return exitFine, nil
	}
	rows := make([][]string, len(servers))
	walled := slices.ContainsFunc(servers, func(s control.Server) bool { return sandboxWords(s) != "off" })
	for i, server := range servers {
		rows[i] = []string{shownServer(server.Server, server.Shown), text(server.State), strconv.Itoa(server.Allowed), strconv.Itoa(server.Blocked),
			strconv.Itoa(len(server.Findings)), strconv.Itoa(server.Wrappers), orDash(text(server.Code)), short(server.Identity, 48)}
	}
	columns := strings.Fields("SERVER STATE ALLOWED BLOCKED FINDINGS RUNNING ITEM IDENTITY")
	if walled {
		columns = slices.Insert(columns, 6, "SANDBOX")
		for i, server := range servers {
			rows[i] = slices.Insert(rows[i], 6, text(sandboxWords(server)))
		}
	}
	double := sameNames(servers)
	if slices.Contains(double, true) { // the id is what a command takes then
		columns = append(columns, "ID")
		for i, server := range servers {
			id := ""
			if double[i] {
				id = server.ID
			}
			rows[i] = append(rows[i], orDash(text(id)))
		}
	}
	p.table(columns, rows)
	if slices.ContainsFunc(servers, func(s control.Server) bool { return len(s.UnseenBy) > 0 }) {
		if status, err := hub.Status(ctx); err == nil {
			p.unseen(status.Unseen)
		}
	}
	return exitFine, nil
}

// sameNames says of each server whether another one has its name.
func sameNames(servers []control.Server) []bool {
	count := map[string]int{}
	for _, s := range servers {
		count[s.Server]++
	}
	double := make([]bool, len(servers))
	for i, s := range servers {
		double[i] = count[s.Server] > 1
	}
	return double
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
