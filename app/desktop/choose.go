package desktop

import (
	"errors"
	"path/filepath"
	"sync"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/app/reveal"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

// FileHelp is what the page offers for a file that is missing or unreadable.
type FileHelp struct {
	Choose bool `json:"choose"` // another file can be chosen
	Show   bool `json:"show"`   // the file manager can be opened there
	Chosen bool `json:"chosen"` // the person chose this file
}

// chosenFile is the file that a person chose to replace one that is missing or broken. Until the program ends it is read as `protect
// --config` would read it; once it is protected, the hub knows it anyway.
type chosenFile struct {
	asking sync.Mutex // one dialog at a time

	mu     sync.Mutex
	client string
	path   string
}

func (c *chosenFile) query() control.CoverageQuery {
	c.mu.Lock()
	defer c.mu.Unlock()
	return control.CoverageQuery{Config: c.path, Client: c.client}
}

func (c *chosenFile) keep(client, path string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.client, c.path = client, path
}

func (c *chosenFile) is(f control.ClientFile) bool {
	q := c.query()
	return q.Config != "" && f.Path == q.Config
}

func (c *chosenFile) help(f control.ClientFile) FileHelp {
	bad := outOfReach(f)
	_, known := clientconfig.RowOf(f.Client)
	return FileHelp{Choose: bad && known, Show: bad && f.Path != "", Chosen: c.is(f)}
}

// outOfReach reports whether a file is missing or unreadable.
func outOfReach(f control.ClientFile) bool {
	return f.State == control.FileAbsent || f.State == control.FileDenied || f.State == control.FileUnreadable
}

// fileInTrouble is the missing or broken file of a client: the chosen one, or the client's own.
func (cf *clientFiles) fileInTrouble(client string, chosen bool) (control.ClientFile, error) {
	h, err := cf.engine()
	if err != nil {
		return control.ClientFile{}, err
	}
	c, err := h.Coverage(cf.chosen.query())
	if err != nil {
		return control.ClientFile{}, err
	}
	for _, f := range c.Clients {
		if f.Client == client && cf.chosen.is(f) == chosen && outOfReach(f) {
			return f, nil
		}
	}
	return control.ClientFile{}, &control.Error{Code: control.CodeNotFound, Message: "The file of this client is neither missing nor broken."}
}

// ChooseFile asks the person for the file of a client whose own is missing or broken. It returns the path used from now on, or "" if
// they chose none. The page can't name a path.
func (cf *clientFiles) ChooseFile(client string) (string, error) {
	f, err := cf.fileInTrouble(client, false)
	if err != nil {
		if f, err = cf.fileInTrouble(client, true); err != nil {
			return "", err
		}
	}
	if _, known := clientconfig.RowOf(client); !known {
		return "", &control.Error{Code: control.CodeBadRequest, Message: "Sallyport doesn't know this client."}
	}
	if !cf.chosen.asking.TryLock() {
		return "", &control.Error{Code: control.CodeUnavailable, Message: "You are already choosing a file."}
	}
	defer cf.chosen.asking.Unlock()
	path, err := cf.shell.choose("Choose the settings file of " + f.Name)
	if err != nil || path == "" {
		return "", err
	}
	if !filepath.IsAbs(path) {
		return "", &control.Error{Code: control.CodeBadRequest, Message: "That isn't a file on this computer."}
	}
	path = filepath.Clean(path)
	if legible.Escape(path) != path { // what is shown is what is written, so no name may look like another
		return "", &control.Error{Code: control.CodeBadRequest, Message: "The path of that file has characters that can't be shown. Rename it, or use `sallyport protect --config`."}
	}
	cf.chosen.keep(client, path)
	return path, nil
}

// ShowInFolder opens the file manager at a client's missing or broken file, or at the one chosen to replace it. The page can't name a
// path.
func (cf *clientFiles) ShowInFolder(client string, chosen bool) error {
	f, err := cf.fileInTrouble(client, chosen)
	if err != nil {
		return err
	}
	if !cf.shell.Visible() {
		return errUnseen
	}
	if err := cf.reveal(f.Path); err != nil {
		return &control.Error{Code: control.CodeUnavailable, Message: notShown(err, f.Path)}
	}
	return nil
}

// notShown says what the person can do if the folder of a file could not be shown.
func notShown(err error, path string) string {
	folder := legible.Escape(filepath.Dir(path))
	switch {
	case errors.Is(err, reveal.ErrNoManager):
		return "No file manager responded. Open this folder yourself: " + folder
	case errors.Is(err, reveal.ErrNoFolder):
		return "This folder doesn't exist yet: " + folder
	}
	return "Sallyport couldn't show the folder: " + err.Error() + "."
}

var errUnseen = &control.Error{Code: control.CodeUnavailable, Message: "The window is hidden."}

// choose opens the window's file dialog, unless nobody sees the window.
func (s *Shell) choose(title string) (string, error) {
	s.mu.Lock()
	w := s.window
	s.mu.Unlock()
	if w == nil || !s.Visible() {
		return "", errUnseen
	}
	path, err := w.ChooseFile(title)
	if err != nil {
		return "", &control.Error{Code: control.CodeUnavailable, Message: "Sallyport couldn't open the dialog: " + err.Error() + "."}
	}
	return path, nil
}
