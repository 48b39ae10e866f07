package main

import (
	"fmt"
	"os"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/app/clientedit"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/disk"
)

// Changes to a client's file without a hub: a preview of protect, and all of unprotect, because removing Sallyport must work even if the
// installation is broken.

// readAlone reads the file that a person asks to change.
func readAlone(ask control.Protect, program string) (clientedit.Edit, error) {
	path, client, err := clientedit.Path(clientconfig.ThisSystem(), ask.Client, ask.Config)
	if err != nil {
		return clientedit.Edit{}, err
	}
	e, err := clientedit.Read(path, clientconfig.FormatOf(client), clientconfig.Installation{Path: program, Client: client})
	if err != nil {
		return e, clientedit.Unread(client, path, ask.Config != "", err)
	}
	return e, nil
}

// protectAlone says what protect would do.
func protectAlone(ask control.Protect) (control.Protected, error) {
	e, err := readAlone(ask, ask.Program)
	if err != nil {
		return control.Protected{}, err
	}
	if ask.Add != nil {
		done, _, err := e.Add(ask.Names, *ask.Add)
		return done, err
	}
	if ask.Convert != "" {
		done, _, err := e.Convert(clientconfig.ThisSystem(), ask.Convert, ask.Set)
		return done, err
	}
	done, result, err := e.Guard(named(ask))
	if err == nil && !ask.DryRun {
		err = e.Missing(result)
	}
	return done, err
}

// unprotectAlone removes wrappers from a file. The store, which knows how entries were spelled, is not open now; the backups know it too.
func unprotectAlone(ask control.Protect) (control.Protected, error) {
	program, err := os.Executable()
	if err != nil {
		return control.Protected{}, fmt.Errorf("find this program: %w", err)
	}
	e, err := readAlone(ask, program)
	if err != nil {
		return control.Protected{}, err
	}
	home, err := control.FindHome(os.Getenv)
	if err != nil {
		return control.Protected{}, err
	}
	backups := &clientconfig.Backups{Dir: home.Backups}
	if e.Records, err = clientconfig.Recover(e.Path, e.Raw, e.File.Format, e.By, backups); err != nil {
		return control.Protected{}, fmt.Errorf("read the backups: %w", err)
	}
	done, result, err := e.Unguard(named(ask))
	if err != nil || ask.DryRun {
		return done, err
	}
	if err := e.Missing(result); err != nil || !result.Changed {
		return done, err
	}
	for _, dir := range []string{home.Dir, home.Backups} {
		if err := disk.OwnFolder(dir); err != nil {
			return control.Protected{}, err
		}
	}
	kept, err := clientconfig.Write(e.Path, e.Raw, result.Raw, backups)
	if err != nil {
		return control.Protected{}, err
	}
	done.Backup, done.Written = kept.ID, true
	return done, nil
}

// named is the list for clientedit: nil means every entry.
func named(ask control.Protect) []string {
	if ask.All || len(ask.Names) == 0 {
		return nil
	}
	return ask.Names
}
