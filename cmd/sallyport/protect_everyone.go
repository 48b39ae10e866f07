package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/app/removal"
	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/control"
)

// takeOutFor is how long the files of one user may take: whoever hangs (a file system of their own) must not hang the removal of a package.
const takeOutFor = 2 * time.Minute

// maxReports is how much the process of a user may say.
const maxReports = 4 << 20

// takeOutOrder is what the process of a user is told.
type takeOutOrder struct {
	User  removal.User `json:"user"`
	Root  string       `json:"root"`
	Paths []string     `json:"paths"` // of this program, as files of clients have it
}

// everyone takes the wrappers of this installation out of the files of every user.
func (c unprotectCommand) everyone(ctx context.Context, s streams) (int, error) {
	switch {
	case !c.Everyone:
		return exitUsage, errors.New("--root is for --everyone")
	case len(c.Name) > 0 || c.Config != "" || c.All || c.DryRun || c.JSON || c.Client != clientconfig.ClaudeDesktop:
		return exitUsage, errors.New("--everyone takes every wrapper of every user out, and no other flag but --root")
	}
	root, err := filepath.Abs(string(c.Root))
	if err != nil {
		return exitUsage, err
	}
	if c.Root == "" {
		root = "/"
	}
	program, err := os.Executable()
	if err != nil {
		return exitFailed, fmt.Errorf("find this program: %w", err)
	}
	if runtime.GOOS != "linux" || os.Geteuid() != 0 {
		return exitFailed, errors.New("--everyone is for packages of Linux, which root removes: elsewhere, run \"sallyport unprotect --client all\" as each user")
	}
	users, err := removal.Users(root)
	if err != nil {
		return exitFailed, err
	}
	p, failed := newPage(s), 0
	for _, user := range users {
		reports, err := takeOutOf(ctx, program, takeOutOrder{User: user, Root: root, Paths: pathsBelow(root, program)})
		if err != nil {
			fail(s, exitFailed, "unprotect", fmt.Errorf("the files of %s: %w", user.Name, err))
			failed++
		}
		for _, r := range reports {
			path := filepath.Join(root, r.Path)
			if r.Entries > 0 {
				p.Printf("%s: %s %s\n", terminal.Text(path), entries(r.Entries), baring.did)
			}
			if r.Why != "" {
				fail(s, exitFailed, "unprotect", fmt.Errorf("%s: %s", path, r.Why))
				failed++
			}
		}
	}
	switch {
	case failed == 1:
		return exitFailed, errors.New("one file is not done: fix it, then run this again")
	case failed > 0:
		return exitFailed, fmt.Errorf("%d files are not done: fix them, then run this again", failed)
	}
	return exitFine, nil
}

// pathsBelow are the paths by which files of clients below a root folder can name this program.
func pathsBelow(root, program string) (paths []string) {
	for _, path := range []string{program, calledAs(os.Args[0])} {
		if path == "" || !sameFile(path, program) {
			continue
		}
		paths = append(paths, path)
		if root != "/" && holds(root, path) {
			paths = append(paths, strings.TrimPrefix(path, root))
		}
	}
	return paths
}

// takeOutOf runs this program as one user, who can say nothing in it: what the process prints is of our own making, and bounded.
func takeOutOf(ctx context.Context, program string, order takeOutOrder) (reports []removal.Report, err error) {
	told, err := json.Marshal(order)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, takeOutFor)
	defer cancel()
	child := exec.CommandContext(ctx, program, "__take-out")
	child.Env = []string{"PATH=/usr/bin:/bin"} // a root's own variables are none of a user's
	child.Dir = "/"
	child.WaitDelay = time.Second
	var why bytes.Buffer
	child.Stdin, child.Stderr = bytes.NewReader(told), &why
	out, err := child.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := child.Start(); err != nil {
		return nil, fmt.Errorf("start this program: %w", err)
	}
	raw, _ := io.ReadAll(io.LimitReader(out, maxReports))
	if err := child.Wait(); err != nil {
		if ctx.Err() != nil {
			return nil, errors.New("they took too long")
		}
		said, _, _ := strings.Cut(strings.TrimPrefix(why.String(), "sallyport: __take-out: "), "\n")
		if said == "" {
			said = err.Error()
		}
		return nil, errors.New(said)
	}
	if err := json.Unmarshal(raw, &reports); err != nil {
		return nil, errors.New("what was done to them is not known")
	}
	return reports, nil
}

// takeOutCommand is the process of one user.
type takeOutCommand struct{}

func (takeOutCommand) run(_ context.Context, s streams) (int, error) {
	var order takeOutOrder
	if err := json.NewDecoder(s.in).Decode(&order); err != nil {
		return exitUsage, fmt.Errorf("this is for \"sallyport unprotect --everyone\": %w", err)
	}
	running, err := os.Executable()
	if err != nil {
		return exitFailed, fmt.Errorf("find this program: %w", err)
	}
	file, err := os.Stat(running)
	if err != nil {
		return exitFailed, fmt.Errorf("find this program: %w", err)
	}
	if err := removal.Become(order.User, order.Root); errors.Is(err, removal.ErrNotHere) {
		return exitFine, json.NewEncoder(s.out).Encode([]removal.Report{})
	} else if err != nil {
		return exitFailed, err
	}
	env := func(name string) string {
		if name == "HOME" {
			return order.User.Home
		}
		return "" // the variables of the user's own sessions are not known
	}
	home, err := control.FindHome(env)
	if err != nil {
		return exitFailed, err
	}
	system := clientconfig.System{OS: "linux", Home: order.User.Home, Env: env}
	reports, err := removal.TakeOut(system, home, removal.Program{File: file, Paths: order.Paths})
	if err != nil {
		return exitFailed, err
	}
	if reports == nil {
		reports = []removal.Report{}
	}
	return exitFine, json.NewEncoder(s.out).Encode(reports)
}
