package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/policy"
	"github.com/sallyport/sallyport/proxy/vocab"
)

type guardrailCommand struct {
	List guardrailListCommand `cmd:"" default:"withargs" help:"List the guardrail providers: which are on, how often they were asked, and how long they take."`
	Test guardrailTestCommand `cmd:"" three:"the provider flagged or blocked the text" help:"Ask one guardrail provider about a text, whether it is switched on or not."`
}

type guardrailListCommand struct{ jsonFlag }

func (c guardrailListCommand) ask(ctx context.Context, s streams, hub *control.Client) (int, error) {
	providers, err := control.AskGuards(ctx, hub)
	if err != nil {
		return exitFailed, err
	}
	return exitFine, c.print(s, listOf(providers), func(p *page) {
		for _, one := range providers {
			asked := ""
			if one.Asked > 0 {
				asked = fmt.Sprintf("asked %d times, failed %d", one.Asked, one.Failed)
			}
			if one.P50MS > 0 {
				asked += ", usually " + millis(one.P50MS)
			}
			p.Printf("%-14s %-7s %s\n", terminal.Text(one.Name), terminal.Text(one.State), asked)
			if one.Reason != "" {
				p.Prose("    ", one.Reason)
			}
		}
		p.Printf("Switch one on with \"sallyport settings set guardrail.provider NAME\", several with commas between.\n")
	})
}

type guardrailTestCommand struct {
	jsonFlag
	Name string `arg:"" complete:"provider" help:"Name of the provider: builtin, command, http or llamafirewall."`
	File string `arg:"" optional:"" complete:"file" help:"File with the text; - is standard input. Default: a text that gives an order, as an attack does."`
}

func (c guardrailTestCommand) check() error {
	if !slices.Contains(policy.Providers(), c.Name) {
		return fmt.Errorf("%.40q is not one of %s", c.Name, strings.Join(policy.Providers(), ", "))
	}
	return nil
}

func (c guardrailTestCommand) ask(ctx context.Context, s streams, hub *control.Client) (int, error) {
	text, err := c.text(s)
	if err != nil {
		return exitFailed, err
	}
	verdict, err := control.AskTestGuard(ctx, hub, control.GuardTest{Provider: c.Name, Text: text})
	if err != nil {
		return codeOf(err), err
	}
	if verdict.Failed != "" && verdict.Verdict == "" {
		return exitFailed, fmt.Errorf("%s: %s", legible.Escape(c.Name), verdict.Failed)
	}
	code := exitFine
	if verdict.Verdict != vocab.VoteAllow {
		code = exitPerson
	}
	return code, c.print(s, verdict, func(p *page) {
		p.Printf("%s: %s, score %.2f, in %s\n", terminal.Text(verdict.Provider), terminal.Text(string(verdict.Verdict)), verdict.Score, millis(float64(verdict.DurationUS)/1000))
		if verdict.Reason != "" {
			p.Printf("its reason, in its own words:\n")
			p.Quote("  ", terminal.Piece{Text: legible.Escape(verdict.Reason)})
		}
		for _, name := range verdict.Ran {
			p.Line("  ", "ran: ", name)
		}
		for _, name := range sortedNames(verdict.NotRun) {
			p.Line("  ", "not run: ", name+", "+verdict.NotRun[name])
		}
		if verdict.Failed != "" {
			p.Line("", "then it failed: ", verdict.Failed)
		}
	})
}

// text is the text to ask about.
func (c guardrailTestCommand) text(s streams) (string, error) {
	var from io.Reader
	switch c.File {
	case "":
		return control.GuardTestText, nil
	case "-":
		from = s.in
	default:
		f, err := os.Open(c.File)
		if err != nil {
			return "", err
		}
		defer f.Close()
		from = f
	}
	raw, err := io.ReadAll(io.LimitReader(from, control.MaxGuardTest+1))
	switch {
	case err != nil:
		return "", err
	case len(raw) > control.MaxGuardTest:
		return "", errors.New("the text is larger than 1 MiB")
	case !utf8.Valid(raw):
		return "", errors.New("it is not text in UTF-8")
	}
	return string(raw), nil
}

func sortedNames(m map[string]string) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// millis is a duration in words.
func millis(ms float64) string {
	return time.Duration(ms * float64(time.Millisecond)).Round(10 * time.Microsecond).String()
}
