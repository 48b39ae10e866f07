package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/sallyport/sallyport/cmd/bench/echo"
)

// way is a chain by its name, in one of the protocol's eras.
type way struct {
	chain string
	era   echo.Era
}

func (w way) String() string { return w.chain + ", " + string(w.era) }

// chain is one way from client to server.
type chain struct {
	way
	argv  []string
	env   []string
	exact bool // responses arrive byte for byte
}

// bench is one run.
type bench struct {
	options
	ctx      context.Context
	progress io.Writer
	dir      string
	homes    map[string]*home // by chain
	self     string           // this program
	peer     string           // the program of the echo server and the bare relay
	names    []string
	eras     []echo.Era
	chains   []chain
}

func (b *bench) prepare(names []string, eras []echo.Era) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if b.dir, err = os.MkdirTemp("", "bench"); err != nil {
		return err
	}
	peer := filepath.Join(b.dir, "peer")
	if err := build(b.ctx, peer, "cmd/bench/peer"); err != nil {
		return err
	}
	b.self, b.peer, b.names, b.eras, b.homes = self, peer, names, eras, map[string]*home{}
	b.chains, err = b.between([]string{peer, "echo"})
	return err
}

// between makes the chains to a server, in every era.
func (b *bench) between(server []string) (chains []chain, err error) {
	for _, name := range b.names {
		c := chain{way: way{chain: name}, env: os.Environ(), exact: true}
		switch name {
		case "direct":
			c.argv = server
		case "relay":
			c.argv = append([]string{b.peer, "relay"}, server...)
		case "typed":
			c.argv, c.exact = append([]string{b.self, "typed"}, server...), false
		case "sallyport", "before":
			h, err := b.homeOf(name)
			if err != nil {
				return nil, err
			}
			if err := h.allow(b.ctx, server); err != nil {
				return nil, err
			}
			c.argv, c.env = append([]string{h.binary, "wrap", "--"}, server...), h.env
		default:
			return nil, fmt.Errorf("no chain %q: direct, relay, sallyport, typed", name)
		}
		for _, c.era = range b.eras {
			if name != "typed" || c.era == echo.Legacy { // it is there as a measure, which one era has
				chains = append(chains, c)
			}
		}
	}
	return chains, nil
}

func (b *bench) homeOf(chain string) (h *home, err error) {
	if h = b.homes[chain]; h != nil {
		return h, nil
	}
	binary := b.sallyport
	if chain == "before" {
		binary = b.before
	}
	if h, err = newHome(b.ctx, binary); err != nil {
		return nil, err
	}
	b.homes[chain] = h
	return h, nil
}

func (b *bench) close() {
	for _, h := range b.homes {
		h.close()
	}
	if b.dir != "" {
		_ = os.RemoveAll(b.dir)
	}
}

// onlyStart selects start-up and memory.
const onlyStart = "start"

// point is one case: a response size and a number of calls in flight.
type point struct {
	size, inFlight int
}

var points = []point{
	{200, 1}, {200, 8}, {200, 64},
	{10_000, 1}, {10_000, 8}, {10_000, 64},
	{1_000_000, 1}, {1_000_000, 8}, {1_000_000, 64},
	{20_000_000, 1}, {20_000_000, 8}, {20_000_000, 64},
}

// sensible reports whether to measure a chain in a case: a typed proxy takes seconds for one response of 20 MB, and minutes and gigabytes
// for 64; the short run leaves out what takes seconds for every chain. Among long responses the eras do not differ.
func (b *bench) sensible(c chain, p point) bool {
	if p.size >= 1_000_000 && p.inFlight > 1 && c.era == echo.Modern {
		return false
	}
	if p.size >= 20_000_000 && p.inFlight > 1 {
		return c.chain != "typed" && !b.short
	}
	return !(b.short && p.size >= 1_000_000 && p.inFlight > 8)
}

// results is everything measured.
type results struct {
	short      bool
	only       string // the only case measured, "" for all
	ways       []way
	points     []point
	calls      map[point]map[way]*series
	hello      map[way]*series // start to the response of initialize or server/discover
	first      map[way]*series // start to the response of the first call
	memory     map[way]footprint
	usual      []usualCase
	beside     map[point]map[way]*series // set-ups beside each other, if measured
	inspection *inspection               // nil if not measured
	remote     *remote                   // the same
	machine    string
	took       time.Duration
}

// usualCase is one measurement between ordinary peers.
type usualCase struct {
	pair
	inFlight int
	rates    map[way]*series
}

func (b *bench) measure() (*results, error) {
	begin := time.Now()
	r := &results{
		short: b.short, only: b.only, calls: map[point]map[way]*series{}, hello: map[way]*series{}, first: map[way]*series{},
		memory: map[way]footprint{}, beside: map[point]map[way]*series{}, machine: fmt.Sprintf("%s/%s, %d cores, %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version()),
	}
	for _, c := range b.chains {
		r.ways = append(r.ways, c.way)
		r.hello[c.way], r.first[c.way] = new(series), new(series)
	}
	if b.only == "" || b.only == onlyStart {
		if err := b.startUps(r); err != nil {
			return nil, err
		}
		if err := b.footprints(r); err != nil {
			return nil, err
		}
	}
	if err := b.calls(r); err != nil {
		return nil, err
	}
	if b.only == "" || b.only == onlyUsual {
		for _, p := range b.pairs() {
			if err := b.usualRates(r, p); err != nil {
				return nil, err
			}
		}
	}
	if b.only == "" || b.only == onlyGuarded {
		if err := b.guarded(r); err != nil {
			return nil, err
		}
	}
	if b.only == "" || b.only == onlyFlow {
		if err := b.flow(r); err != nil {
			return nil, err
		}
	}
	if b.only == "" || b.only == onlyRemote {
		if err := b.remote(r); err != nil {
			return nil, fmt.Errorf("a remote server: %w", err)
		}
	}
	if b.only == "" || b.only == onlyInspection {
		if err := b.inspection(r); err != nil {
			return nil, err
		}
	}
	r.took = time.Since(begin)
	return r, nil
}

// calls keeps every chain running and gives each a slice in turn.
func (b *bench) calls(r *results) error {
	clients := make([]*lean, len(b.chains))
	defer func() {
		for _, c := range clients {
			if c != nil {
				_ = c.close()
			}
		}
	}()
	for i, c := range b.chains {
		var err error
		if clients[i], err = start(c); err != nil {
			return err
		}
		if err := clients[i].shake(); err != nil {
			return fmt.Errorf("%s: handshake: %w", c.way, err)
		}
	}
	for _, p := range points {
		r.points = append(r.points, p)
		r.calls[p] = map[way]*series{}
		fmt.Fprintf(b.progress, "%s, %d in flight\n", bytesOf(p.size), p.inFlight)
		for round := range b.rounds + 1 {
			for i := range b.chains {
				i = (i + round) % len(b.chains) // rotate, so that no chain is always first
				c := b.chains[i]
				if !b.sensible(c, p) {
					continue
				}
				if err := b.ctx.Err(); err != nil {
					return err
				}
				into := r.calls[p][c.way]
				if into == nil || round == 1 { // the first round only warms up
					into = new(series)
					r.calls[p][c.way] = into
				}
				if err := clients[i].slice(p.size, p.inFlight, b.slice, into); err != nil {
					return fmt.Errorf("%s, %s, %d in flight: %w", c.way, bytesOf(p.size), p.inFlight, err)
				}
			}
		}
	}
	return nil
}

// startUps measures from the start of the process to the first response and to that of the first call.
func (b *bench) startUps(r *results) error {
	fmt.Fprintln(b.progress, "start-up")
	for round := range b.starts {
		for i := range b.chains {
			c := b.chains[(i+round)%len(b.chains)]
			if err := b.ctx.Err(); err != nil {
				return err
			}
			hello, first, err := startUp(c)
			if err != nil {
				return fmt.Errorf("%s: start-up: %w", c.way, err)
			}
			r.hello[c.way].took = append(r.hello[c.way].took, hello)
			r.first[c.way].took = append(r.first[c.way].took, first)
		}
	}
	return nil
}

// startUp measures one start. In the modern era a call may be the first message ever, so it gets a start of its own.
func startUp(c chain) (hello, first time.Duration, err error) {
	begin := time.Now()
	client, err := start(c)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = client.close() }()
	if err := client.greet(); err != nil {
		return 0, 0, err
	}
	hello = time.Since(begin)
	if c.era == echo.Legacy {
		err = errors.Join(client.list(), client.once())
		return hello, time.Since(begin), err
	}
	_ = client.close()
	begin = time.Now()
	again, err := start(c)
	if err != nil {
		return 0, 0, err
	}
	client = again
	err = client.once()
	return hello, time.Since(begin), err
}

// footprints measures memory of separate processes: idle after one call, and the peak after 20 MB.
func (b *bench) footprints(r *results) error {
	fmt.Fprintln(b.progress, "memory")
	for _, c := range b.chains {
		if c.chain == "direct" {
			continue
		}
		f, err := b.footprint(c)
		if err != nil {
			return fmt.Errorf("%s: memory: %w", c.way, err)
		}
		r.memory[c.way] = f
	}
	return nil
}

func (b *bench) footprint(c chain) (footprint, error) {
	client, err := start(c)
	if err != nil {
		return footprint{}, err
	}
	defer client.close()
	if err := errors.Join(client.shake(), client.once()); err != nil {
		return footprint{}, err
	}
	settle := 3 * time.Second
	if b.short {
		settle = time.Second
	}
	time.Sleep(settle)
	f, err := idle(client.cmd.Process.Pid)
	if err != nil {
		return f, err
	}
	if err := client.slice(20_000_000, 1, 0, new(series)); err != nil {
		return f, err
	}
	f.highWater, err = highWater(client.cmd.Process.Pid)
	return f, err
}
