package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/policy"
)

type settingsCommand struct {
	List settingsListCommand `cmd:"" default:"withargs" help:"List every setting with its value and where it comes from."`
	Get  settingsGetCommand  `cmd:"" help:"Print the value of one setting."`
	Set  settingsSetCommand  `cmd:"" three:"not decided here: the loosening is in the inbox" help:"Change one setting. Asks before loosening anything."`
}

type settingsScope struct {
	jsonFlag
	Server narrow `placeholder:"S" complete:"server" help:"For this server."`
	Tool   narrow `placeholder:"T" help:"For this tool of the server."`
}

func (c settingsScope) check() error {
	if c.Tool != "" && c.Server == "" {
		return errors.New("--tool needs --server")
	}
	return nil
}

func (c settingsScope) query(key string) control.SettingQuery {
	return control.SettingQuery{Key: key, Server: string(c.Server), Tool: string(c.Tool)}
}

type settingsListCommand struct{ settingsScope }

func (c settingsListCommand) ask(ctx context.Context, s streams, hub *control.Client) (int, error) {
	settings, err := control.AskSettings(ctx, hub, c.query(""))
	if err != nil {
		return exitFailed, err
	}
	return exitFine, c.print(s, listOf(settings), func(p *page) {
		for _, setting := range settings {
			from := "default"
			if setting.From != "default" {
				from = fmt.Sprintf("from %s; default %s", terminal.Text(setting.From), terminal.Text(setting.Default))
			}
			p.Printf("%s = %s  %s\n", p.Paint(terminal.Bold, terminal.Text(setting.Key)), terminal.Text(setting.Value), p.Paint(terminal.Dim, "("+from+")"))
			p.Prose("    ", setting.Doc)
		}
	})
}

type settingsGetCommand struct {
	settingsScope
	Key string `arg:"" complete:"setting" help:"Name of the setting, such as pins.recheck."`
}

var errNoSetting = errors.New("no such setting; run \"sallyport settings list\" to see them")

func (c settingsGetCommand) ask(ctx context.Context, s streams, hub *control.Client) (int, error) {
	if c.Key == "" { // to the hub that means all of them
		return exitUsage, errNoSetting
	}
	settings, err := control.AskSettings(ctx, hub, c.query(c.Key))
	if err != nil {
		return codeOfSetting(c.Key, err), err
	}
	if len(settings) == 0 {
		return exitUsage, errNoSetting
	}
	return exitFine, c.print(s, settings[0], func(p *page) { p.Printf("%s\n", terminal.Text(settings[0].Value)) })
}

type settingsSetCommand struct {
	settingsScope
	Key   string `arg:"" complete:"setting" help:"Name of the setting, such as pins.recheck."`
	Value string `arg:"" help:"The new value. Write durations as 30s, 5m or 0; a bare number is seconds. An empty value ('') restores the default."`
	Yes   bool   `help:"Answer yes to every question."`
}

func (c settingsSetCommand) ask(ctx context.Context, s streams, hub *control.Client) (int, error) {
	query := c.query(c.Key)
	query.Value = c.Value
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
	if err != nil {
		return codeOfSetting(c.Key, err), err
	}
	s.did("it was set")
	if setting.Key == "sandbox" && setting.Value != "off" {
		if _, unable := trySandbox(ctx); unable != nil {
			fmt.Fprintf(s.err, "SP-140: %s; until then these servers are not started\n", plain(unable))
		}
	}
	return exitFine, c.print(s, setting, func(p *page) { p.Printf("%s = %s\n", terminal.Text(setting.Key), terminal.Text(setting.Value)) })
}

// codeOfSetting is the exit code for an error about one setting: wrong usage if there is no such setting, or the value is none of it, or can't
// be set there. A guardrail provider that fails the trial before it is switched on was used rightly, and failed.
func codeOfSetting(key string, err error) int {
	_, known := policy.Lookup(key)
	if hubError(err, control.CodeBadRequest) || hubError(err, control.CodeNotFound) && !known {
		return exitUsage
	}
	return codeOf(err)
}
