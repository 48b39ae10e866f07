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
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/proxy"
	"github.com/sallyport/sallyport/proxy/address"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/transport/remote"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// runRemote runs one guarded server at an address. The exit code is 0 after the end of the client's input, whatever the server does, and 128 + the
// signal's number after a signal.
func runRemote(ctx context.Context, o wrapOptions, s streams) int {
	to, err := remoteOf(o.url, o.account, o.headers, nil)
	if err != nil {
		return fail(s, exitUsage, "wrap", err)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(enoughMemory)
	}
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)

	to.resolve(ctx)
	link, err := connectLink(ctx, control.RoleWrapper, to.register(o.name, o.client))
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
	var session *proxy.Session
	server, err := to.open(link, o.transport, func() *proxy.Session { return session })
	if err != nil { // nothing is sent
		answerInitialize(ctx, s, err.Error())
		return fail(s, exitFailed, "wrap", err)
	}
	defer s.poll()()
	link.record(vocab.RecordServerStart, vocab.StatusOK, "connecting to "+to.address.Host)
	go watchHangup(ctx, s.in, s.out, func() { server.Close() })
	session = proxy.New(proxy.Config{
		FromClient: s.in, ToClient: s.out, Server: server, ToServer: server, Uncallable: remote.Uncallable,
		Gate: link, Client: o.client, Session: link.session, Stray: link.stray,
		Notice: s.notice,
	})
	session.Run(ctx)
	server.Close()
	session.AnswerAll("the client ended the session")
	link.record(vocab.RecordServerStop, vocab.StatusOK, "the client ended")
	return endedBy(ctx)
}

// remoteServer is a server at an address, as flags name it.
type remoteServer struct {
	known   string // the address as written, and the label of the account
	address *url.URL
	account string
	headers []address.Header
	env     []string // of a client's entry, in front of our own environment

	// Once resolved:
	values  http.Header
	secrets []string // what the sources of the headers hold
	missing error    // what is wrong with one of them: nothing is sent
}

func remoteOf(given, account string, headers, env []string) (to remoteServer, err error) {
	to.env, to.account = env, account
	raw, err := addressOf(given, to.getenv)
	if err != nil {
		return to, err
	}
	if to.address, err = address.Parse(raw); err != nil {
		return to, fmt.Errorf("--url: %w", err)
	}
	to.known = address.WithAccount(raw, account)
	if to.headers, err = address.ParseHeaders(headers); err != nil {
		return to, fmt.Errorf("--header: %w", err)
	}
	return to, nil
}

// getenv is a variable as the wrapper of the server has it.
func (to remoteServer) getenv(name string) string {
	for _, variable := range to.env {
		if value, ok := strings.CutPrefix(variable, name+"="); ok {
			return value
		}
	}
	return os.Getenv(name)
}

// register is what the hub is told of the server. Logs and records must not show what the headers hold, whatever the server makes of it.
func (to remoteServer) register(name, client string) control.Register {
	return control.Register{
		Server: control.ServerRef{Transport: identity.TransportURL, URL: to.known, Name: cmp.Or(name, strings.TrimSpace(to.address.Hostname()+" "+to.account))}, Client: client,
		Secrets: masked(to.secrets, slices.Concat(os.Environ(), to.env)),
	}
}

// open prepares the server, which was resolved. An error says what is wrong with one of its headers. session is whose requests are sent there; nil:
// none but those of a probe.
func (to remoteServer) open(link *hubLink, transport string, session func() *proxy.Session) (*remote.Server, error) {
	if to.missing != nil {
		return nil, to.missing
	}
	signedIn := newSignedIn(link, to.known)
	link.sent = func() []string { return masked(append(slices.Clone(to.secrets), signedIn.now.Load().token), nil) }
	reached := newReached(link, to.address, transport, to.headers)
	o := remote.Options{
		Address: to.address, Kind: remote.Kind(transport), Headers: to.values, Stray: link.stray, SignIn: signedIn, Reaches: reached.judge, Speaks: reached.speaks, Away: reached.away,
		Idle:      func() time.Duration { return link.inForce().Idle },
		Plaintext: reached.plaintext,
	}
	if session != nil {
		o.Tool = func(name string) (string, []byte) { return session().Tool(name) }
		o.Judged = func(id []byte) bool { return session().Judged(id) }
	}
	server := remote.Open(o)
	signedIn.watch(server)
	return server, nil
}

// lookAtURL is probe for a remote server.
func (c probeCommand) lookAtURL(ctx context.Context, s streams) (int, error) {
	to, err := remoteOf(c.URL, string(c.Account), c.Header, nil)
	if err != nil {
		return fail(s, exitUsage, "probe", err), nil
	}
	report, err := probeURL(ctx, to, probeOptions{name: c.Name, client: c.Client, flag: c.Transport})
	return c.reported(s, report, err)
}

// probeURL is probe for a remote server.
func probeURL(ctx context.Context, to remoteServer, o probeOptions) (none probeReport, err error) {
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	to.resolve(ctx)
	register := to.register(o.name, o.client)
	link, err := connectLink(ctx, control.RoleProbe, register)
	if err != nil {
		return none, err
	}
	defer closeLink(link)
	if err := link.WaitState(ctx); err != nil {
		return none, fmt.Errorf("no hub accepted what was found: %w", err)
	}
	server, err := to.open(link, o.flag, nil)
	if err != nil {
		return none, err
	}
	defer server.Close()
	state, newer, err := declares(ctx, link, proxy.Config{Server: server, ToServer: server, Uncallable: remote.Uncallable}, func(err error) error { return err })
	if err != nil {
		return none, err
	}
	if now := link.State(); now.Revision > state.Revision {
		state = *now
	}
	report := reportOn(state)
	report.Versions = newer
	return report.named(ctx, register.Server), nil
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

// resolve finds out what the headers refer to. An error names the header and its source, never a value.
func (to *remoteServer) resolve(ctx context.Context) {
	defer clearHeaderVariables()
	to.values = http.Header{}
	for _, h := range to.headers {
		secret, err := to.secretOf(ctx, h)
		if err == nil {
			to.secrets = append(to.secrets, secret)
			secret, err = h.Value(secret)
		}
		if err != nil {
			to.missing = err
			return
		}
		to.values.Set(h.Name, secret)
	}
}

func (to *remoteServer) secretOf(ctx context.Context, h address.Header) (string, error) {
	if h.From != "keychain" {
		return to.getenv(h.Key), nil
	}
	secret := ""
	store, _, err := secretStore() // none in a guarded server, which could have it sent to a server of its own
	if err == nil {
		secret, err = store.Get(ctx, h.Key)
	}
	if err != nil {
		return "", fmt.Errorf("the header %s: %s: %w", h.Name, h.Source(), err)
	}
	return secret, nil
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
