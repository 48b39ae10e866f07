package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/transport"
	"github.com/sallyport/sallyport/proxy/vocab"
)

type probeCommand struct {
	jsonFlag
	Name      string       `placeholder:"NAME" help:"Name of the server. Default: the name of its command."`
	Client    string       `placeholder:"CLIENT" complete:"client" help:"The client that will start it: the look uses the environment and folder it gives its servers. With --config, the client whose file it is (default claude-desktop)."`
	Sandbox   bool         `help:"Run it in the strict sandbox: no network, no home folder (Linux, bubblewrap)."`
	URL       string       `name:"url" placeholder:"URL" help:"Address of a remote server in place of a command, or env:VAR with it."`
	Header    []string     `placeholder:"'K: env:VAR'" sep:"none" help:"Header for a remote server, as wrap takes it."`
	Transport string       `default:"auto" enum:"auto,http,sse" help:"How a remote server is spoken to; auto finds out."`
	Account   accountLabel `placeholder:"LABEL" help:"The account that is used at a remote server, as wrap takes it."`
	Config    filePath     `placeholder:"PATH" help:"Read the servers of a client's configuration file. The arguments are then names of its entries."`
	Command   []string     `arg:"" optional:"" sep:"none" help:"The server's command and its arguments, after --. With --config, names of entries."`
}

type probeOptions struct {
	name   string
	argv   []string
	client string   // that will start it, "" if unknown
	env    []string // of its entry; the client supplies the rest

	sandbox bool // under strict, whatever the setting

	remote *remoteServer // in place of argv
	flag   string        // its --transport
}

// run starts a server, looks at it as a wrapper would, and stops it. It is a session with ourselves as the client, so it sees, pins and
// reports what a wrapper would.
func (c probeCommand) run(ctx context.Context, s streams) (int, error) {
	switch {
	case c.URL != "":
		return c.lookAtURL(ctx, s)
	case c.Config != "":
		return runProbeFile(ctx, c, s)
	}
	report, err := probe(ctx, probeOptions{name: c.Name, argv: c.Command, client: c.Client, sandbox: c.Sandbox})
	return c.reported(s, report, err)
}

// reported prints a report.
func (c probeCommand) reported(s streams, report probeReport, err error) (int, error) {
	if err != nil {
		return fail(s, exitFailed, "probe", err), nil
	}
	code := exitFine
	if report.Code != "" {
		code = exitPerson
	}
	return code, c.print(s, report, report.say)
}

// probeLimit is how long a server may take to declare itself.
const probeLimit = 30 * time.Second

// probeReport is what `probe --json` prints.
type probeReport struct {
	Server string         `json:"server"`
	Shown  string         `json:"shown,omitempty"` // see servers
	State  string         `json:"state"`           // "nothing to decide" or "waits"
	Code   string         `json:"code,omitempty"`
	Kind   vocab.ItemKind `json:"kind,omitempty"`
	Items  int            `json:"items"`
	// Blocked is how many of the items a person keeps blocked: they are decided, so they are not pending.
	Blocked int `json:"blocked,omitempty"`
	// Versions are those of a server that speaks the protocol's newer era alone: it was looked at in that.
	Versions []string `json:"versions,omitempty"`
	Error    string   `json:"error,omitempty"` // with --config: why this one was not looked at
}

func (r probeReport) say(p *page) {
	if len(r.Versions) > 0 {
		p.Hang("", "  ", terminal.Server(r.Server, r.Shown)+" offers protocol versions "+strings.Join(r.Versions, ", ")+" alone: a client of an earlier version can't use it (SP-221).")
	}
	if r.Code == "" {
		p.Printf("%s: nothing to decide; %s.\n", terminal.Server(r.Server, r.Shown), r.settled())
		return
	}
	p.Printf("%s needs your review: sallyport show %s\n", terminal.Server(r.Server, r.Shown), r.Code)
}

// settled is why a look found nothing to decide.
func (r probeReport) settled() string {
	switch {
	case r.Items == 0:
		return "it declares nothing"
	case r.Blocked == r.Items:
		return "you keep it blocked"
	case r.Blocked > 0:
		return fmt.Sprintf("you keep %d of its %d items blocked", r.Blocked, r.Items)
	}
	return "everything it declares is allowed" // by a person, or on first use without reading
}

// lookedAt is a gatekeeper that notices when the hub took the report, or there was nothing to report.
type lookedAt struct {
	*hubLink
	took  chan control.State
	fail  chan error
	newer atomic.Pointer[control.Versions] // set once the server refused the legacy era: the session goes on in the modern one
}

func (l *lookedAt) Record(r vocab.Record) {
	if v, ok := control.NoCommonVersion(&r); ok && slices.ContainsFunc(v.Offered, func(version string) bool { return slices.Contains(control.Modern, version) }) {
		l.newer.Store(&v) // no client has failed: it may speak that era
		return
	}
	l.hubLink.Record(r)
	if why, ok := control.Unlisted(&r); ok {
		//lint:ignore ST1005 it begins with a name
		l.failed(fmt.Errorf("Sallyport can't read what it declares: %s", why))
	}
	if v, ok := control.NoCommonVersion(&r); ok {
		l.failed(apartError(v))
	}
}

func (l *lookedAt) failed(err error) {
	select {
	case l.fail <- err:
	default:
	}
}

func (l *lookedAt) Report(ctx context.Context, r control.Report) (*control.State, error) {
	state, err := l.hubLink.Report(ctx, r)
	if err != nil {
		l.failed(fmt.Errorf("the hub didn't accept what was found: %w", err))
		return nil, err
	}
	select {
	case l.took <- *state:
	default:
	}
	return state, nil
}

func probe(ctx context.Context, o probeOptions) (probeReport, error) {
	var none probeReport
	if o.remote != nil {
		return probeURL(ctx, *o.remote, o)
	}
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	guard, err := transport.Prepare()
	if err != nil {
		return none, err
	}
	entryEnv, secrets, err := withSecrets(ctx, o.env)
	if err != nil {
		guard.Close()
		return none, err
	}
	ref := control.ServerRef{Transport: "stdio", Argv: o.argv, Name: cmp.Or(o.name, serverName(o.argv))}
	link, err := connectLink(ctx, control.RoleProbe, control.Register{Server: ref, Client: o.client, Secrets: masked(secrets, o.env)})
	if err != nil {
		guard.Close()
		return none, err
	}
	defer closeLink(link)
	if err := link.WaitState(ctx); err != nil {
		guard.Close()
		return none, fmt.Errorf("no hub accepted what was found: %w", err)
	}
	var last *control.Surroundings
	if known := link.State().Launch; known != nil {
		last = known.Surroundings
	}
	folder := lookDir(o.client, last)
	server := prepareServer(guard, link, transport.Command{Argv: o.argv, Env: lookEnv(o.client, folder, last, o.env), Dir: folder, Spare: link.spare}, nil)
	defer server.close()
	if entryEnv != nil {
		server.env = lookEnv(o.client, folder, last, entryEnv)
	}
	server.strict = o.sandbox
	if !server.launch.Before(ctx) {
		report, err := heldBack(link)
		return report.named(ctx, ref), err
	}
	fromServer, toServer, err := server.start(ctx)
	if err != nil {
		return none, err
	}
	defer server.process.Stop()
	state, newer, err := declares(ctx, link, proxy.Config{FromServer: fromServer, ToServer: toServer, Launch: server.launch}, func(err error) error { return serverSilent(server.process, err) })
	if err != nil {
		return none, err
	}
	server.launch.Wait(ctx)
	if now := link.State(); now.Revision > state.Revision {
		state = *now
	}
	report := reportOn(state)
	report.Versions = newer
	return report.named(ctx, ref), nil
}

// named gives a report the name that people see. A wrapper is told the one for clients, which can be "server 2".
func (r probeReport) named(ctx context.Context, ref control.ServerRef) probeReport {
	if of, err := identity.Of(ref); err == nil && r.Server != "" {
		for _, s := range knownServers(ctx) {
			if s.ID == of.ID {
				r.Server, r.Shown = s.Server, s.Shown
			}
		}
	}
	return r
}

// reportOn is the probe's report about a server that declared itself.
func reportOn(state control.State) probeReport {
	report := probeReport{Server: state.Name, State: "nothing to decide", Code: state.Code, Kind: state.Kind, Items: declared(state), Blocked: rejected(state)}
	if state.Launch != nil && report.Code == "" && state.Launch.Code != "" {
		report.Code, report.Kind = state.Launch.Code, vocab.ItemLaunch
	}
	if report.Code != "" {
		report.State = "waits"
	} else {
		report.Kind = ""
	}
	return report
}

// declares runs a session with the server of a configuration until the hub took what it declares, and returns the hub's state. newer are the
// versions of a server that speaks the modern era alone; silent says more of why a server that did not respond is silent.
func declares(ctx context.Context, link *hubLink, config proxy.Config, silent func(error) error) (none control.State, newer []string, err error) {
	fromUs, ask, err := os.Pipe()
	if err != nil {
		return none, nil, err
	}
	defer ask.Close()
	answers, toUs, err := os.Pipe()
	if err != nil {
		return none, nil, err
	}
	defer answers.Close()
	look := &lookedAt{hubLink: link, took: make(chan control.State, 1), fail: make(chan error, 1)}
	config.FromClient, config.ToClient, config.Gate, config.Session, config.Stray = fromUs, toUs, look, link.session, link.stray
	session := proxy.New(config)
	over := make(chan proxy.Ended, 1)
	go func() {
		over <- session.Run(ctx)
		toUs.Close()
	}()
	initialized := make(chan error, 1)
	go func() { initialized <- introduce(ask, answers) }()

	select {
	case err := <-initialized:
		if err != nil && look.newer.Load() == nil {
			select {
			case why := <-look.fail: // the error came before the response
				return none, nil, why
			default:
			}
			return none, nil, silent(err)
		}
	case <-ctx.Done():
		return none, nil, errNoAnswer
	case <-over:
		return none, nil, silent(errors.New("it exited before it responded"))
	}
	v := look.newer.Load()
	if v != nil {
		newer = v.Offered
	}
	select {
	case state := <-look.took:
		return state, newer, nil
	case err = <-look.fail:
	case <-ctx.Done():
		err = errNoAnswer
	case <-over:
		err = silent(errors.New("it exited before it listed its tools"))
	}
	if v != nil { // it was not to be reviewed either
		err = apartError(*v)
	}
	return none, nil, err
}

func apartError(v control.Versions) error {
	return fmt.Errorf("SP-221: the server %s", control.VersionWords(v, "the client"))
}

// declared is how many items the server declares, without its launch.
func declared(state control.State) int {
	n := len(state.Items)
	if _, pinned := state.Items["launch"]; pinned {
		n--
	}
	return n
}

// rejected is how many of them a person keeps blocked.
func rejected(state control.State) int {
	n := 0
	for key, item := range state.Items {
		if key != "launch" && item.State == vocab.PartRejected {
			n++
		}
	}
	return n
}

// heldBack reports a server that was not started.
func heldBack(link *hubLink) (probeReport, error) {
	state := link.State()
	if state.Launch == nil {
		return probeReport{}, errors.New("the hub doesn't let any server start; run `sallyport status` to see why")
	}
	if state.Launch.Code == "" {
		return probeReport{}, errors.New("it was not started because you blocked the program it runs; see `sallyport servers`")
	}
	return probeReport{Server: state.Name, State: "waits", Code: state.Launch.Code, Kind: vocab.ItemLaunch, Items: declared(*state)}, nil
}

var errNoAnswer = fmt.Errorf("the server didn't respond within %s; try its command in a terminal", probeLimit)

// serverSilent says how the server ended, if it did.
func serverSilent(process *transport.ServerProcess, err error) error {
	select {
	case <-process.Exited():
		return fmt.Errorf("the server exited (%s) before it responded; try its command in a terminal", process.Exit())
	case <-time.After(time.Second):
		return err
	}
}

// introduce plays the client's part of a legacy session, under the name of the real client: a server that shows reviewers something else
// than users must not be able to tell them apart.
func introduce(to io.Writer, from io.Reader) error {
	_, err := io.WriteString(to, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"claude-ai","version":"0.1.0"}}}`+"\n")
	if err != nil {
		return err
	}
	lines := frame.NewReader(from, 0)
	for {
		line, err := lines.Next()
		if err != nil {
			return errors.New("it closed its output before it responded")
		}
		var m frame.Message
		if frame.Scan(line, frame.FromServer, &m) != nil || string(m.ID.Of(line)) != "0" {
			continue
		}
		if m.Kind != frame.Result {
			go io.Copy(io.Discard, from)
			if text, ok := frame.Find(line, m.Error, "message"); ok && frame.Type(line, text) == '"' {
				said, _ := frame.String(line, text)
				if why, ours := strings.CutPrefix(said, "[Sallyport] "); ours {
					return errors.New(why)
				}
			}
			return errors.New("it responded to initialize with an error")
		}
		break
	}
	if _, err := io.WriteString(to, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
		return err
	}
	go io.Copy(io.Discard, from)
	return nil
}
