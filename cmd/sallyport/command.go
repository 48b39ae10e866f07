package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"reflect"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/sallyport/sallyport/proxy/address"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

// commandLine is every command a person can type. One struct field is one command, one file holds what it does.
type commandLine struct {
	Version kong.VersionFlag `help:"Print the version and exit."`

	Wrap       wrapCommand       `cmd:"" help:"Run a server through Sallyport. Everything after -- is its command."`
	Probe      probeCommand      `cmd:"" three:"something needs review: the server is new, changed or has warnings" help:"Start a server once, read what it declares, and add it to the inbox for review."`
	Protect    protectCommand    `kong:"cmd,set='all=Every entry, including those you left out before.',set='unnamed=every entry you did not leave out before',three='something needs review',help='Wrap the servers in the configuration file of a client.'"`
	Unprotect  unprotectCommand  `kong:"cmd,set='all=Every entry that runs through Sallyport. Same as giving no names.',set='unnamed=every entry that runs through Sallyport',three='not decided here: decide in the window',help='Unwrap the file of a client and restore it byte for byte.'"`
	Backups    backupsCommand    `cmd:"" help:"List the backups of client files, made before each change."`
	Status     statusCommand     `cmd:"" three:"something needs review" help:"Show the hub, the running wrappers, and what needs review."`
	Servers    serversCommand    `cmd:"" help:"List every known server and what is allowed."`
	Inbox      inboxCommand      `cmd:"" three:"something needs review" help:"List the items that need your review."`
	Show       showCommand       `cmd:"" help:"Show one inbox item in full: what changed, the warnings, what it means."`
	Approve    approveCommand    `cmd:"" three:"not decided here: decide in the window; or nothing in it is without warnings, or --clean left servers out: name what you allow" help:"Allow what an inbox item shows."`
	Reject     rejectCommand     `cmd:"" three:"not decided here: decide in the window" help:"Keep what an inbox item shows blocked."`
	Block      blockCommand      `cmd:"" help:"Take an approval back immediately."`
	Release    releaseCommand    `cmd:"" three:"not decided here: decide in the window" help:"Release a held response to the client, once."`
	Discard    discardCommand    `cmd:"" three:"not decided here: decide in the window" help:"Delete a held response."`
	Except     exceptCommand     `cmd:"" three:"not decided here: decide in the window" help:"Allow responses like this one for a limited time."`
	Exceptions exceptionsCommand `cmd:"" help:"List the exceptions in force."`
	Flow       flowCommand       `cmd:"" help:"List the calls that are allowed for good, and end them."`
	Activity   activityCommand   `cmd:"" help:"Show the activity log."`
	Settings   settingsCommand   `cmd:"" help:"Read and change settings."`
	Auth       authCommand       `cmd:"" help:"Sign in to remote servers, see where you are signed in, sign out."`
	Secret     secretCommand     `cmd:"" help:"Keep keys and passwords in the system's keychain, so that no setting holds one."`
	Guardrail  guardrailCommand  `cmd:"" help:"List and test the guardrail providers, which check responses beside Sallyport's own detector."`
	Scan       scanCommand       `cmd:"" three:"a finding of Medium or above" help:"Scan a tool listing, one tool, or plain text for hidden instructions."`
	Logs       logsCommand       `cmd:"" help:"Show what a server wrote to its standard error."`
	Hub        hubCommand        `cmd:"" help:"Run the hub without a window."`
	Doctor     doctorCommand     `cmd:"" help:"Check the installation and say how to fix any problem."`
	Demo       demoCommand       `cmd:"" help:"Walk through the whole story on this machine, in a temporary data folder."`

	Help       helpCommand       `cmd:"" help:"Show the help of a command."`
	Completion completionCommand `cmd:"" help:"Print a completion script for bash, zsh or fish."`

	DemoServer demoServerCommand `cmd:"" name:"__demo-server" hidden:""`
	Man        manCommand        `cmd:"" name:"__man" hidden:""`
	TakeOut    takeOutCommand    `cmd:"" name:"__take-out" hidden:""`
}

// Commands implement one of these. Each returns the exit code, or an error that is printed as one line.
type (
	command interface {
		run(ctx context.Context, s streams) (int, error)
	}
	// asking is a command that needs a hub.
	asking interface {
		ask(ctx context.Context, s streams, hub *control.Client) (int, error)
	}
	// checking is a command whose flags can contradict each other. It says so before anything else happens.
	checking interface {
		check() error
	}
)

type jsonFlag struct {
	JSON bool `name:"json" help:"Print JSON and nothing else."`
}

var typeOfPath = reflect.TypeFor[filePath]()

// filePath is a path from a flag. An empty one comes from an unset variable and is not a missing flag: the person did not mean the default.
type filePath string

func (p *filePath) Decode(ctx *kong.DecodeContext) error {
	var value string
	if err := ctx.Scan.PopValueInto("path", &value); err != nil {
		return err
	}
	if value == "" {
		return errors.New("it is empty, and a path is wanted")
	}
	*p = filePath(value)
	return nil
}

// narrow is the text of a flag that narrows what a command changes: to one server, one tool, one digest. An empty one comes from an unset
// variable, too, and must not mean all of them.
type narrow string

func (n *narrow) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		return errors.New("it is empty; leave the flag out if you mean that")
	}
	*n = narrow(text)
	return nil
}

// accountLabel is a label for an account at a remote server.
type accountLabel string

func (l *accountLabel) UnmarshalText(text []byte) error {
	*l = accountLabel(text)
	return address.CheckAccount(string(text))
}

// wrapCommand only describes wrap for --help: a real wrap is handled in run.
type wrapCommand struct {
	Name      string       `placeholder:"NAME" help:"Name of the server in the client's configuration."`
	Client    string       `placeholder:"CLIENT" help:"The client that starts this wrapper."`
	URL       string       `name:"url" placeholder:"URL" help:"Address of a remote server, or env:VAR with it."`
	Header    []string     `placeholder:"'K: env:VAR'" help:"Header for a remote server; its value is in a variable or the keychain: 'K: [WORD ]env:VAR' or 'K: [WORD ]keychain:NAME'."`
	Transport string       `default:"auto" enum:"auto,http,sse" help:"How a remote server is spoken to; auto finds out."`
	Account   accountLabel `placeholder:"LABEL" help:"A short word for the account that is used at a remote server: with it, the same address is another server, with its own review and sign-in."`
	Argv      string       `name:"argv" placeholder:"JSON" help:"The server's command as one JSON array of strings, for clients whose parsers eat --: --argv='[\"npx\",\"-y\",\"server\"]'."`
	Command   []string     `arg:"" optional:"" help:"The server's command and its arguments, after --."`
}

func (wrapCommand) run(context.Context, streams) (int, error) { return exitUsage, nil }

// exited carries an exit code out of kong, which ends the process after --help and --version.
type exited int

// newParser reads command lines by the model. exit is called after --help and --version.
func newParser(model *commandLine, s streams, exit func(int)) (*kong.Kong, error) {
	return kong.New(model,
		kong.Name("sallyport"),
		kong.Description("Sallyport checks what passes between an MCP client and its servers. New or changed tools stay blocked until you allow them."),
		kong.Vars{"version": "sallyport " + version},
		kong.Writers(s.out, s.err),
		kong.Exit(exit),
		kong.Help(printHelp),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true}),
	)
}

// runCommand parses and runs every command except wrap.
func runCommand(ctx context.Context, args []string, s streams) (code int) {
	var model commandLine
	out := &output{}
	if f, ok := s.out.(*os.File); ok {
		out.File, s.out = f, out
	}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case exited:
			code = int(e)
		default:
			code = fail(s, exitFailed, subject(args), errors.New("a bug in Sallyport, please report it: "+inspect.Fault(e)))
		}
		if out.failed != nil && (code == exitFine || code == exitPerson) {
			code = fail(s, exitFailed, subject(args), out.why())
		}
	}()
	parser, err := newParser(&model, s, func(code int) { panic(exited(code)) })
	if err != nil {
		return fail(s, exitFailed, "command line", err)
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	parsed, err := parser.Parse(asHelp(args))
	if out.failed != nil {
		return fail(s, exitFailed, subject(args), out.failed) // failing to print help is not wrong usage
	}
	if err != nil {
		what, words := subject(args), known(parser, args)
		if len(args) > 0 && args[0] == "secret" {
			what, err = strings.TrimSpace(words), errSecretUsage
		}
		return fail(s, exitUsage, what, fmt.Errorf("%s; \"sallyport %s--help\" says how", plain(err), words))
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT)
	defer stop()
	chosen := parsed.Selected().Target.Addr().Interface()
	if c, ok := chosen.(checking); ok {
		if err := c.check(); err != nil {
			return fail(s, exitUsage, subject(args), err)
		}
	}
	switch chosen := chosen.(type) {
	case command:
		code, err = chosen.run(ctx, s)
	case asking:
		code, err = askHub(ctx, s, chosen)
	default:
		err = errors.New("has no code of its own")
	}
	if out.failed != nil && errors.Is(err, out.failed) {
		err = out.why()
	}
	if err != nil {
		return fail(s, max(code, exitFailed), subject(args), err)
	}
	return code
}

func askHub(ctx context.Context, s streams, c asking) (int, error) {
	hub, err := dial(ctx)
	if err != nil {
		return exitFailed, err
	}
	defer hub.Close()
	return c.ask(ctx, s, hub)
}

// known is "NAME " for each of our commands that args start with, so that the hint names the right help.
func known(parser *kong.Kong, args []string) string {
	words, node := "", parser.Model.Node
	for _, arg := range args {
		if node = childOf(node, arg); node == nil {
			break
		}
		words += arg + " "
	}
	return words
}

// subject is what an error line is about: the command, and the next word if it is not a flag.
func subject(args []string) string {
	words := []string{}
	for _, a := range args[:min(2, len(args))] {
		if strings.HasPrefix(a, "-") {
			break
		}
		words = append(words, a)
	}
	return strings.Join(words, " ")
}

func plain(err error) string {
	return strings.ReplaceAll(err.Error(), "\n", " ")
}

// fail prints an error as one line and returns the exit code. The text may come from a hub or a person, so it is escaped.
func fail(s streams, code int, what string, err error) int {
	why := legible.Escape(plain(err))
	if what != "" {
		why = legible.Escape(what) + ": " + why
	}
	io.WriteString(s.err, "sallyport: "+why+"\n")
	return code
}

func hubError(err error, code int) bool {
	var no *control.Error
	return errors.As(err, &no) && no.Code == code
}

var errNoHub = errors.New(`no hub runs; open Sallyport, or start the hub with "sallyport hub"`)

// dialTimeout is how long a command waits for a hub's greeting. A healthy one answers in under a millisecond.
const dialTimeout = 10 * time.Second

// dial connects to the hub of this home, for a command that needs one, without starting one.
func dial(ctx context.Context) (*control.Client, error) {
	home, err := control.FindHome(os.Getenv)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	client, err := control.DialWith(ctx, home, control.DialOptions{Role: control.RoleCLI, Version: version})
	switch {
	case errors.Is(err, control.ErrNoHub):
		return nil, errNoHub
	case err != nil:
		return nil, fmt.Errorf("reach the hub: %w", err)
	}
	return client, nil
}
