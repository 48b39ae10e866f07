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

// loadedRules are a rule file that has loaded; one without a path stands for none.
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
		// A decoder's words may hold what stands in the file.
		return nil, nil, errors.New(office.OneLine(legible.Escape(err.Error())))
	}
	return raw, file, nil
}

// readRules reads no more of a file than a rule file may have. What is no file of a disk is not read: a pipe has no end, and
// to open some devices does something.
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

// rulesToSet loads the file that a value of inspect.rules names, before anything is changed. A value that is none is the
// settings' to refuse.
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
