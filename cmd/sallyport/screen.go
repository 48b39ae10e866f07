package main

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/control"
)

// status is one screen whatever waits. What its parts may take of it; what is guarded has the rest.
const (
	maxStatusLines  = 60
	maxProblemLines = 13
	maxUnseenLines  = 8
	maxClientLines  = 8
	maxWaitingLines = 5
)

// printed are lines that a page is to print, each with its end.
type printed []string

// aside is what f prints, without printing it.
func (p *page) aside(f func(*page)) printed {
	var all bytes.Buffer
	inside := *p
	inside.w = &all
	f(&inside)
	lines := strings.SplitAfter(all.String(), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// atMost is no more than so many of the lines, and where the rest is.
func (lines printed) atMost(most int, rest string) printed {
	if len(lines) <= most {
		return lines
	}
	kept := lines[:most-1]
	return append(slices.Clip(kept), fmt.Sprintf("          and %s more: %s\n", counted(len(lines)-len(kept), "line"), rest))
}

// wrappers counts what runs, by client: which wrapper is which process is for --json.
func (p *page) wrappers(all []control.WrapperInfo) {
	p.printf("wrappers  %d running\n", len(all))
	counts := map[string]int{}
	for _, w := range all {
		counts[w.Client]++
	}
	clients := make([]string, 0, len(counts))
	for client := range counts {
		clients = append(clients, client)
	}
	slices.SortFunc(clients, func(a, b string) int { return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b)) })
	for i, client := range clients {
		if i == maxClientLines-1 && len(clients) > maxClientLines {
			p.printf("          and %s more\n", counted(len(clients)-i, "client"))
			return
		}
		name := text(client)
		if client == "" {
			name = "an unnamed client"
		}
		p.printf("          %d for %s\n", counts[client], name)
	}
}

// waitingList says what waits for a person, or that nothing does: the first of what status names, the gravest and of those the oldest.
func (p *page) waitingList(items []control.InboxItem, count int) {
	if count == 0 {
		p.printf("waiting   nothing\n")
		return
	}
	p.printf("waiting   %d\n", count)
	for _, item := range items[:min(len(items), maxWaitingLines)] {
		p.printf("          %s  %-8s  %s\n", p.paint(bold, text(item.Code)), p.severity(item.Severity), given(item.Title, 60))
	}
	if more := count - maxWaitingLines; more > 0 {
		p.printf("          and %d more: sallyport inbox\n", more)
	}
	p.printf("\nRead one with: sallyport show %s\n", text(items[0].Code))
}
