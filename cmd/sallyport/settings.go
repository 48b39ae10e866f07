package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/control"
)

type settingsCommand struct {
	List settingsListCommand `cmd:"" default:"withargs" help:"List every setting with its value and where it comes from."`
	Get  settingsGetCommand  `cmd:"" help:"Print the value of one setting."`
	Set  settingsSetCommand  `cmd:"" three:"not decided here: the loosening is in the inbox" help:"Change one setting. Asks before loosening anything."`
}

type settingsScope struct {
	jsonFlag
	Server string `placeholder:"S" complete:"server" help:"For this server."`
	Tool   string `placeholder:"T" help:"For this tool of the server."`
}

func (c settingsScope) query(key string) (control.SettingQuery, error) {
	if c.Tool != "" && c.Server == "" {
		return control.SettingQuery{}, errors.New("--tool needs --server")
	}
	return control.SettingQuery{Key: key, Server: c.Server, Tool: c.Tool}, nil
}

type settingsListCommand struct{ settingsScope }

func (c settingsListCommand) run(ctx context.Context, s streams) (int, error) {
	settings, code, err := askSettings(ctx, c.settingsScope, "")
	if err != nil {
		return code, err
	}
	if c.JSON {
		return exitFine, writeJSON(s.out, listOf(settings))
	}
	p := newPage(s)
	for _, setting := range settings {
		from := "default"
		if setting.From != "default" {
			from = fmt.Sprintf("from %s; default %s", terminal.Text(setting.From), terminal.Text(setting.Default))
		}
		p.Printf("%s = %s  %s\n", p.Paint(terminal.Bold, terminal.Text(setting.Key)), terminal.Text(setting.Value), p.Paint(terminal.Dim, "("+from+")"))
		p.Prose("    ", setting.Doc)
	}
	return exitFine, nil
}

type settingsGetCommand struct {
	settingsScope
	Key string `arg:"" complete:"setting" help:"Name of the setting, such as pins.recheck."`
}

func (c settingsGetCommand) run(ctx context.Context, s streams) (int, error) {
	settings, code, err := askSettings(ctx, c.settingsScope, c.Key)
	if err != nil {
		return code, err
	}
	if len(settings) == 0 {
		return exitFailed, errors.New("no such setting; run \"sallyport settings list\" to see them")
	}
	if c.JSON {
		return exitFine, writeJSON(s.out, settings[0])
	}
	newPage(s).Printf("%s\n", terminal.Text(settings[0].Value))
	return exitFine, nil
}

func askSettings(ctx context.Context, scope settingsScope, key string) ([]control.Setting, int, error) {
	query, err := scope.query(key)
	if err != nil {
		return nil, exitUsage, err
	}
	hub, err := dial(ctx)
	if err != nil {
		return nil, exitFailed, err
	}
	defer hub.Close()
	settings, err := control.AskSettings(ctx, hub, query)
	return settings, exitFailed, err
}

type settingsSetCommand struct {
	settingsScope
	Key   string `arg:"" complete:"setting" help:"Name of the setting, such as pins.recheck."`
	Value string `arg:"" help:"The new value. Write durations as 30s, 5m or 0; a bare number is seconds. An empty value ('') restores the default."`
	Yes   bool   `help:"Answer yes to every question."`
}

func (c settingsSetCommand) run(ctx context.Context, s streams) (int, error) {
	query, err := c.query(c.Key)
	if err != nil {
		return exitUsage, err
	}
	query.Value = c.Value
	hub, err := dial(ctx)
	if err != nil {
		return exitFailed, err
	}
	defer hub.Close()
	setting, err := control.AskSetSetting(ctx, hub, query)
	if hubError(err, control.CodeLoosens) && hub.Welcome().CLIApproval {
		if !c.Yes {
			if !interactive(s) {
				return exitUsage, errors.New("this makes things less safe, and there is no terminal to ask on; use --yes if you want it")
			}
			question := fmt.Sprintf("This makes things less safe: %s = %s. Change it? [y/N] ", terminal.Text(c.Key), cmp.Or(terminal.Text(c.Value), "its default"))
			if err := answered(ctx, s, question, "y"); err != nil {
				return exitFailed, err
			}
		}
		query.Decided = true
		setting, err = control.AskSetSetting(ctx, hub, query)
	}
	switch {
	case hubError(err, control.CodeLoosens), hubError(err, control.CodeNotHere), hubError(err, control.CodeDescends):
		return exitPerson, err
	case err != nil:
		return exitFailed, err
	}
	s.did("it was set")
	if setting.Key == "sandbox" && setting.Value != "off" {
		if _, unable := trySandbox(ctx); unable != nil {
			fmt.Fprintf(s.err, "SP-140: %s; until then these servers are not started\n", plain(unable))
		}
	}
	if c.JSON {
		return exitFine, writeJSON(s.out, setting)
	}
	newPage(s).Printf("%s = %s\n", terminal.Text(setting.Key), terminal.Text(setting.Value))
	return exitFine, nil
}
