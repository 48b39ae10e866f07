package extensions

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// What is pinned of one extension. A larger one is named, and not pinned.
const (
	maxFiles = 100_000 // folders and links counted too
	maxBytes = 512 << 20
)

// contents is what the folder of an extension holds.
type contents struct {
	list    []byte // a line for each file, by path: the SHA-256 of its content, and its path as a Go string
	digest  string // SHA-256 of list, "" if it can't be pinned
	files   int
	bytes   int64
	folders []string // absolute, with the extension's own first
	links   []string // what is neither a file nor a folder: the thing itself is in list, and what it leads to isn't
	problem string   // why it can't be pinned
}

// A reader reads folders, and files only if they look different from last time.
type reader struct {
	known map[string]hashed   // by absolute path
	inner map[string][]string // the folders in each extension's, by that
	most  int                 // files of one extension
}

func newReader() *reader {
	return &reader{known: map[string]hashed{}, inner: map[string][]string{}, most: maxFiles}
}

// folders are the folders of all extensions that were read, and that still exist.
func (r *reader) folders() (all []string) {
	for folder, inner := range r.inner {
		if _, err := os.Lstat(folder); err != nil {
			delete(r.inner, folder)
			continue
		}
		all = append(all, inner...)
	}
	return all
}

type hashed struct {
	stamp stamp
	sum   string
}

// errTooMuch ends a walk.
var errTooMuch = errors.New("too much")

// read lists a folder. It follows no link.
func (r *reader) read(folder string) contents {
	var c contents
	var lines []string
	seen := map[string]hashed{}
	entries := 0
	root, err := os.OpenRoot(folder)
	if err != nil {
		return contents{problem: "Sallyport can't read its folder"}
	}
	defer root.Close()
	err = fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it is being replaced; there will be another look
		}
		if err != nil {
			return err
		}
		if entries++; entries > r.most {
			c.problem = fmt.Sprintf("it has more than %d files", r.most)
			return errTooMuch
		}
		switch d.Type() {
		case fs.ModeDir:
			c.folders = append(c.folders, filepath.Join(folder, filepath.FromSlash(path)))
		case 0:
			one, size, err := r.file(root, folder, path, maxBytes-c.bytes)
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if errors.Is(err, errTooMuch) {
				c.problem = fmt.Sprintf("its files have more than %d MiB", maxBytes>>20)
			}
			if err != nil {
				return err
			}
			c.files++
			c.bytes += size
			seen[filepath.Join(folder, path)] = one
			lines = append(lines, one.sum+" "+strconv.Quote(path))
		default:
			to, _ := root.Readlink(path)
			c.links = append(c.links, path)
			lines = append(lines, d.Type().String()+strconv.Quote(to)+" "+strconv.Quote(path))
		}
		return nil
	})
	for path := range r.known {
		if strings.HasPrefix(path, folder+string(filepath.Separator)) {
			delete(r.known, path)
		}
	}
	for path, one := range seen {
		r.known[path] = one
	}
	r.inner[folder] = c.folders
	if err != nil && c.problem == "" {
		c.problem = "Sallyport can't read all of its files"
	}
	if c.problem != "" {
		return c
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(pathOf(a), pathOf(b)) })
	c.list = []byte(strings.Join(lines, "\n") + "\n")
	c.digest = sumOf(c.list)
	return c
}

// file hashes one file, of at most this many bytes.
func (r *reader) file(root *os.Root, folder, path string, most int64) (one hashed, size int64, err error) {
	info, err := root.Lstat(path)
	if err != nil {
		return one, 0, err
	}
	if info.Size() > most {
		return one, 0, errTooMuch
	}
	now, comparable := stampOf(info)
	if known, ok := r.known[filepath.Join(folder, path)]; ok && comparable && known.stamp == now {
		return known, info.Size(), nil
	}
	file, err := root.OpenFile(path, os.O_RDONLY|withoutWaiting, 0)
	if err != nil {
		return one, 0, err
	}
	defer file.Close()
	if info, err = file.Stat(); err == nil && !info.Mode().IsRegular() {
		err = errors.New("something else took its place")
	}
	if err != nil {
		return one, 0, err
	}
	now, _ = stampOf(info) // before it is read: a later change has another stamp
	sum := sha256.New()
	size, err = io.Copy(sum, io.LimitReader(file, most+1))
	if err == nil && size > most {
		err = errTooMuch
	}
	return hashed{now, hex.EncodeToString(sum.Sum(nil))}, size, err
}

func sumOf(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// pathOf is the path, as a Go string, in a line of a list: such a string has no quote after a blank.
func pathOf(line string) string {
	return line[strings.LastIndex(line, ` "`)+1:]
}

// A difference is a file that isn't as it was accepted.
type difference struct {
	path string
	gone bool
	anew bool
}

// differences compares two lists.
func differences(was, now []byte) (all []difference) {
	before := byPath(was)
	for path, line := range byPath(now) {
		old, known := before[path]
		delete(before, path)
		if !known || old != line {
			all = append(all, difference{path: path, anew: !known})
		}
	}
	for path := range before {
		all = append(all, difference{path: path, gone: true})
	}
	slices.SortFunc(all, func(a, b difference) int { return strings.Compare(a.path, b.path) })
	return all
}

func byPath(list []byte) map[string]string {
	all := map[string]string{}
	for line := range bytes.Lines(list) {
		line := strings.TrimSuffix(string(line), "\n")
		if path, err := strconv.Unquote(pathOf(line)); err == nil {
			all[path] = line
		}
	}
	return all
}
