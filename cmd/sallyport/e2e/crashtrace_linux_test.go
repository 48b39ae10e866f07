package e2e

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A change is what one system call did to a file or folder below the root of a trace, or a sync, or a sign.
type change struct {
	kind  changeKind
	file  int // its inode; for an entry, that of the folder
	name  string
	other string // of a rename or an exchange: the name it had
	from  int    // and the file that other names after an exchange
	to    int    // the file that name names now, 0: none
	at    int64  // of data
	data  []byte
	size  int64
	mode  fs.FileMode
	upto  int // of a sync: the changes before it that it makes durable, those that were over when it began
}

type changeKind int

const (
	isName changeKind = iota // name names to, other names from
	isData
	isSize
	isMode
	isSync
	isAsked // the person gave the command
	isAcked // and read that it succeeded
	isNothing
)

// strace, before a command, records the system calls on files of the command and its descendants.
func strace(t testing.TB, into string) []string {
	t.Helper()
	path, err := exec.LookPath("strace")
	if err != nil {
		t.Fatal("strace is missing: run build/need strace")
	}
	return []string{path, "-f", "--seccomp-bpf", "-qq", "-y", "-xx", "-s", "16777216", "-o", into, "-e", "signal=none", "-e",
		"trace=open,openat,creat,write,pwrite64,writev,pwritev,ftruncate,truncate,fallocate,fsync,fdatasync,sync_file_range,rename,renameat,renameat2,link,linkat,symlink,symlinkat,unlink,unlinkat,mkdir,mkdirat,rmdir,chmod,fchmod,fchmodat"}
}

// A tracer reads what strace wrote, and follows the files below root as the processes see them.
type tracer struct {
	root, signs string // a file below signs is opened when a command is given, and written when it reports
	told        string // what a wrapper writes to the client's pipe when it reports, in hex
	folders     map[int]map[string]int
	made        map[int]fs.FileMode // the modes that files were made with
	position    map[int]int64       // where the next write(2) goes: where a file has two writers, they name the place
	sizes       map[int]int64
	first       *snapshot // what was there at the beginning
	changes     []change
	open        map[string]began // calls that another one interrupted
}

type began struct {
	call  string
	since int
}

// newTracer looks at what is there before the trace begins.
func newTracer(t testing.TB, root, signs string) *tracer {
	t.Helper()
	tr := &tracer{root: root, signs: signs, folders: map[int]map[string]int{}, made: map[int]fs.FileMode{}, position: map[int]int64{}, sizes: map[int]int64{}, open: map[string]began{}}
	tr.first = &snapshot{texts: map[int][]byte{}}
	tr.make(0o700 | fs.ModeDir)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		info, err := d.Info()
		if err != nil || !d.IsDir() && !info.Mode().IsRegular() {
			return err
		}
		folder, name := tr.place(path)
		file := tr.make(info.Mode())
		tr.folders[folder][name] = file
		if !d.IsDir() {
			tr.first.texts[file], err = os.ReadFile(path)
			tr.sizes[file] = info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	tr.first.folders, tr.first.modes = copied(tr.folders), maps.Clone(tr.made)
	return tr
}

func (tr *tracer) make(mode fs.FileMode) int {
	file := len(tr.made) + 1
	tr.made[file] = mode
	if mode.IsDir() {
		tr.folders[file] = map[string]int{}
	}
	return file
}

// place is the folder of a path and the name in it; 0 if it is not below the root.
func (tr *tracer) place(path string) (folder int, name string) {
	rest, below := strings.CutPrefix(path, tr.root+"/")
	if !below {
		return 0, ""
	}
	folder = 1
	names := strings.Split(rest, "/")
	for _, name := range names[:len(names)-1] {
		if folder = tr.folders[folder][name]; folder == 0 {
			return 0, ""
		}
	}
	return folder, names[len(names)-1]
}

// file is the file at a path, 0 if there is none.
func (tr *tracer) file(path string) int {
	if path == tr.root {
		return 1
	}
	folder, name := tr.place(path)
	return tr.folders[folder][name]
}

// names makes a name refer to a file, or to none if it is 0.
func (tr *tracer) names(path string, file int) {
	folder, name := tr.place(path)
	tr.set(folder, name, file)
	tr.changes = append(tr.changes, change{kind: isName, file: folder, name: name, to: file})
}

func (tr *tracer) set(folder int, name string, file int) {
	if file == 0 {
		delete(tr.folders[folder], name)
		return
	}
	tr.folders[folder][name] = file
}

var (
	lineForm   = regexp.MustCompile(`^(\d+) +(.*)$`)
	resumed    = regexp.MustCompile(`^<\.\.\. \w+ resumed>(.*)$`)
	callForm   = regexp.MustCompile(`^(\w+)\((.*)\) += (-?\d+)(?:<.*>)?(?: .*)?$`)
	quotedHex  = regexp.MustCompile(`"((?:\\x[0-9a-f]{2})*)"`)
	openedHex  = regexp.MustCompile(`^(?:\w+)<((?:\\x[0-9a-f]{2})*)>`)
	lastNumber = regexp.MustCompile(`(0?\d+)$`)
)

func inHex(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		fmt.Fprintf(&b, `\x%02x`, c)
	}
	return b.String()
}

func unhex(text string) string {
	raw, _ := hex.DecodeString(strings.ReplaceAll(text, `\x`, ""))
	return string(raw)
}

func (tr *tracer) read(t testing.TB, path string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewReaderSize(f, 1<<20); ; {
		line, err := lines.ReadString('\n')
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		m := lineForm.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			t.Fatalf("strace wrote %.200q", line)
		}
		call, since := m[2], len(tr.changes)
		if head, cut := strings.CutSuffix(call, " <unfinished ...>"); cut {
			tr.open[m[1]] = began{head, since}
			tr.sign(head)
			continue
		}
		if rest := resumed.FindStringSubmatch(call); rest != nil {
			before := tr.open[m[1]]
			delete(tr.open, m[1])
			call, since = before.call+rest[1], before.since
		} else {
			tr.sign(call)
		}
		if err := tr.apply(call, since); err != nil {
			t.Fatalf("%v: %.300s", err, call)
		}
	}
}

// sign records that a command was given, or begins to report its success: with the last text it prints, because what is to be decided comes
// first.
func (tr *tracer) sign(call string) {
	kind, path := isAsked, ""
	switch {
	case strings.HasPrefix(call, "openat("):
		if m := quotedHex.FindStringSubmatch(call); m != nil {
			path = unhex(m[1])
		}
	case strings.HasPrefix(call, "write("):
		if m := openedHex.FindStringSubmatch(strings.TrimPrefix(call, "write(")); m != nil {
			kind, path = isAcked, unhex(m[1])
		}
	}
	if tr.told != "" && kind == isAcked && strings.HasPrefix(path, "pipe:") && strings.Contains(call, tr.told) {
		tr.changes = append(tr.changes, change{kind: isAcked, name: "held"})
	}
	if name, is := strings.CutPrefix(path, tr.signs+"/"); is {
		for i, c := range tr.changes {
			if c.kind == isAcked && c.name == name {
				tr.changes[i].kind = isNothing
			}
		}
		tr.changes = append(tr.changes, change{kind: kind, name: name})
	}
}

// apply applies one completed call. An unknown call on a file below the root is an error.
func (tr *tracer) apply(call string, since int) error {
	m := callForm.FindStringSubmatch(call)
	if m == nil {
		// strace detaches from a thread that ended before its first call was read.
		if strings.HasSuffix(call, "= ?") || strings.HasSuffix(call, "<detached ...>") || strings.HasPrefix(call, "+++") || strings.HasPrefix(call, "---") {
			return nil
		}
		return fmt.Errorf("not a call")
	}
	name, arguments := m[1], m[2]
	result, _ := strconv.ParseInt(m[3], 10, 64)
	if result < 0 {
		return nil
	}
	var texts []string
	for _, q := range quotedHex.FindAllStringSubmatch(arguments, -1) {
		texts = append(texts, unhex(q[1]))
	}
	opened := ""
	if o := openedHex.FindStringSubmatch(arguments); o != nil {
		opened = unhex(o[1])
	}
	if len(texts) > 0 && opened != "" && !filepath.IsAbs(texts[0]) && !strings.Contains(name, "write") {
		texts[0] = filepath.Join(opened, texts[0])
	}
	number := int64(0)
	if n := lastNumber.FindString(arguments); n != "" {
		base := 10
		if strings.Contains(name, "mod") || strings.HasPrefix(name, "mkdir") || strings.HasPrefix(name, "open") {
			base = 8
		}
		number, _ = strconv.ParseInt(n, base, 64)
	}
	switch name {
	case "open", "openat", "creat":
		return tr.opens(texts[0], arguments, fs.FileMode(number).Perm())
	case "write", "pwrite64":
		file := tr.file(opened)
		if file == 0 || tr.made[file].IsDir() {
			return nil
		}
		at := number
		if name == "write" {
			at = tr.position[file]
			tr.position[file] += result
		}
		tr.sizes[file] = max(tr.sizes[file], at+result)
		tr.changes = append(tr.changes, change{kind: isData, file: file, at: at, data: []byte(texts[len(texts)-1])[:result]})
	case "ftruncate":
		if file := tr.file(opened); file != 0 {
			tr.sizes[file] = number
			tr.changes = append(tr.changes, change{kind: isSize, file: file, size: number})
		}
	case "fsync", "fdatasync":
		if file := tr.file(opened); file != 0 {
			tr.changes = append(tr.changes, change{kind: isSync, file: file, upto: since})
		}
	case "fchmod":
		tr.chmod(opened, fs.FileMode(number).Perm())
	case "chmod", "fchmodat":
		tr.chmod(texts[0], fs.FileMode(number).Perm())
	case "mkdir", "mkdirat":
		if folder, _ := tr.place(texts[0]); folder != 0 {
			tr.names(texts[0], tr.make(0o700|fs.ModeDir))
		}
	case "unlink", "unlinkat", "rmdir":
		if tr.file(texts[0]) != 0 {
			tr.names(texts[0], 0)
		}
	case "rename", "renameat", "renameat2":
		return tr.renames(texts[0], texts[1], strings.Contains(arguments, "RENAME_EXCHANGE"))
	default:
		if tr.file(opened) != 0 || len(texts) > 0 && strings.HasPrefix(texts[0], tr.root) {
			return fmt.Errorf("a call that the replay does not know")
		}
	}
	return nil
}

func (tr *tracer) chmod(path string, to fs.FileMode) {
	if file := tr.file(path); file != 0 {
		tr.changes = append(tr.changes, change{kind: isMode, file: file, mode: tr.made[file]&fs.ModeDir | to})
	}
}

func (tr *tracer) opens(path, flags string, perm fs.FileMode) error {
	folder, _ := tr.place(path)
	if folder == 0 {
		return nil
	}
	file := tr.file(path)
	if file == 0 {
		if !strings.Contains(flags, "O_CREAT") {
			return nil // a socket, or something this trace did not create
		}
		file = tr.make(perm)
		tr.names(path, file)
	} else if strings.Contains(flags, "O_TRUNC") {
		tr.sizes[file] = 0
		tr.changes = append(tr.changes, change{kind: isSize, file: file})
	}
	if strings.Contains(flags, "O_RDWR") || strings.Contains(flags, "O_WRONLY") {
		tr.position[file] = 0
		if strings.Contains(flags, "O_APPEND") {
			tr.position[file] = tr.sizes[file]
		}
	}
	return nil
}

func (tr *tracer) renames(from, to string, exchange bool) error {
	folder, before := tr.place(from)
	target, after := tr.place(to)
	moved := tr.file(from)
	switch {
	case moved == 0 || folder == 0:
		return nil // a socket
	case folder != target:
		return fmt.Errorf("a rename into another folder")
	}
	c := change{kind: isName, file: folder, name: after, to: moved, other: before}
	if exchange {
		c.from = tr.file(to)
	}
	tr.set(folder, after, moved)
	tr.set(folder, before, c.from)
	tr.changes = append(tr.changes, c)
	return nil
}

// follows compares the last state of the replay with the real files, to prove that the trace missed nothing.
func (tr *tracer) follows(t testing.TB) {
	t.Helper()
	keep := make([]bool, len(tr.changes))
	for i := range keep {
		keep[i] = true
	}
	now := tr.state(len(tr.changes), keep, nil)
	there := newTracer(t, tr.root, tr.signs).first
	want, got := there.listing(), now.listing()
	for path, text := range want {
		if is, found := got[path]; !found || !bytes.Equal(is, text) {
			t.Fatalf("%s: the replay has %d bytes, there are %d", path, len(is), len(text))
		}
	}
	for path := range got {
		if _, found := want[path]; !found {
			t.Fatalf("%s: in the replay alone", path)
		}
	}
}
