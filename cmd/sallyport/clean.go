package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/sallyport/sallyport/cmd/sallyport/review"
	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
)

// clean allows several new servers without warnings at once: list them, ask, allow exactly what was listed, report what was left out.
func (c approveCommand) clean(ctx context.Context, s streams, hub *control.Client) (int, error) {
	set, err := control.AskClean(ctx, hub, control.CleanQuery{Digest: string(c.Digest)})
	if err != nil {
		return exitFailed, err
	}
	if len(set.Items) == 0 {
		code := exitFine
		if len(set.Left) > 0 || set.Other > 0 {
			code = exitPerson
		}
		return code, c.print(s, set, func(p *page) { p.noneClean(set) })
	}
	var decided control.CleanDecided
	d := decision{
		jsonFlag: c.jsonFlag, hub: hub, yes: c.Yes, shown: set, show: func(p *page) { p.cleanSet(set) }, brief: func(*page) {},
		question: fmt.Sprintf("\nAllow %s? [y/N] ", these(len(set.Items), "server")), want: "y",
		do: func() (err error) {
			decided, err = control.AskAllowClean(ctx, hub, control.CleanQuery{Digest: set.Digest})
			return err
		},
	}
	if hub.Welcome().CLIApproval && !c.Yes && !interactive(s) {
		if err := d.undecided(s); err != nil {
			return exitFailed, err
		}
		return exitUsage, fmt.Errorf("there is no terminal to ask on; read the list, then run \"sallyport approve --clean --digest %s --yes\"", set.Digest)
	}
	if code, err := d.run(ctx, s); err != nil {
		return code, err
	}
	code := exitFine
	if len(decided.Left) > 0 {
		code = exitPerson
	}
	return code, c.print(s, decided, func(p *page) {
		if c.Yes {
			p.cleanSet(set)
			p.Printf("\n")
		}
		for _, one := range decided.Items {
			p.Hang("", "  ", "allowed for "+terminal.Server(one.Server, one.Shown)+": "+terminal.Names(one.Approved))
			p.restart(one.Cut, one.Restart)
		}
		p.cleanLeft(decided.Left)
	})
}

// noneClean reports that there is nothing to allow, and what else is pending.
func (p *page) noneClean(set control.CleanSet) {
	if len(set.Left) > 0 {
		p.Printf("All of these servers changed since they were listed.\n")
		p.cleanLeft(set.Left)
		return
	}
	p.Printf("No new servers without warnings.\n")
	p.others(set.Other)
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
		var loads, gets []string
		for _, name := range one.Loaders {
			if _, _, fills := pin.SecretIn(name); fills {
				gets = append(gets, name)
			} else {
				loads = append(loads, name)
			}
		}
		if len(loads) > 0 {
			fact("set", strings.Join(loads, ", ")+", which can load code into it")
		}
		fact("secrets", strings.Join(gets, ", "))
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
	for _, kind := range []string{"prompt", "resource-template", "resource", "skill"} {
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
		p.Hang("", "  ", "left out: "+terminal.Server(one.Server, one.Shown)+" (item "+terminal.Text(one.Code)+"): "+terminal.Text(one.Why)+terminal.Text(where))
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
