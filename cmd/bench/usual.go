package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// said makes an answer of about 200 bytes.
var said = strings.Repeat("the quick brown fox ", 6)

// helloLimit is how long a server from npm may take to start.
const helloLimit = 30 * time.Second

// warmUp is how many slices each chain runs before anything is measured.
const warmUp = 8

// onlyUsual is the case that is all of these.
const onlyUsual = "usual"

// inFlights are the cases that are measured between peers that people have.
var inFlights = []int{1, 8, 64}

// serve is an echo server of mcp-go's.
func serve() error {
	s := server.NewMCPServer("echo", "1", server.WithToolCapabilities(false))
	s.AddTool(mcp.NewTool("echo", mcp.WithDescription("Says it again."), mcp.WithString("message", mcp.Required())),
		func(_ context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			text, err := request.RequireString("message")
			if err != nil {
				return nil, err
			}
			return mcp.NewToolResultText(text), nil
		})
	return server.ServeStdio(s)
}

// usual is a chain between peers that people have: mcp-go's client, and a server with a tool echo that takes a message. Both
// decode and encode every message, as nearly all do.
type usual struct{ client *client.Client }

func startUsual(ctx context.Context, argv, env []string) (*usual, error) {
	ctx, cancel := context.WithTimeout(ctx, helloLimit)
	defer cancel()
	c, _, err := connect(ctx, "bench", argv, env)
	if err != nil {
		return nil, err
	}
	return &usual{c}, nil
}

func (u *usual) call(ctx context.Context) error {
	var r mcp.CallToolRequest
	r.Params.Name, r.Params.Arguments = "echo", map[string]any{"message": said}
	answer, err := u.client.CallTool(ctx, r)
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

// usualRates measures how many calls a second pass between the peers, for each number in flight and each chain.
func (b *bench) usualRates(r *results, server string, argv []string) error {
	chains, err := b.between(argv)
	if err != nil {
		return err
	}
	var clients []*usual
	defer func() {
		for _, u := range clients {
			_ = u.client.Close()
		}
	}()
	for _, c := range chains {
		u, err := startUsual(b.ctx, c.argv, c.env)
		if err != nil {
			return fmt.Errorf("%s, %s: %w", server, c.name, err)
		}
		clients = append(clients, u)
		// A server in JavaScript is slow until it was compiled, each process for itself.
		if err := u.slice(b.ctx, inFlights[len(inFlights)-1], warmUp*b.slice, new(series)); err != nil {
			return fmt.Errorf("%s, %s: %w", server, c.name, err)
		}
	}
	for _, n := range inFlights {
		fmt.Fprintf(b.progress, "%s, %d in flight\n", server, n)
		rates := map[string]*series{}
		for round := range b.rounds + 1 {
			for i := range chains {
				i = (i + round) % len(chains)
				if round <= 1 { // the first round only warms
					rates[chains[i].name] = new(series)
				}
				if err := clients[i].slice(b.ctx, n, b.slice, rates[chains[i].name]); err != nil {
					return fmt.Errorf("%s, %s, %d in flight: %w", server, chains[i].name, n, err)
				}
			}
		}
		r.usual = append(r.usual, usualCase{server, n, rates})
	}
	return nil
}

// slice keeps inFlight calls under way for a while.
func (u *usual) slice(ctx context.Context, inFlight int, span time.Duration, into *series) error {
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
