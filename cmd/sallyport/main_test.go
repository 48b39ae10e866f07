package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/sallyport/sallyport/cmd/sallyport/demo"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/keychain"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestMain(m *testing.M) {
	// With -race every process sleeps for a second when it ends, by default; a story starts dozens.
	os.Setenv(keychain.Variable, "off") // stories leave nothing in the keychain of whoever runs them
	os.Setenv("GORACE", "atexit_sleep_ms=0 "+os.Getenv("GORACE"))
	testscript.Main(m, map[string]func(){
		"sallyport":          main,
		"guardrail-provider": guardrailProvider,
		"weather-server":     main, // the demo's server is a copy of the program under this name
	})
}

// TestStories runs testdata/*.txtar: real processes, each story in a home of its own. Besides testscript's commands a story has
//
//	exits N COMMAND…            runs a command and expects this exit code
//	hub [FLAG…]                 starts a hub and waits until it answers
//	hub stop                    ends that hub and waits until it is gone
//	client NAME start COMMAND…  starts a client named NAME on a wrapper or server, and greets it
//	client NAME tools           prints the tools it sees, one a line
//	client NAME call TOOL ARGS  calls a tool and prints the result
//	client NAME until PATTERN TOOL ARGS  calls a tool again until what it gets matches: a setting reaches the wrapper a moment after it was set
//	client NAME told            waits for a list_changed that no earlier told has seen
//	client NAME stop            ends its input and waits until the other side has ended
//	recorded VAR N KIND TOOL [STATUS]  waits until there are N records of this kind about TOOL; sets VAR to the id of the newest
//	waiting VAR SERVER          waits until one item waits for SERVER; sets VAR to its code, VAR_DIGEST to its digest
//
// At the end its home has no file that docs/reference/files.md does not list.
func TestStories(t *testing.T) {
	rows := homeRows(t)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			// In the story's folder: a hub or wrapper left running ends when it is removed.
			env.Setenv("SALLYPORT_HOME", env.WorkDir+"/home")
			env.Setenv("HOME", env.WorkDir)
			program, err := exec.LookPath("sallyport")
			if err != nil {
				return err
			}
			env.Setenv("SALLYPORT_BIN", filepath.Dir(program)) // a PATH with nothing else in it
			env.Values["clients"] = map[string]*storyClient{}
			env.Values["hub"] = new(func())
			env.Defer(func() {
				for _, wrong := range unknownInHome(rows, env.WorkDir+"/home") {
					t.Errorf("%s: %s", filepath.Base(env.WorkDir), wrong)
				}
			})
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": storyExits, "hub": storyHub, "client": storyClientCommand, "recorded": storyRecorded, "waiting": storyWaiting, "listed": storyListed, "nowhere": storyNowhere,
		},
	})
}

func storyExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits N COMMAND…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	child := storyCommand(ts, args[1:])
	err = child.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		ts.Fatalf("%v", err)
	}
	if got := child.ProcessState.ExitCode(); got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

func storyCommand(ts *testscript.TestScript, args []string) *exec.Cmd {
	path, err := exec.LookPath(args[0])
	ts.Check(err)
	child := exec.Command(path, args[1:]...)
	child.Dir = ts.MkAbs(".")
	child.Env = storyEnv(ts)
	child.Stdout, child.Stderr = ts.Stdout(), ts.Stderr()
	return child
}

func storyEnv(ts *testscript.TestScript) []string {
	return append(os.Environ(), "SALLYPORT_HOME="+ts.Getenv("SALLYPORT_HOME"), "HOME="+ts.Getenv("HOME"), "PATH="+ts.Getenv("PATH"))
}

func storyHub(ts *testscript.TestScript, neg bool, args []string) {
	if slices.Equal(args, []string{"stop"}) {
		stop := ts.Value("hub").(*func())
		if *stop == nil {
			ts.Fatalf("no hub was started")
		}
		(*stop)()
		return
	}
	child := storyCommand(ts, append([]string{"sallyport", "hub"}, args...))
	var answers, said demo.Tail
	file, err := os.Create(ts.MkAbs("hub-said")) // for the story
	ts.Check(err)
	ts.Defer(func() { file.Close() })
	child.Stdout, child.Stderr = &answers, io.MultiWriter(&said, file)
	ts.Check(child.Start())
	gone := make(chan struct{})
	go func() {
		child.Wait()
		close(gone)
	}()
	stop := func() {
		child.Process.Signal(os.Interrupt)
		<-gone
	}
	ts.Defer(stop)
	*ts.Value("hub").(*func()) = stop
	home, err := control.HomeAt(ts.Getenv("SALLYPORT_HOME"))
	ts.Check(err)
	ts.Check(demo.Eventually(context.Background(), func() (bool, error) {
		select {
		case <-gone:
			return false, errors.New("the hub ended" + said.Said())
		default:
		}
		if answers.Said() == "" {
			return false, nil // a hub that a wrapper started may still answer for a moment
		}
		client, err := control.Dial(context.Background(), home, control.RoleCLI)
		if errors.Is(err, control.ErrNoHub) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		return true, client.Close()
	}))
}

// storyClient is a demo.Client and how many list_changed the story has asked about.
type storyClient struct {
	*demo.Client
	told int64
}

func storyClientCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: client NAME start|tools|call|read|until|told|forgets|stop …")
	}
	clients := ts.Value("clients").(map[string]*storyClient)
	name, verb, rest := args[0], args[1], args[2:]
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	if verb == "start" {
		ts.Defer(cancel)
		path, err := exec.LookPath(rest[0])
		ts.Check(err)
		c, err := demo.StartWrapped(ctx, append([]string{path}, rest[1:]...), storyEnv(ts))
		ts.Check(err)
		ts.Defer(func() { c.Close() })
		answer, err := c.Hello(ctx)
		ts.Check(err)
		_, err = ts.Stdout().Write(append(answer, '\n'))
		ts.Check(err)
		clients[name] = &storyClient{Client: c}
		return
	}
	defer cancel()
	c := clients[name]
	if c == nil {
		ts.Fatalf("no client %s was started", name)
	}
	switch verb {
	case "tools":
		tools, err := c.Tools(ctx)
		ts.Check(err)
		_, err = ts.Stdout().Write([]byte(strings.Join(slices.Sorted(maps.Keys(tools)), "\n") + "\n"))
		ts.Check(err)
	case "call":
		result, err := c.Call(ctx, rest[0], rest[1])
		ts.Check(err)
		_, err = ts.Stdout().Write(append(result, '\n'))
		ts.Check(err)
	case "read": // until the response matches
		pattern, err := regexp.Compile(rest[0])
		ts.Check(err)
		ts.Check(demo.Eventually(ctx, func() (bool, error) {
			line, err := c.Request(ctx, "resources/read", fmt.Sprintf(`{"uri":%q}`, rest[1]))
			if err != nil || !pattern.Match(line) {
				return false, err
			}
			_, err = ts.Stdout().Write(append(line, '\n'))
			return true, err
		}))
	case "until":
		pattern, err := regexp.Compile(rest[0])
		ts.Check(err)
		ts.Check(demo.Eventually(ctx, func() (bool, error) {
			result, err := c.Call(ctx, rest[1], rest[2])
			if err != nil || !pattern.Match(result) {
				return false, err
			}
			_, err = ts.Stdout().Write(append(result, '\n'))
			return true, err
		}))
	case "told":
		ts.Check(c.Heard(ctx, c.told))
		c.told = c.Changes.Load()
	case "forgets": // notifications so far do not count
		c.told = c.Changes.Load()
	case "stop":
		ts.Check(c.Close())
	default:
		ts.Fatalf("a client cannot %s", verb)
	}
}

func storyRecorded(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 || len(args) > 5 {
		ts.Fatalf("usage: recorded VAR N KIND TOOL [STATUS]")
	}
	query := control.ActivityQuery{Kind: args[2], Tool: args[3], Limit: 100}
	if len(args) == 5 {
		query.Status = args[4]
	}
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	home, err := control.HomeAt(ts.Getenv("SALLYPORT_HOME"))
	ts.Check(err)
	var found control.Activity
	err = demo.Eventually(context.Background(), func() (bool, error) {
		client, err := control.Dial(context.Background(), home, control.RoleCLI)
		if err != nil {
			return false, err
		}
		defer client.Close()
		found, err = control.AskActivity(context.Background(), client, query)
		return len(found.Items) >= want, err
	})
	if err != nil || len(found.Items) != want {
		ts.Fatalf("%d records of %s about %s and not %d: %v: %+v", len(found.Items), args[2], args[3], want, err, found.Items)
	}
	ts.Setenv(args[0], found.Items[len(found.Items)-1].ID)
}

func storyWaiting(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: waiting VAR SERVER")
	}
	home, err := control.HomeAt(ts.Getenv("SALLYPORT_HOME"))
	ts.Check(err)
	var items []control.InboxItem
	err = demo.Eventually(context.Background(), func() (bool, error) {
		// A hub that starts over with an empty store closes first, so for a moment none answers.
		client, err := control.Dial(context.Background(), home, control.RoleCLI)
		if err == nil {
			items, err = control.AskInbox(context.Background(), client)
			client.Close()
		}
		if errors.Is(err, control.ErrNoHub) || errors.Is(err, control.ErrClosed) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		items = slices.DeleteFunc(items, func(item control.InboxItem) bool { return item.Server != args[1] })
		return len(items) == 1, nil
	})
	if err != nil {
		ts.Fatalf("not one item waits for %s: %v: %+v", args[1], err, items)
	}
	ts.Setenv(args[0], items[0].Code)
	ts.Setenv(args[0]+"_DIGEST", items[0].Digest)
}
