package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/app/clientedit"
	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
)

// fromFile are the servers of a client's file as the client would start them: the command behind the wrapper, if there is one, with the
// entry's own environment. left are those that can't be started.
func fromFile(client, path string, names []string) (found []probeOptions, left []probeReport, err error) {
	program, err := os.Executable()
	if err != nil {
		return nil, nil, fmt.Errorf("find this program: %w", err)
	}
	by := clientconfig.Installation{Path: program, Client: client}
	f, err := clientedit.Read(path, clientconfig.FormatOf(client), by)
	if err != nil {
		return nil, nil, clientedit.Unread(client, path, true, err)
	}
	for _, name := range names {
		if _, ok := f.File.Entry(name); !ok {
			return nil, nil, fmt.Errorf("no entry %q in %s", name, f.Path)
		}
	}
	for _, entry := range f.File.Entries {
		if len(names) > 0 && !slices.Contains(names, entry.Name) {
			continue
		}
		argv := entry.Argv()
		class := clientconfig.Classify(entry, by, nil)
		if class.Address != nil && (class.Kind != clientconfig.Remote || class.Guardable()) {
			server, err := remoteEntry(entry, *class.Address, client)
			if err != nil {
				left = append(left, probeReport{Server: entry.Name, State: notLookedAt, Error: err.Error()})
			} else {
				found = append(found, server)
			}
			continue
		}
		switch class.Kind {
		case clientconfig.Wrapped, clientconfig.LooksWrapped:
			argv = class.Inner
		case clientconfig.Odd, clientconfig.Remote:
			argv = nil
		case clientconfig.Plain: // it runs what it says
		}
		if len(argv) == 0 {
			left = append(left, probeReport{Server: entry.Name, State: notLookedAt, Error: class.Why})
			continue
		}
		found = append(found, probeOptions{name: entry.Server(), argv: argv, client: client, env: entry.Environ()})
	}
	return found, left, nil
}

// remoteEntry is a remote server of a client's file, with the values of its headers as the file has them.
func remoteEntry(entry clientconfig.Entry, address clientconfig.Address, client string) (none probeOptions, err error) {
	if address.Refers() {
		return none, errors.New("the client fills in its address or one of its headers; it is looked at when the client starts it")
	}
	o, err := parseWrap(address.Flags())
	if err != nil {
		return none, err
	}
	to, err := remoteOf(o.url, o.account, o.headers, slices.Concat(address.Environ(), entry.Environ()))
	return probeOptions{name: entry.Server(), client: client, remote: &to, flag: o.transport}, err
}

// runProbeFile looks at the servers of a client's file.
func runProbeFile(ctx context.Context, c probeCommand, s streams) (int, error) {
	path, err := filepath.Abs(string(c.Config))
	if err != nil {
		return exitFailed, err
	}
	servers, reports, err := fromFile(cmp.Or(c.Client, clientconfig.ClaudeDesktop), path, c.Command)
	if err != nil {
		return exitFailed, err
	}
	code := exitFine
	if len(c.Command) > 0 && len(reports) > 0 {
		code = exitFailed // asked for by name
	}
	for i := range servers {
		servers[i].sandbox = c.Sandbox
	}
	err = lookAt(ctx, servers, func(report probeReport) {
		reports = append(reports, report)
		switch {
		case report.Error != "":
			code = exitFailed
			return
		case report.Code != "" && code == exitFine:
			code = exitPerson
		}
		if !c.JSON {
			report.say(newPage(s))
		}
	})
	if err != nil {
		return exitFailed, err
	}
	if c.JSON {
		return code, writeJSON(s.out, listOf(reports))
	}
	for _, report := range reports {
		if report.Error != "" {
			fail(s, code, "probe", fmt.Errorf("couldn't check %s: %s", terminal.Server(report.Server, ""), report.Error))
		}
	}
	if len(reports) == 0 {
		newPage(s).Printf("nothing to check: %s has no servers\n", terminal.Text(path))
	}
	return code, nil
}

// check refuses a mix of the three ways to use probe.
func (c probeCommand) check() error {
	switch {
	case c.URL != "" && (c.Config != "" || len(c.Command) > 0):
		return errors.New("--url is in place of a command and of --config")
	case c.URL != "" && c.Sandbox:
		return errors.New("--sandbox: a remote server has no program here that could be put into one")
	case c.URL == "" && len(c.Header) > 0:
		return errors.New("--header goes with --url")
	case c.URL == "" && c.Account != "":
		return errors.New("--account goes with --url")
	case c.URL != "":
		return nil
	case c.Config != "" && c.Name != "":
		return errors.New("--name goes with a command; with --config, the names come from the file")
	case c.Config == "" && len(c.Command) == 0:
		return errors.New(`no server given: use sallyport probe -- COMMAND [ARG…], sallyport probe --url URL, or sallyport probe --config PATH [NAME…]`)
	}
	return nil
}
