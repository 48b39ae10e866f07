package removal

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/disk"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

// Program is the command that goes.
type Program struct {
	File  os.FileInfo // what runs; every path that leads to it is the command
	Paths []string    // paths that are the command even where its user can't look
}

// is reports whether a command of an entry is this program. A name without a folder could be any installation's.
func (p Program) is(command string) bool {
	if !filepath.IsAbs(command) {
		return false
	}
	if slices.Contains(p.Paths, filepath.Clean(command)) {
		return true
	}
	info, err := os.Stat(command)
	return err == nil && p.File != nil && os.SameFile(info, p.File)
}

// Report is what happened to a client's file that had wrappers.
type Report struct {
	Path    string `json:"path"`
	Entries int    `json:"entries"`       // no longer guarded
	Why     string `json:"why,omitempty"` // why a wrapper is, or could be, left
}

// TakeOut takes the program's wrappers out of the files of the person whose home this is: those where clients keep their servers, and those
// that were ever changed. It reports only files that had wrappers, or could have.
func TakeOut(s clientconfig.System, home control.Home, program Program) ([]Report, error) {
	info, err := os.Lstat(home.Dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() || errors.Is(disk.CheckFolder(home.Dir), disk.ErrNotOurs) {
		return nil, nil // no record of ours
	}
	if err != nil {
		return nil, fmt.Errorf("look at the folder %s: %w", home.Dir, err)
	}
	backups := &clientconfig.Backups{Dir: home.Backups}
	files, err := find(s, backups)
	if err != nil {
		return nil, fmt.Errorf("read the backups: %w", err)
	}
	var all []Report
	for _, f := range files {
		if r := f.takeOut(program, backups); r.Entries > 0 || r.Why != "" {
			all = append(all, r)
		}
	}
	return all, nil
}

// file is a client's file, or was one when it was changed.
type file struct {
	path   string
	client string // "" if only the wrappers in it tell
	edited bool   // a backup shows that Sallyport changed it
}

func find(s clientconfig.System, backups *clientconfig.Backups) (files []file, err error) {
	kept, err := backups.List()
	if err != nil {
		return nil, err
	}
	edited := map[string]bool{}
	for _, b := range kept {
		edited[b.Path] = true
	}
	for _, place := range clientconfig.Places(s) {
		if !slices.ContainsFunc(files, func(f file) bool { return f.path == place.Path }) {
			files = append(files, file{place.Path, place.Client, edited[place.Path]})
			delete(edited, place.Path)
		}
	}
	for _, b := range kept {
		if edited[b.Path] && filepath.IsAbs(b.Path) {
			files = append(files, file{b.Path, "", true})
			delete(edited, b.Path)
		}
	}
	return files, nil
}

func (f file) takeOut(program Program, backups *clientconfig.Backups) Report {
	done := Report{Path: f.path}
	was, err := clientconfig.Read(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist), err != nil && !f.edited:
		return done // its client can't read it either, and Sallyport never wrote it
	case err != nil:
		done.Why = err.Error()
		return done
	}
	now, left, broken := was, []string(nil), error(nil)
	for _, client := range f.clients() {
		format := clientconfig.FormatOf(client)
		read, err := clientconfig.Parse(now, format)
		if err != nil {
			broken = errors.Join(broken, err)
			continue
		}
		broken = nil
		var commands []string
		names := map[string][]string{}
		for _, e := range read.Entries {
			if program.is(e.Command) && (f.client != "" || startedBy(e.Args, client)) {
				if names[e.Command] == nil {
					commands = append(commands, e.Command)
				}
				names[e.Command] = append(names[e.Command], e.Name)
			}
		}
		for _, command := range commands {
			by := clientconfig.Installation{Path: command, Client: client}
			records, err := clientconfig.Recover(f.path, now, format, by, backups)
			if err != nil {
				return Report{Path: f.path, Why: err.Error()}
			}
			result, err := clientconfig.Unwrap(now, format, names[command], by, records)
			if err != nil {
				return Report{Path: f.path, Why: err.Error()}
			}
			for _, o := range result.Outcomes {
				if o.Did == clientconfig.DidUnwrap {
					done.Entries++
					continue
				}
				why := entry(o.Name) + " is left"
				if o.Why != "" {
					why += ": " + o.Why
				}
				left = append(left, why)
			}
			now = result.Raw
		}
		if f.client == "" && len(commands) > 0 {
			break
		}
	}
	if broken != nil && bytes.Contains(bytes.ToLower(was), []byte("sallyport")) {
		first, _, _ := strings.Cut(broken.Error(), "\n")
		done.Why = "its servers can't be told: " + first
		return done
	}
	if !bytes.Equal(was, now) {
		if _, err := write(f.path, was, now, backups); err != nil {
			return Report{Path: f.path, Why: strings.TrimPrefix(err.Error(), f.path+": ")}
		}
	}
	done.Why = strings.Join(left, "; ")
	return done
}

func write(path string, was, now []byte, backups *clientconfig.Backups) (clientconfig.Backup, error) {
	if err := disk.OwnFolder(backups.Dir); err != nil {
		return clientconfig.Backup{}, err
	}
	return clientconfig.Write(path, was, now, backups)
}

// clients are those whose file this can be.
func (f file) clients() (ids []string) {
	if f.client != "" {
		return []string{f.client}
	}
	for _, row := range clientconfig.Rows() {
		ids = append(ids, row.ID)
	}
	return ids
}

// startedBy reports whether the arguments of a wrapper name this client.
func startedBy(args []string, client string) bool {
	at := slices.Index(args, "--client")
	return at >= 0 && at+1 < len(args) && args[at+1] == client
}

// entry is an entry in a sentence.
func entry(name string) string {
	if name = legible.Name(name, ""); name == "" {
		return "an entry"
	}
	return "entry " + name
}
