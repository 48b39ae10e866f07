package settings

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/inspect/rules"
	"github.com/sallyport/sallyport/proxy/policy"
)

// KeyRules is the setting that names a rule file.
const KeyRules = "inspect.rules"

// loadedRules is a rule file that has loaded; without a path it means none.
type loadedRules struct {
	path string
	raw  []byte
	file *inspect.RuleFile // nil: the catalogue alone
}

// ReadRules reads and loads a rule file. The error is one line and says what is wrong with it.
func ReadRules(path string) (raw []byte, file *inspect.RuleFile, err error) {
	if raw, err = readRules(path); err == nil {
		file, err = inspect.LoadRules(raw)
	}
	if err != nil {
		// A decoder's error may quote the file.
		return nil, nil, errors.New(office.OneLine(legible.Escape(err.Error())))
	}
	return raw, file, nil
}

// readRules reads at most what a rule file may have. It reads only regular files: a pipe has no end, and opening some devices has side
// effects.
func readRules(path string) ([]byte, error) {
	f, err := openRegular(path)
	if err != nil {
		var where *fs.PathError
		if errors.As(err, &where) {
			err = where.Err
		}
		return nil, fmt.Errorf("it cannot be opened: %w", err)
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, rules.MaxFile+1))
	if err != nil {
		return nil, fmt.Errorf("it cannot be read: %w", err)
	}
	return raw, nil
}

var errNoFile = errors.New("it is not a file")

// rulesToSet loads the file named by a value of inspect.rules, before anything is changed. Invalid values are left for the settings to
// refuse.
func rulesToSet(value string) (*loadedRules, error) {
	s, _ := policy.Lookup(KeyRules)
	value, err := s.Parse(value)
	if err != nil || value == s.Default {
		return nil, nil
	}
	raw, file, err := ReadRules(value)
	if err != nil {
		return nil, office.Answer(control.CodeBadRequest, "%s: %s does not load, so nothing was changed: %v", KeyRules, legible.Escape(value), err)
	}
	return &loadedRules{value, raw, file}, nil
}
