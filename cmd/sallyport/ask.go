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

// confirm asks on a terminal only, unless --yes was given.
func confirm(ctx context.Context, s streams, yes bool, question, want string) error {
	switch {
	case yes:
		return nil
	case !interactive(s):
		return errNoTerminal
	}
	return answered(ctx, s, question, want)
}

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

// decidedElsewhere shows an item that this hub decides in its window, or not at all, and still sends the decision: a hub with a window then
// moves the item to the top of its inbox, and its refusal says where to decide.
func decidedElsewhere(show, do func() error) (int, error) {
	if err := show(); err != nil {
		return exitFailed, err
	}
	err := do()
	if err == nil {
		err = errors.New("the hub took the decision although it said it wouldn't; please report this")
	}
	return codeOf(err), err
}

// showUndecided shows an item that a command should decide but can't, on standard output, as show does.
func showUndecided(s streams, asJSON bool, item control.ItemDetail, decides control.Welcome) error {
	if asJSON {
		return writeJSON(s.out, item)
	}
	review.Item(newPage(s).Page, item, decides, time.Now())
	return nil
}
