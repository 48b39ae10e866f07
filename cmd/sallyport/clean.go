package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/sallyport/sallyport/cmd/sallyport/review"
	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/control"
)

// cleanDecision allows several new servers without warnings at once: list them, ask, allow exactly what was listed, report what was left
// out.
type cleanDecision struct {
	digest string // of an earlier list; "" makes a new one
	yes    bool
	json   bool
}

func (d cleanDecision) run(ctx context.Context, s streams) (int, error) {
	hub, err := dial(ctx)
	if err != nil {
		return exitFailed, err
	}
	defer hub.Close()
	set, err := control.AskClean(ctx, hub, control.CleanQuery{Digest: d.digest})
	if err != nil {
		return exitFailed, err
	}
	if len(set.Items) == 0 {
		return d.nothing(s, set)
	}
	if !hub.Welcome().CLIApproval {
		return decidedElsewhere(func() error { return d.list(s, set) }, func() error {
			_, err := control.AskAllowClean(ctx, hub, control.CleanQuery{Digest: set.Digest})
			return err
		})
	}
	if !d.yes {
		if !interactive(s) {
			if err := d.list(s, set); err != nil {
				return exitFailed, err
			}
			return exitUsage, fmt.Errorf("there is no terminal to ask on; read the list, then run \"sallyport approve --clean --digest %s --yes\"", set.Digest)
		}
		shown := s
		if d.json {
			shown.out = s.err
		}
		newPage(shown).cleanSet(set)
		if err := answered(ctx, s, fmt.Sprintf("\nAllow %s? [y/N] ", these(len(set.Items), "server")), "y"); err != nil {
			return exitFailed, err
		}
	}
	decided, err := control.AskAllowClean(ctx, hub, control.CleanQuery{Digest: set.Digest})
	if hubError(err, control.CodeDescends) {
		return exitPerson, err
	}
	if err != nil {
		return exitFailed, err
	}
	s.did("it was decided")
	code := exitFine
	if len(decided.Left) > 0 {
		code = exitPerson
	}
	if d.json {
		return code, writeJSON(s.out, decided)
	}
	p := newPage(s)
	if d.yes {
		p.cleanSet(set)
		p.Printf("\n")
	}
	for _, one := range decided.Items {
		p.Hang("", "  ", "allowed for "+terminal.Text(one.Server)+": "+terminal.Names(one.Approved))
	}
	p.cleanLeft(decided.Left)
	return code, nil
}

// list prints a set without deciding.
func (d cleanDecision) list(s streams, set control.CleanSet) error {
	if d.json {
		return writeJSON(s.out, set)
	}
	newPage(s).cleanSet(set)
	return nil
}

// nothing reports that there is nothing to allow, and what else is pending.
func (d cleanDecision) nothing(s streams, set control.CleanSet) (int, error) {
	code := exitFine
	if len(set.Left) > 0 || set.Other > 0 {
		code = exitPerson
	}
	if d.json {
		return code, writeJSON(s.out, set)
	}
	p := newPage(s)
	if len(set.Left) > 0 {
		p.Printf("All of these servers changed since they were listed.\n")
		p.cleanLeft(set.Left)
		return code, nil
	}
	p.Printf("No new servers without warnings.\n")
	p.others(set.Other)
	return code, nil
}

// cleanSet prints what one decision would allow: each server with its command and what it offers.
func (p *page) cleanSet(set control.CleanSet) {
	p.Printf("%s\n", p.Paint(terminal.Bold, terminal.Counted(len(set.Items), "new server")+" without warnings"))
	for _, one := range set.Items {
		p.Printf("\n%s  item %s\n", p.Paint(terminal.Bold, terminal.Server(one.Server, one.Shown)), terminal.Text(one.Code))
		fact := func(name, value string) {
			if value != "" {
				p.Line("  ", fmt.Sprintf("%-9s", name), value)
			}
		}
		fact("runs", terminal.Command(one.Command))
		fact("address", one.URL)
		if len(one.Loaders) > 0 {
			fact("set", strings.Join(one.Loaders, ", ")+", which can load code into it")
		}
		review.Before(p.Page, control.ItemDetail{InboxItem: control.InboxItem{Server: one.Server}, Command: one.Command, URL: one.URL, Before: one.Before})
		fact("offers", offers(one))
		if one.Can != nil {
			p.Hang("  can do   ", "           ", one.Can.String())
			p.Prose("           ", one.Can.Source())
			if n := one.Can.Disputed; n > 0 {
				p.Prose("           ", disputed(n))
			}
		}
	}
	p.cleanLeft(set.Left)
	p.Printf("\ndigest %s\n", terminal.Text(set.Digest))
	p.Prose("", "Sallyport can't stop these programs from reading your files. Turn on the sandbox for that.")
	p.others(set.Other)
}

// offers counts what a server declares; its review has the names.
func offers(one control.CleanServer) string {
	kinds := map[string]int{}
	for _, key := range one.Parts {
		kind, _, _ := strings.Cut(key, ":")
		kinds[kind]++
	}
	words := []string{terminal.Counted(one.Tools, "tool")}
	for _, kind := range []string{"prompt", "resource-template", "resource"} {
		if n := kinds[kind]; n > 0 {
			words = append(words, terminal.Counted(n, strings.ReplaceAll(kind, "-", " ")))
		}
	}
	if kinds["instructions"] > 0 {
		words = append(words, "instructions")
	}
	return strings.Join(words, ", ")
}

// leftOut names listed servers that are not allowed after all.
func (p *page) cleanLeft(left []control.CleanLeft) {
	for _, one := range left {
		where := ""
		if one.See != "" {
			where = ", see " + one.See
		}
		p.Hang("", "  ", "left out: "+terminal.Text(one.Server)+" (item "+terminal.Text(one.Code)+"): "+terminal.Text(one.Why)+terminal.Text(where))
	}
}

// others counts the new servers that need a review of their own.
func (p *page) others(n int) {
	switch {
	case n == 1:
		p.Printf("1 more new server has warnings: review it with \"sallyport show\".\n")
	case n > 1:
		p.Printf("%d more new servers have warnings: review each with \"sallyport show\".\n", n)
	}
}

// these is "this server" or "these 3 servers".
func these(n int, what string) string {
	if n == 1 {
		return "this " + what
	}
	return "these " + terminal.Counted(n, what)
}

// disputed reports tools whose claims contradict their names.
func disputed(n int) string {
	if n == 1 {
		return "The name of 1 tool contradicts what the tool claims: read it with \"sallyport show\" first."
	}
	return fmt.Sprintf("The names of %d tools contradict what they claim: read them with \"sallyport show\" first.", n)
}
