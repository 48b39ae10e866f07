package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/sallyport/sallyport/cmd/sallyport/review"
	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/control"
)

// interactive reports whether standard input is a terminal.
func interactive(s streams) bool {
	f, ok := s.in.(*os.File)
	return ok && terminal.Is(f)
}

var errUndecided = errors.New("nothing was decided")

// answered asks a question and returns nil if the person types want; "y" stands for a plain yes. The question does not go to standard
// output, which may be redirected to a file.
func answered(ctx context.Context, s streams, question, want string) error {
	fmt.Fprint(s.err, question)
	answer, err := readLine(ctx, s)
	if err != nil {
		fmt.Fprintln(s.err)
		return errUndecided
	}
	answer = strings.TrimSpace(answer)
	if answer == want || want == "y" && (strings.EqualFold(answer, "yes") || answer == "Y") {
		return nil
	}
	return errUndecided
}

var errNoTerminal = errors.New("there is no terminal to ask on; read the item, then run this command again with --yes")

// typedName is what a person types to allow something with a Critical warning: the server's name, or the item's code if the name is hard to
// type or could be mistaken for another.
func typedName(item control.ItemDetail) string {
	if typeable(item.Server) {
		return item.Server
	}
	return item.Code
}

// typeable reports whether a person can type a name without being fooled by it.
func typeable(name string) bool {
	if name == "" || len(name) > 24 {
		return false
	}
	return strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") == ""
}

// readLine reads one line, or gives up when ctx ends (Ctrl-C). A line without an end does not count: the input was cut off.
func readLine(ctx context.Context, s streams) (string, error) {
	type answer struct {
		line string
		err  error
	}
	got := make(chan answer, 1)
	go func() {
		line, err := bufio.NewReader(s.in).ReadString('\n')
		got <- answer{line, err}
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case a := <-got:
		return a.line, a.err
	}
}

// decision is a decision of a person: shown, asked, and made on exactly what was shown.
type decision struct {
	jsonFlag
	hub *control.Client
	yes bool

	shown any           // with --json
	show  func(p *page) // without
	brief func(p *page) // with --yes, instead of all of it

	question, want string // want is what a person types, "y" for a plain yes
	do             func() error
}

// aboutItem is a decision on an item.
func aboutItem(hub *control.Client, item control.ItemDetail, asJSON jsonFlag, yes bool) decision {
	return decision{
		jsonFlag: asJSON, hub: hub, yes: yes, shown: item, want: "y",
		show: func(p *page) { review.Item(p.Page, item, hub.Welcome(), time.Now()) },
		brief: func(p *page) {
			p.Printf("%s  %s\ndigest %s\n", terminal.Text(item.Code), terminal.Text(item.Title), terminal.Text(item.Digest))
		},
	}
}

func (d decision) run(ctx context.Context, s streams) (int, error) {
	if !d.hub.Welcome().CLIApproval {
		return d.elsewhere(s)
	}
	switch {
	case !d.yes && !interactive(s):
		return exitUsage, errNoTerminal
	case !d.yes:
		d.show(d.aside(s))
		if err := answered(ctx, s, d.question, d.want); err != nil {
			return exitFailed, err
		}
	case !d.JSON:
		d.brief(newPage(s))
	}
	if err := d.do(); err != nil {
		if d.JSON && codeOf(err) == exitPerson { // refused inside a guarded server
			err = errors.Join(d.undecided(s), err)
		}
		return codeOf(err), err
	}
	s.did("it was decided")
	return exitFine, nil
}

// elsewhere is for a hub that decides in its window, or not at all. The decision is still sent: a hub with a window then moves the item to
// the top of its inbox, and its refusal says where to decide.
func (d decision) elsewhere(s streams) (int, error) {
	if err := d.undecided(s); err != nil {
		return exitFailed, err
	}
	err := d.do()
	if err == nil {
		err = errors.New("the hub took the decision although it said it wouldn't; please report this")
	}
	return codeOf(err), err
}

// undecided shows on standard output what a command should decide but can't.
func (d decision) undecided(s streams) error { return d.print(s, d.shown, d.show) }
