// Command bench measures what Sallyport costs: the same calls to the same server directly, behind a bare relay of two pipes, behind
// `sallyport wrap` with a hub running, and behind a proxy of mcp-go's typed client and server.
//
// All chains are measured in turns within one run (a slice of each, then the next round), so that other load on the machine affects all of
// them alike. Compare ratios within a run, never figures between runs. The echo server and the relay are cmd/bench/peer; the typed proxy is
// this program, so that mcp-go is never linked into sallyport. The echo server and its client do next to nothing; between ordinary peers
// (plain Go ones, mcp-go's client, an mcp-go server and one from npm) only calls a second are measured. All but the typed proxy and npm's
// server take their turns in both of the protocol's eras.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/sallyport/sallyport/cmd/bench/echo"
)

func main() {
	if part := partOf(os.Args); part != nil {
		os.Exit(report(part(os.Args[2:])))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := report(run(ctx, os.Args[1:], os.Stdout))
	stop()
	os.Exit(code)
}

// partOf is what this program is where it measures itself: one end of a chain. nil: it is the one that measures.
func partOf(args []string) func(args []string) error {
	if len(args) < 2 {
		return nil
	}
	switch args[1] {
	case "typed":
		return typed
	case "serve":
		return func([]string) error { return serve() }
	case "plain":
		return func([]string) error { return servePlain(os.Stdin, os.Stdout) }
	case "remote":
		return func([]string) error { return serveRemote(os.Stdin, os.Stdout) }
	case "bridge":
		return func(args []string) error { return bridge(args, os.Stdin, os.Stdout) }
	case "inspect":
		return inspectShape
	}
	return nil
}

func report(err error) int {
	if err != nil {
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		return 1
	}
	return 0
}

// options are the settings of one run.
type options struct {
	short      bool
	chains     string
	protocols  string
	only       string
	sallyport  string
	before     string
	everything string
	write      string
	rounds     int
	slice      time.Duration
	starts     int
}

func parse(args []string) (options, error) {
	var o options
	set := flag.NewFlagSet("bench", flag.ContinueOnError)
	set.BoolVar(&o.short, "short", false, "a run of a minute or two instead of eight")
	set.StringVar(&o.chains, "chains", "direct,relay,sallyport,typed", "what to measure")
	set.StringVar(&o.protocols, "eras", "legacy,modern", "in which of the protocol's `eras`: legacy (2025-11-25), modern (2026-07-28) or both")
	set.StringVar(&o.only, "only", "", "one `case` alone: BYTESxINFLIGHT, usual (peers that people have), guarded (a guardrail provider), flow (where values came from), remote (a server at an address), inspection (of responses by itself) or start (start-up and memory)")
	set.StringVar(&o.sallyport, "sallyport", "", "the `binary` to measure; without it one is built")
	set.StringVar(&o.before, "before", "", "another `binary` of it, measured in turns with the first: what changed between the two (with -eras legacy, if it does not speak the modern one)")
	set.StringVar(&o.everything, "everything", "", "the `command` that starts server-everything, which is measured too where it is given")
	set.DurationVar(&o.slice, "slice", 0, "how long a chain is measured at a stretch")
	set.StringVar(&o.write, "write", "", "put the figures between the markers of this `file`")
	if err := set.Parse(args); err != nil {
		return o, err
	}
	slice := 250 * time.Millisecond
	o.rounds, o.starts = 10, 40
	if o.short {
		slice, o.rounds, o.starts = 60*time.Millisecond, 3, 8
	}
	if o.only == onlyStart {
		o.starts *= 5
	}
	o.slice = cmp.Or(o.slice, slice)
	return o, nil
}

func run(ctx context.Context, args []string, out io.Writer) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	if o.only != "" && o.write != "" {
		return errors.New("-write: a page is written from a whole run, without -only")
	}
	switch o.only {
	case "":
	case onlyUsual, onlyGuarded, onlyFlow, onlyRemote, onlyInspection, onlyStart:
		points = nil
	default:
		var p point
		if _, err := fmt.Sscanf(o.only, "%dx%d", &p.size, &p.inFlight); err != nil || p.inFlight < 1 || p.inFlight >= ring {
			return fmt.Errorf("-only %s: neither usual, guarded, flow, remote, inspection, start nor BYTESxINFLIGHT, as in 200x64", o.only)
		}
		points = []point{p}
	}
	bench := &bench{options: o, ctx: ctx, progress: os.Stderr}
	defer bench.close()
	names := strings.Split(o.chains, ",")
	if o.before != "" {
		names = append(names, "before")
	}
	var eras []echo.Era
	for _, as := range strings.Split(o.protocols, ",") {
		if as != string(echo.Legacy) && as != string(echo.Modern) {
			return fmt.Errorf("-eras %s: legacy, modern or both", o.protocols)
		}
		eras = append(eras, echo.Era(as))
	}
	if err := bench.prepare(names, eras); err != nil {
		return err
	}
	result, err := bench.measure()
	if err != nil {
		return err
	}
	text := result.markdown()
	fmt.Fprint(out, text)
	if o.write == "" {
		return nil
	}
	return insert(o.write, text)
}
