package main

import (
	"cmp"
	"slices"

	"github.com/sallyport/sallyport/cmd/sallyport/review"
	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/control"
)

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
	clients := make([]string, 0, len(counts))
	for client := range counts {
		clients = append(clients, client)
	}
	slices.SortFunc(clients, func(a, b string) int { return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b)) })
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
