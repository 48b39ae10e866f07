package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/fsnotify/fsnotify"
	"github.com/sallyport/sallyport/app/follow"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/disk"
	"github.com/sallyport/sallyport/proxy/policy"
)

// readSettingsFile reads settings.json, nil if there is none.
func readSettingsFile(path string) ([]byte, error) {
	raw, err := disk.Read(path, policy.MaxDocument+1)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	return raw, nil
}

// writeSettings writes settings.json whole or not at all. It never overwrites an edit made since the file was last read: that comes first.
func (k *Keeper) writeSettings(doc policy.Document) ([]byte, error) {
	path := k.opts.Home.Settings
	now, err := readSettingsFile(path)
	if err != nil {
		return nil, err
	}
	if string(now) != string(k.settings.raw) {
		return nil, office.Answer(control.CodeStale, "settings.json was just edited: check it again")
	}
	raw := doc.Marshal()
	if err := disk.WriteWhole(path, raw); err != nil {
		return nil, fmt.Errorf("write settings: %w", err)
	}
	return raw, nil
}

// WatchSettings follows hand edits of settings.json. It watches the folder, because editors replace the file.
func (k *Keeper) WatchSettings() {
	watcher, err := fsnotify.NewWatcher()
	if err == nil {
		defer watcher.Close()
		err = watcher.Add(filepath.Dir(k.opts.Home.Settings))
	}
	if err != nil {
		k.office.Lock()
		k.office.Problem(office.ProblemSettingsWatch, "can't watch settings.json: "+err.Error(), "restart the hub after you edit it")
		k.office.Unlock()
		return
	}
	follow.Files{
		Settle: k.opts.Settle, Closing: k.opts.Closing, // half a file would look like loosening
		Matters: func(file string) bool { return filepath.Base(file) == filepath.Base(k.opts.Home.Settings) },
		Look: func() {
			k.office.Lock()
			defer k.office.Unlock()
			if !k.office.Leaving() {
				if err := k.ReadSettings(); err != nil {
					k.office.Failed(err)
				}
			}
		},
	}.Run(watcher)
}
