package main

import (
	"context"
	"strconv"
	"strings"

	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/control"
)

type backupsCommand struct {
	List    backupsListCommand    `cmd:"" default:"withargs" help:"List the backups of client files, made before each change."`
	Restore backupsRestoreCommand `cmd:"" three:"not decided here: decide in the window" help:"Restore a backup. The current file is backed up first."`
}

type backupsListCommand struct{ jsonFlag }

func (c backupsListCommand) ask(ctx context.Context, s streams, hub *control.Client) (int, error) {
	kept, err := control.AskBackups(ctx, hub)
	if err != nil {
		return exitFailed, err
	}
	return exitFine, c.print(s, listOf(kept), func(p *page) {
		if len(kept) == 0 {
			p.Printf("No backups yet. Sallyport makes one before each change of a client's file.\n")
			return
		}
		rows := make([][]string, len(kept))
		for i, b := range kept {
			rows[i] = []string{terminal.Text(b.ID), terminal.Clock(b.Time), strconv.FormatInt(b.Size, 10), terminal.Short(b.Path, 80)}
		}
		p.Table(strings.Fields("ID KEPT BYTES FILE"), rows)
		p.Printf("\nTo restore one: sallyport backups restore ID\n")
	})
}

type backupsRestoreCommand struct {
	jsonFlag
	ID     string `arg:"" help:"ID of the backup, or the start of it."`
	DryRun bool   `name:"dry-run" help:"Print the change as a unified diff and write nothing."`
	Yes    bool   `help:"Answer yes to every question."`
}

func (c backupsRestoreCommand) ask(ctx context.Context, s streams, hub *control.Client) (int, error) {
	what := "This may remove guards: the current file is replaced"
	done, err := loosen(ctx, s, what, c.Yes, c.DryRun, func(dry bool, digest string) (control.Protected, error) {
		return control.AskRestoreBackup(ctx, hub, control.RestoreBackup{ID: c.ID, DryRun: dry, Digest: digest, Decided: digest != ""})
	})
	if err != nil {
		return codeOf(err), err
	}
	if done.Written {
		s.did("the file was put back")
	}
	return exitFine, c.print(s, done, func(p *page) {
		switch {
		case c.DryRun:
			p.diff(done.Diff)
		case done.Written:
			p.Printf("put back: %s\n", terminal.Text(done.Path))
			p.undo(done)
		default:
			p.Printf("nothing to change: %s is already the same as this backup\n", terminal.Text(done.Path))
		}
	})
}
