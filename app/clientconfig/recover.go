package clientconfig

import (
	"path/filepath"
	"slices"
)

// Recover rebuilds records for wrapped entries of a file from its backups, to remove wrappers when no hub with the records is left. An
// entry whose command is in no backup gets none; Unwrap then uses its arguments.
func Recover(path string, raw []byte, format Format, by Installation, backups *Backups) ([]Record, error) {
	f, err := Parse(raw, format)
	if err != nil {
		return nil, err
	}
	missing := map[string]Class{}
	for _, e := range f.Entries {
		if c := Classify(e.unmarked(), by, nil); (c.Kind == Wrapped || c.Kind == LooksWrapped) && c.Behind() {
			missing[e.Name] = c
		}
	}
	kept, err := backups.List()
	if err != nil {
		return nil, err
	}
	var records []Record
	for _, b := range kept {
		if absolute, err := filepath.Abs(path); len(missing) == 0 || err != nil || b.Path != absolute {
			continue
		}
		text, err := backups.Text(b)
		if err != nil {
			continue // an older copy may work
		}
		before, err := Parse(text, format)
		if err != nil {
			continue
		}
		for name, behind := range missing { // a copy of what a project shares: it was not there before
			now, _ := f.Entry(name)
			if _, there := before.Entry(name); !there && now.Project != "" && hasFolder(before, now.Project) {
				record := recordOf(now, by)
				record.Argv, record.Shared = behind.Inner, "copied"
				record.Inside, record.Fresh = insideOf(before, now.Project)
				if behind.Address != nil {
					record.URL, record.Flags = behind.Address.URL, behind.Address.Flags()
				}
				records = append(records, record)
				delete(missing, name)
			}
		}
		for _, e := range before.Entries {
			behind, wanted := missing[e.Name]
			switch {
			case !wanted || e.unmarked().Odd != "":
				continue
			case behind.Address != nil:
				if e.URL == "" || e.left != "" || !e.address.equal(*behind.Address) {
					continue
				}
			case e.URL != "" || !slices.Equal(e.Argv(), behind.Inner):
				continue
			}
			_, record := before.wrapEntry(e, by)
			records = append(records, record)
			delete(missing, e.Name)
		}
	}
	return records, nil
}

// Adopt makes records for the named entries, which somebody else wrapped as Wrap would have. Their original spelling is the result of
// Unwrap.
func Adopt(raw []byte, format Format, names []string, by Installation) ([]Record, error) {
	unwrapped, err := Unwrap(raw, format, names, by, nil)
	if err != nil {
		return nil, err
	}
	bare, err := Parse(unwrapped.Raw, format)
	if err != nil {
		return nil, err
	}
	var records []Record
	for _, o := range unwrapped.Outcomes {
		if e, ok := bare.Entry(o.Name); ok && o.Did == DidUnwrap {
			_, record := bare.wrapEntry(e, by)
			records = append(records, record)
		}
	}
	return records, nil
}
