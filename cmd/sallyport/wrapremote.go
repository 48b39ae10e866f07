package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/sallyport/sallyport/proxy"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/keychain"
	"github.com/sallyport/sallyport/proxy/policy"
	"github.com/sallyport/sallyport/proxy/transport/remote"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// runRemote runs one guarded server at an address. The exit code is 0 after the end of the client's input, whatever the server does, and 128 + the
// signal's number after a signal.
func runRemote(ctx context.Context, o wrapOptions, s streams) int {
	raw, err := addressOf(o.url, os.Getenv)
	if err != nil {
		return fail(s, exitUsage, "wrap", err)
	}
	address, err := remote.ParseAddress(raw)
	if err != nil {
		return fail(s, exitUsage, "wrap", fmt.Errorf("--url: %w", err))
	}
	headers, err := headersOf(o.headers)
	if err != nil {
		return fail(s, exitUsage, "wrap", fmt.Errorf("--header: %w", err))
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(enoughMemory)
	}
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)

	link, err := connectLink(ctx, control.RoleWrapper, control.Register{
		Server: control.ServerRef{Transport: "url", URL: raw, Name: cmp.Or(o.name, address.Hostname())}, Client: o.client, Secrets: secretsOf(os.Environ()),
	})
	if err != nil {
		answerInitialize(ctx, s, "Sallyport can't use its data folder: "+err.Error())
		return fail(s, exitFailed, "wrap", err)
	}
	defer func() {
		if err := closeLink(link); err != nil {
			fail(s, exitFailed, "wrap", err)
		}
	}()
	endOnSignal(ctx, stop)
	values, err := valuesOf(ctx, headers, link.home)
	clearHeaderVariables()
	if err != nil { // nothing is sent
		answerInitialize(ctx, s, err.Error())
		return fail(s, exitFailed, "wrap", err)
	}
	if in, restore := pollable(s.in, os.O_RDONLY); in != nil {
		s.in = in
		defer restore()
	}
	if out, restore := pollable(s.out, os.O_WRONLY); out != nil {
		s.out = out
		defer restore()
	}
	server := remote.Open(remote.Options{
		Address: address, Kind: remote.Kind(o.transport), Headers: values, Stray: link.stray,
		Idle:      func() time.Duration { return policy.ForWrapper(link.State().Settings).Idle },
		Plaintext: func() bool { return policy.ForWrapper(link.State().Settings).Plaintext },
	})
	link.record(vocab.RecordServerStart, vocab.StatusOK, "connecting to "+address.Host)
	go watchHangup(ctx, s.in, s.out, func() { server.Close() })
	session := proxy.New(proxy.Config{
		FromClient: s.in, ToClient: s.out, Server: server, ToServer: server,
		Gate: link, Client: o.client, Session: link.session, Stray: link.stray,
		Notice: func(sentence string) { go s.err.Write([]byte("sallyport: " + sentence + "\n")) },
	})
	session.Run(ctx)
	server.Close()
	session.AnswerAll("the client ended the session")
	link.record(vocab.RecordServerStop, vocab.StatusOK, "the client ended")
	if signalled, ok := errors.AsType[caught](context.Cause(ctx)); ok {
		return 128 + int(signalled.number)
	}
	return exitFine
}

// addressOf is the address of --url, which may be in a variable: one with a query must not be seen by every program that can list processes.
func addressOf(given string, getenv func(string) string) (string, error) {
	name, ok := strings.CutPrefix(given, "env:")
	if !ok {
		if u, err := url.Parse(given); err == nil && u.RawQuery != "" {
			return "", errors.New("--url: an address with a ? part may hold a secret, which other programs could see on the command line; put it into a variable: --url env:VAR")
		}
		return given, nil
	}
	if value := getenv(name); value != "" {
		return value, nil
	}
	return "", fmt.Errorf("--url: the variable %s is not set", name)
}

func headersOf(given []string) (headers []remote.Header, err error) {
	seen := map[string]bool{}
	for _, text := range given {
		h, err := remote.ParseHeader(text)
		if err != nil {
			return nil, err
		}
		if seen[h.Name] {
			return nil, fmt.Errorf("%s is given twice", h.Name)
		}
		seen[h.Name] = true
		headers = append(headers, h)
	}
	return headers, nil
}

// valuesOf resolves what headers refer to. An error names the header and its source, never a value.
func valuesOf(ctx context.Context, headers []remote.Header, home control.Home) (http.Header, error) {
	values := http.Header{}
	for _, h := range headers {
		secret := os.Getenv(h.Key)
		if h.From == "keychain" {
			var err error
			if secret, err = keychain.Secrets(home.Dir).Get(ctx, h.Key); err != nil {
				return nil, fmt.Errorf("the header %s: %s: %w", h.Name, h.Source(), err)
			}
		}
		value, err := h.Value(secret)
		if err != nil {
			return nil, err
		}
		values.Set(h.Name, value)
	}
	return values, nil
}

// clearHeaderVariables takes what `protect` moved into the environment out of it again, once it was read.
func clearHeaderVariables() {
	os.Unsetenv("MCP_URL")
	for _, entry := range os.Environ() {
		if name, _, _ := strings.Cut(entry, "="); strings.HasPrefix(name, "MCP_HEADER_") {
			os.Unsetenv(name)
		}
	}
}
