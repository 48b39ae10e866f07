package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/address"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

// clientFileFlags are the flags of protect and unprotect: the file and the entries. Each command decides what it means to name none
// (commandLine).
type clientFileFlags struct {
	jsonFlag
	Client string   `default:"claude-desktop" placeholder:"CLIENT" complete:"clients" help:"The client whose file to change; all for every client that has one."`
	Config filePath `placeholder:"PATH" help:"Path to the file, if not the default."`
	All    bool     `help:"${all}"`
	DryRun bool     `name:"dry-run" help:"Print the change as a unified diff and write nothing."`
	Name   []string `arg:"" optional:"" sep:"none" help:"Names of entries in the file. Default: ${unnamed}."`
}

// request is what these flags ask for. A path is made absolute here, because a hub has another working folder.
func (c clientFileFlags) request() (control.Protect, error) {
	ask := control.Protect{Client: c.Client, Names: c.Name, All: c.All, DryRun: c.DryRun}
	if c.All && len(c.Name) > 0 {
		return ask, errors.New("use --all or name entries, not both")
	}
	var known []string
	for _, place := range clientconfig.Places(clientconfig.ThisSystem()) {
		if !slices.Contains(known, place.Client) {
			known = append(known, place.Client)
		}
	}
	byFile := clientconfig.ByFileOnly()
	switch {
	case slices.Contains(byFile, c.Client) && c.Config == "":
		return ask, fmt.Errorf("%s has no settings file of its own: name the file with --config", c.Client)
	case !slices.Contains(known, c.Client) && !slices.Contains(byFile, c.Client):
		known = append(known, byFile...)
		return ask, fmt.Errorf("no client %q; use one of %s", c.Client, strings.Join(known, ", "))
	}
	if c.Config != "" {
		path, err := filepath.Abs(string(c.Config))
		if err != nil {
			return ask, err
		}
		ask.Config = path
	}
	return ask, nil
}

type protectCommand struct {
	clientFileFlags
	Convert   string       `placeholder:"ID" help:"Add a desktop extension of Claude Desktop as a guarded entry of its file. sallyport status names the ID."`
	Set       []string     `sep:"none" placeholder:"KEY=VALUE" help:"With --convert: a value that the extension asks for, if not the one in the client's settings; for a secret, KEY=keychain:NAME. Can be repeated."`
	NoLook    bool         `name:"no-look" help:"Don't start the servers to see what they declare. Each is looked at when the client starts it."`
	Add       string       `placeholder:"NAME" help:"Add a new entry of this name, guarded from the start. Its command comes after --, or its address in --url."`
	URL       string       `name:"url" placeholder:"URL" help:"With --add: the address of a remote server, or env:VAR with it."`
	Header    []string     `placeholder:"'K: env:VAR'" sep:"none" help:"With --url: a header, as wrap takes it."`
	Transport string       `default:"auto" enum:"auto,http,sse" help:"With --url: how the server is spoken to; auto finds out."`
	Account   accountLabel `placeholder:"LABEL" help:"With --url: the account that is used there, as wrap takes it."`
}

// forURL reports whether a flag was given that is for an address.
func (c protectCommand) forURL() bool {
	return len(c.Header) > 0 || c.Transport != "auto" || c.Account != ""
}

// adding makes a request one for a new entry. What comes after -- is its command.
func (c protectCommand) adding(ask *control.Protect) error {
	switch {
	case c.Add == "" && (c.URL != "" || c.forURL()):
		return errors.New("--url, --header, --transport and --account go with --add")
	case c.Add == "":
		return nil
	case c.All:
		return errors.New("--add adds one entry; --all is for those in the file")
	case (c.URL != "") == (len(c.Name) > 0):
		return errors.New("use --add NAME --url URL for an address, or --add NAME -- COMMAND [ARG…] for a command")
	case c.URL == "" && c.forURL():
		return errors.New("--header, --transport and --account go with --url")
	}
	if c.URL != "" {
		if err := addable(c.URL, c.Header); err != nil {
			return err
		}
	}
	ask.Names, ask.Add = []string{c.Add}, &control.NewEntry{Argv: c.Name, URL: c.URL, Headers: c.Header, Account: string(c.Account)}
	if c.URL != "" {
		ask.Add.Transport = c.Transport
	}
	return nil
}

// addable refuses an address and headers that wrap would refuse. A variable that holds the address may be the client's alone, so it isn't read.
func addable(given string, headers []string) error {
	if !strings.HasPrefix(given, "env:") {
		_, err := remoteOf(given, "", headers, nil)
		return err
	}
	if _, err := address.ParseHeaders(headers); err != nil {
		return fmt.Errorf("--header: %w", err)
	}
	return nil
}

func (c protectCommand) check() error {
	switch {
	case c.Convert == "" && len(c.Set) > 0:
		return errors.New("--set is for --convert")
	case c.Convert != "" && (c.All || c.Add != "" || len(c.Name) > 0 || c.Client != clientconfig.ClaudeDesktop):
		return errors.New("--convert adds one extension of Claude Desktop: leave out names, --add, --all and --client")
	}
	return nil
}

func (c protectCommand) run(ctx context.Context, s streams) (int, error) {
	if c.Client == everyClient && c.Add == "" {
		return c.forEvery(s, "protect", func(one clientFileFlags) (int, error) {
			c.clientFileFlags = one
			return c.run(ctx, s)
		})
	}
	ask, err := c.request()
	if err == nil {
		err = c.adding(&ask)
	}
	if err != nil {
		return exitUsage, err
	}
	if c.Add != "" { // what is left of its command line is no name of an entry
		c.Name = ask.Names
	}
	ask.Convert, ask.Set = c.Convert, c.Set
	if ask.Program, err = stableProgram(); err != nil {
		return exitFailed, err
	}
	var typed typedSecrets
	if c.Convert != "" {
		var code int
		if typed, code, err = c.secrets(ctx, s, &ask); err != nil {
			return code, err
		}
	}
	done, welcome, err := c.protect(ctx, ask)
	if err != nil || !done.Written {
		typed.takeBack(ctx)
	} else if !c.JSON {
		typed.say(s)
	}
	if err != nil || ask.DryRun || c.NoLook || !done.Written {
		return c.report(s, done, err, guarding)
	}
	return c.look(ctx, s, done, welcome)
}

// protect makes the change, or says what it would be.
func (c protectCommand) protect(ctx context.Context, ask control.Protect) (done control.Protected, welcome control.Welcome, err error) {
	hub, err := dial(ctx)
	if errors.Is(err, errNoHub) {
		// An impossible request needs no hub, and a dry run creates no home.
		done, err = protectAlone(ask)
		if err != nil || ask.DryRun || len(done.Entries) == 0 {
			return done, welcome, err
		}
		hub, err = startHub(ctx)
	}
	if err != nil {
		return done, welcome, err
	}
	defer hub.Close()
	done, err = control.AskProtect(ctx, hub, ask)
	return done, hub.Welcome(), err
}

// startHub starts a hub if none runs, as a wrapper does, and connects to it.
func startHub(ctx context.Context) (*control.Client, error) {
	home, err := control.FindHome(os.Getenv)
	if err != nil {
		return nil, err
	}
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	if _, err := control.EnsureHub(ctx, home, program); err != nil {
		return nil, err
	}
	return dial(ctx)
}

type unprotectCommand struct {
	clientFileFlags
	Yes      bool     `help:"Answer yes to every question."`
	Everyone bool     `help:"Unwrap the files of every user of this machine, without a hub. For packages; run by root."`
	Root     filePath `placeholder:"DIR" help:"With --everyone: the folder below which the users and their files are. Default: /."`
}

func (c unprotectCommand) run(ctx context.Context, s streams) (int, error) {
	if c.Everyone || c.Root != "" {
		return c.everyone(ctx, s)
	}
	if c.Client == everyClient {
		return c.forEvery(s, "unprotect", func(one clientFileFlags) (int, error) {
			c.clientFileFlags = one
			return c.run(ctx, s)
		})
	}
	ask, err := c.request()
	if err != nil {
		return exitUsage, err
	}
	hub, err := dial(ctx)
	if errors.Is(err, errNoHub) {
		done, err := unprotectAlone(ask)
		return c.report(s, done, err, baring)
	} else if err != nil {
		return exitFailed, err
	}
	defer hub.Close()
	what := "This removes the guard: the client will start these servers directly, and nothing is checked"
	done, err := loosen(ctx, s, what, c.Yes, c.DryRun, func(dry bool, digest string) (control.Protected, error) {
		ask.DryRun, ask.Digest, ask.Decided = dry, digest, digest != ""
		return control.AskUnprotect(ctx, hub, ask)
	})
	return c.report(s, done, err, baring)
}

var errNotLoosened = errors.New("this removes the guard, and there is no terminal to ask on; check the change with --dry-run, then use --yes")

// loosen makes a change of a client's file that removes guards. It is shown and confirmed like an approval, and bound to the file as shown.
// change makes it, if it is not dry and digest is that of a file that a person has confirmed, or there is nothing to confirm.
func loosen(ctx context.Context, s streams, what string, yes, dry bool, change func(dry bool, digest string) (control.Protected, error)) (control.Protected, error) {
	done, err := change(dry, "")
	if dry || !hubError(err, control.CodeLoosens) {
		return done, err
	}
	shown, err := change(true, "")
	if err != nil {
		return shown, err
	}
	if !yes {
		if !interactive(s) {
			return shown, errNotLoosened
		}
		newPage(streams{out: s.err}).diff(shown.Diff)
		if err := answered(ctx, s, what+". Continue? [y/N] ", "y"); err != nil {
			return shown, err
		}
	}
	return change(false, shown.Digest)
}

// codeOf is the exit code of an error, usually a hub's.
func codeOf(err error) int {
	switch {
	case err == nil:
		return exitFine
	case errors.Is(err, errNoTerminal), errors.Is(err, errNotLoosened):
		return exitUsage
	case hubError(err, control.CodeNotHere), hubError(err, control.CodeDescends), hubError(err, control.CodeLoosens):
		return exitPerson
	}
	return exitFailed
}

// An edit is the effect of a command on entries, in words.
type edit struct {
	did, none string // "3 entries DID", "nothing to change: NONE"
	restart   string
}

var (
	guarding = edit{did: "now guarded", none: "every entry that can be guarded already is",
		restart: "Restart the client so that it reads its file. You review each server once, the first time it runs."}
	baring = edit{did: "no longer guarded", none: "no entry runs through Sallyport",
		restart: "Restart the client so that it reads its file."}
)

// report prints what happened to a client's file. Anything asked for by name and not done is a failure.
func (c clientFileFlags) report(s streams, done control.Protected, err error, e edit) (int, error) {
	if err != nil {
		return codeOf(err), err
	}
	if done.Written {
		s.did("the file was changed")
	}
	code, err := c.undone(done)
	switch {
	case c.JSON:
		if failed := writeJSON(s.out, done); failed != nil {
			return exitFailed, failed
		}
	case c.DryRun:
		// The diff goes to standard output alone: it can be kept, or read by a program.
		newPage(s).diff(done.Diff)
		newPage(streams{out: s.err}).leftOut(done)
	default:
		p := newPage(s)
		p.protected(done, e)
		if changedEntries(done) > 0 && done.Written {
			p.Prose("", e.restart)
		}
	}
	return code, err
}

// undone reports what was asked for by name and not done.
func (c clientFileFlags) undone(done control.Protected) (code int, err error) {
	var undone []string
	for _, entry := range done.Entries {
		if slices.Contains(c.Name, entry.Name) && (entry.State == control.EntryLeft || entry.State == control.EntryMissing) {
			undone = append(undone, fmt.Sprintf("%q (%s)", entry.Name, entry.Why))
		}
	}
	if len(undone) > 0 {
		return exitFailed, fmt.Errorf("not done: %s", strings.Join(undone, ", "))
	}
	return exitFine, nil
}

// changedEntries is how many entries of a file were changed.
func changedEntries(done control.Protected) (n int) {
	for _, entry := range done.Entries {
		if entry.State == control.EntryWrapped || entry.State == control.EntryUnwrapped {
			n++
		}
	}
	return n
}

// protected reports what happened to each entry, and how to undo it.
func (p *page) protected(done control.Protected, e edit) {
	p.Printf("%s\n", terminal.Text(done.Path))
	p.entries(done.Entries)
	changed := changedEntries(done)
	switch {
	case changed > 0 && done.Written:
		p.Printf("%s.\n", p.Paint(terminal.Green, fmt.Sprintf("%s %s", entries(changed), e.did)))
		if done.Note != "" {
			p.Prose("", terminal.Text(done.Note))
		}
	case done.Note != "":
		p.Printf("%s\n", terminal.Text(done.Note))
	default:
		p.Printf("nothing to change: %s\n", e.none)
	}
	p.undo(done)
}

// undo says how to undo a change of a client's file.
func (p *page) undo(done control.Protected) {
	if done.Backup != "" {
		p.Printf("To undo: sallyport backups restore %s\n", terminal.Text(done.Backup))
	}
}

// entries prints what became of each entry, the names in a column of their own.
func (p *page) entries(all []control.ClientEntry) {
	names := make([]string, len(all))
	for i, entry := range all {
		names[i] = entry.Name
	}
	wide := widest(names)
	for _, entry := range all {
		words := map[string]string{
			control.EntryGuarded: "already guarded", control.EntryWrapped: "guarded", control.EntryUnwrapped: "guard removed",
			control.EntryOpen: "not guarded", control.EntryLeft: "not changed", control.EntryFake: "only looks guarded", control.EntryMissing: "not in the file",
		}[entry.State]
		if words == "" {
			words = terminal.Text(entry.State)
		}
		if entry.Why != "" {
			words += ": " + terminal.Text(entry.Why)
		}
		p.inColumns(wide, entry.Name, words)
	}
}

// inColumns prints the name of an entry in a column of this width, and words after it.
func (p *page) inColumns(wide int, entry, words string) {
	name := terminal.Entry(entry)
	p.Hang("  "+name+strings.Repeat(" ", max(wide-terminal.Width(name), 0))+"  ", strings.Repeat(" ", wide+4), words)
}

// widest is the width of a column of names; an unusually long name sticks out.
func widest(names []string) (wide int) {
	for _, name := range names {
		if w := terminal.Width(terminal.Entry(name)); w <= 24 {
			wide = max(wide, w)
		}
	}
	return wide
}

// leftOut names, next to a diff, what is not in it.
func (p *page) leftOut(done control.Protected) {
	p.entries(slices.DeleteFunc(slices.Clone(done.Entries), func(entry control.ClientEntry) bool {
		return entry.State != control.EntryLeft && entry.State != control.EntryFake && entry.State != control.EntryMissing
	}))
	switch {
	case done.Note != "":
		p.Printf("%s\n", terminal.Text(done.Note))
	case done.Diff == "":
		p.Printf("nothing to change\n")
	}
}

// diff prints a unified diff of a client's file. Its lines are not ours, so each is escaped; they are not wrapped, or it would no longer be
// a diff.
func (p *page) diff(unified string) {
	for line := range strings.Lines(unified) {
		look := terminal.Style("")
		switch {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"):
			look = terminal.Bold
		case strings.HasPrefix(line, "@@"):
			look = terminal.Cyan
		case strings.HasPrefix(line, "+"):
			look = terminal.Green
		case strings.HasPrefix(line, "-"):
			look = terminal.Red
		}
		shown := legible.Escape(strings.TrimSuffix(line, "\n"))
		if look != "" {
			shown = p.Paint(look, shown)
		}
		p.Printf("%s\n", shown)
	}
}

func entries(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", n)
}
