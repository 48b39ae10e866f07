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

// interactive says whether standard input is a terminal.
func interactive(s streams) bool {
	f, ok := s.in.(*os.File)
	return ok && terminal.Is(f)
}

var errUndecided = errors.New("nothing was decided")

// answered asks a question and gets what is wanted from the person; "y" stands for a plain yes. The question does not go with the page
// that it is about: that may go into a file.
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

// confirm is answered on a terminal only, and not where yes is said already.
func confirm(ctx context.Context, s streams, yes bool, question, want string) error {
	switch {
	case yes:
		return nil
	case !interactive(s):
		return errNoTerminal
	}
	return answered(ctx, s, question, want)
}

// typedName is what a person types to allow what has a Critical warning: the server's name, or the item's code where the name is not
// plain enough to be typed or could be mistaken for another.
func typedName(item control.ItemDetail) string {
	if typeable(item.Server) {
		return item.Server
	}
	return item.Code
}

// typeable says whether a person can type a name without being fooled by it.
func typeable(name string) bool {
	if name == "" || len(name) > 24 {
		return false
	}
	return strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") == ""
}

// readLine reads one line, or gives up when ctx ends (Ctrl-C). A line without an end is no answer: the input was cut off.
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

// decidedElsewhere shows what this hub decides in its window, or not at all, and asks for it all the same: a hub with a window puts
// the item on top of its inbox, and its refusal says where to decide.
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

// showUndecided shows an item that a command was to decide and does not: on standard output, as show has it. A question is
// shown elsewhere, but here the item is the whole answer.
func showUndecided(s streams, asJSON bool, item control.ItemDetail, decides control.Welcome) error {
	if asJSON {
		return writeJSON(s.out, item)
	}
	review.Item(newPage(s).Page, item, decides, time.Now())
	return nil
}
