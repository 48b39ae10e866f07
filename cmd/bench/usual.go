package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/sallyport/sallyport/cmd/bench/echo"
)

// said is the message of each call; its response has about 200 bytes.
var said = strings.Repeat("the quick brown fox ", 6)

// helloLimit is how long a server from npm may take to start.
const helloLimit = 30 * time.Second

// warmUp is how many slices each chain runs before the measurement.
const warmUp = 8

// onlyUsual selects all of these cases.
const onlyUsual = "usual"

// inFlights are the cases measured between ordinary peers.
var inFlights = []int{1, 8, 64}

// serve is mcp-go's echo server.
func serve() error {
	s := server.NewMCPServer("echo", "1", server.WithToolCapabilities(false))
	// mcp-go calls a tool destructive unless it is told otherwise, and the hub is asked about each call of such a one (docs/flow.md). That has a
	// figure of its own.
	s.AddTool(mcp.NewTool("echo", mcp.WithDescription("Says it again."), mcp.WithReadOnlyHintAnnotation(true), mcp.WithDestructiveHintAnnotation(false),
		mcp.WithString("message", mcp.Required())),
		func(_ context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			text, err := request.RequireString("message")
			if err != nil {
				return nil, err
			}
			return mcp.NewToolResultText(text), nil
		})
	return server.ServeStdio(s)
}

// caller is a client of a server with a tool echo, behind one chain. Client and server decode and encode every message, as nearly all do.
type caller interface {
	call(ctx context.Context) error
	Close() error
}

type pair struct {
	client, server string
	argv           []string // of the server
	start          func(ctx context.Context, c chain) (caller, error)
	legacy         bool // it speaks the legacy era alone
}

// pairs are the measured pairs.
func (b *bench) pairs() []pair {
	all := []pair{
		{"a plain Go client", "a plain Go server", []string{b.self, "plain"}, startPlain, false},
		{"mcp-go's client", "a server of mcp-go", []string{b.self, "serve"}, startUsual, false},
	}
	if b.everything != "" {
		all = append(all, pair{"mcp-go's client", "server-everything from npm", strings.Fields(b.everything), startUsual, true})
	}
	return all
}

// usual is mcp-go's client as a caller.
type usual struct{ *client.Client }

func startUsual(ctx context.Context, way chain) (caller, error) {
	ctx, cancel := context.WithTimeout(ctx, helloLimit)
	defer cancel()
	c, _, err := connect(ctx, "bench", way)
	if err != nil {
		return nil, err
	}
	return usual{c}, nil
}

func (u usual) call(ctx context.Context) error {
	var r mcp.CallToolRequest
	r.Params.Name, r.Params.Arguments = "echo", map[string]any{"message": said}
	answer, err := u.CallTool(ctx, r)
	if err != nil {
		return err
	}
	if len(answer.Content) != 1 || answer.IsError {
		return fmt.Errorf("answered %+v", answer)
	}
	if text, ok := answer.Content[0].(mcp.TextContent); !ok || !strings.HasSuffix(text.Text, said) {
		return fmt.Errorf("answered %+v", answer)
	}
	return nil
}

// sittings is how often the peers are restarted: one process of a JavaScript server can be a sixth slower than the next, from start to end.
const sittings = 3

// usualRates measures calls a second between the peers, for each number in flight and each chain.
func (b *bench) usualRates(r *results, p pair) error {
	chains, err := b.between(p.argv)
	if err != nil {
		return err
	}
	chains = slices.DeleteFunc(chains, func(c chain) bool { return p.legacy && c.era != echo.Legacy })
	if len(chains) == 0 {
		return nil
	}
	cases := make([]usualCase, len(inFlights))
	for i, n := range inFlights {
		cases[i] = usualCase{p, n, map[way]*series{}}
		for _, c := range chains {
			cases[i].rates[c.way] = new(series)
		}
	}
	rounds := (b.rounds + sittings - 1) / sittings
	for sitting := range sittings {
		fmt.Fprintf(b.progress, "%s and %s, sitting %d of %d\n", p.client, p.server, sitting+1, sittings)
		if err := b.usualSitting(p, chains, cases, rounds); err != nil {
			return fmt.Errorf("%s: %w", p.server, err)
		}
	}
	r.usual = append(r.usual, cases...)
	return nil
}

// usualSitting starts every chain once and adds the results of some rounds to the cases.
func (b *bench) usualSitting(p pair, chains []chain, cases []usualCase, rounds int) error {
	var clients []caller
	defer func() {
		for _, u := range clients {
			_ = u.Close()
		}
	}()
	for _, c := range chains {
		u, err := p.start(b.ctx, c)
		if err != nil {
			return fmt.Errorf("%s: %w", c.way, err)
		}
		clients = append(clients, u)
		// Each process of a JavaScript server is slow until its code is compiled.
		if err := slice(b.ctx, u, inFlights[len(inFlights)-1], warmUp*b.slice, new(series)); err != nil {
			return fmt.Errorf("%s: %w", c.way, err)
		}
	}
	for _, one := range cases {
		for round := range rounds + 1 {
			for i := range chains {
				i = (i + round) % len(chains)
				into := one.rates[chains[i].way]
				if round == 0 { // it only warms up
					into = new(series)
				}
				if err := slice(b.ctx, clients[i], one.inFlight, b.slice, into); err != nil {
					return fmt.Errorf("%s, %d in flight: %w", chains[i].way, one.inFlight, err)
				}
			}
		}
	}
	return nil
}

// slice keeps inFlight calls in flight for a while.
func slice(ctx context.Context, u caller, inFlight int, span time.Duration, into *series) error {
	var done atomic.Int64
	var wg sync.WaitGroup
	failed := make([]error, inFlight)
	begin := time.Now()
	for n := range inFlight {
		wg.Go(func() {
			for time.Since(begin) < span && failed[n] == nil {
				failed[n] = u.call(ctx)
				done.Add(1)
			}
		})
	}
	wg.Wait()
	into.rates = append(into.rates, float64(done.Load())/time.Since(begin).Seconds())
	return errors.Join(failed...)
}

// versions are the protocol versions that mcp-go's client asks for. For the modern era's it sends server/discover in place of initialize.
var versions = map[echo.Era]string{echo.Legacy: mcp.LATEST_LEGACY_PROTOCOL_VERSION, echo.Modern: mcp.LATEST_PROTOCOL_VERSION}

// connect starts a server behind mcp-go's client, which does the handshake and lists the tools as every client does.
func connect(ctx context.Context, name string, to chain) (*client.Client, *mcp.ListToolsResult, error) {
	c, err := client.NewStdioMCPClientWithOptions(to.argv[0], to.env, to.argv[1:], transport.WithCommandFunc(exactly))
	if err != nil {
		return nil, nil, fmt.Errorf("start server: %w", err)
	}
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = versions[to.era]
	hello.Params.ClientInfo = mcp.Implementation{Name: name, Version: "1"}
	greeted, err := c.Initialize(ctx, hello)
	if err == nil && greeted.ProtocolVersion != hello.Params.ProtocolVersion {
		err = fmt.Errorf("version %s instead of %s", greeted.ProtocolVersion, hello.Params.ProtocolVersion)
	}
	if err != nil {
		_ = c.Close()
		return nil, nil, fmt.Errorf("initialize: %w", err)
	}
	listed, err := c.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		_ = c.Close()
		return nil, nil, fmt.Errorf("list tools: %w", err)
	}
	return c, listed, nil
}

// exactly starts a server in exactly this environment, while mcp-go would add all of ours; nil means ours.
func exactly(ctx context.Context, command string, env, args []string) (*exec.Cmd, error) {
	cmd := exec.CommandContext(ctx, command, args...)
	cmd.Env = env
	return cmd, nil
}

// typed is the obvious way to build a wrapper: a typed client and a typed server that decode and encode each message.
func typed(argv []string) error {
	upstream, listed, err := connect(context.Background(), "typed", chain{way: way{era: echo.Legacy}, argv: argv})
	if err != nil {
		return err
	}
	defer upstream.Close()
	proxy := server.NewMCPServer("typed", "1", server.WithToolCapabilities(true))
	for _, tool := range listed.Tools {
		proxy.AddTool(tool, func(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return upstream.CallTool(ctx, request)
		})
	}
	return server.ServeStdio(proxy)
}
