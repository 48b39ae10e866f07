// Package demo tells the story of what Sallyport does, on this computer and in a data folder of its own: it plays the client and the
// person; everything else is real processes. Each step checks what it says, so the demo is also a test.
package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/keychain"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// storyTime limits the whole demo; npm on a slow line takes most of it.
const storyTime = 5 * time.Minute

// stepTime limits one step, which should take milliseconds.
const stepTime = time.Minute

// Tell tells the story on a page, in a data folder of its own, which it removes unless it should be kept.
func Tell(ctx context.Context, page *terminal.Page, version string, keep bool) error {
	ctx, cancel := context.WithTimeout(ctx, storyTime)
	defer cancel()
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP) // its hub goes with the terminal it ran in
	defer stop()
	dir, err := os.MkdirTemp("", "sallyport-demo-")
	if err != nil {
		return fmt.Errorf("make a temporary home: %w", err)
	}
	program, err := programIn(dir)
	if err != nil {
		return err
	}
	if keep {
		defer page.Printf("\nThe data folder of this demo is in %s\n", dir)
	} else {
		defer os.RemoveAll(dir)
	}
	t := &story{ctx: ctx, page: page, program: program, version: version, dir: dir, home: filepath.Join(dir, "home")}
	t.env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "SALLYPORT_") }), "SALLYPORT_HOME="+t.home, keychain.Variable+"=off")
	defer t.end()
	if err := t.tell(); err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("%w (%w)", err, context.Cause(ctx))
		}
		return fmt.Errorf("step %d went wrong: %w", t.steps, err)
	}
	page.Printf("\n%s\n", page.Paint(terminal.Green, fmt.Sprintf("%d steps, all as expected.", t.steps)))
	return nil
}

// programIn is a path of this program that protect may write into a file while the demo runs: a program built by go run gets another name
// for the same file.
func programIn(dir string) (string, error) {
	program, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	if clientconfig.Stayed(program) {
		return program, nil
	}
	link := filepath.Join(dir, filepath.Base(program))
	if err := os.Link(program, link); err != nil {
		return "", fmt.Errorf("give the program a place for the demo: %w; build it with \"make build\"", err)
	}
	return link, nil
}

// story is a running demo. It plays the client and the person; the hub, the wrappers, the servers and every command are real processes.
type story struct {
	ctx     context.Context // of the whole story: what a step starts outlives the step
	page    *terminal.Page
	program string
	version string
	dir     string
	home    string
	env     []string
	file    sampleFile
	trigger string // the demo server changes while this file exists
	poison  string // and its responses carry an order while this one exists
	odd     string // or are not what a tool promised while this one does
	steps   int
	endings []func()
	lists   *Client // the client whose wrapper lists our two tools
}

func (t *story) end() {
	for _, end := range slices.Backward(t.endings) {
		end()
	}
	t.endings = nil
}

// wrong is the reason why a story can't go on. must and wrongf throw it and tell catches it, so that the steps read as a story.
type wrong struct{ error }

func must(err error) {
	if err != nil {
		panic(wrong{err})
	}
}

func wrongf(format string, args ...any) { must(fmt.Errorf(format, args...)) }

// tell takes every step, up to the first that goes wrong.
func (t *story) tell() (err error) {
	defer func() {
		switch caught := recover().(type) {
		case nil:
		case wrong:
			err = caught.error
		default:
			panic(caught)
		}
	}()
	t.page.Printf("Everything below happens on this computer, in %s.\nThe only thing it contacts is npm.\n", t.dir)
	t.startHub()
	t.protect()
	direct := t.drift()
	t.real()
	t.wipe(direct)
	t.unprotect()
	t.step("The timeline has every step above, and its hash chain is intact.", func(ctx context.Context) {
		t.command(ctx, "activity", "list", "--limit", "12")
		t.command(ctx, "activity", "verify")
	})
	return nil
}

// step announces one step and takes it.
func (t *story) step(title string, do func(ctx context.Context)) {
	t.steps++
	t.page.Printf("\n%s\n", t.page.Paint(terminal.Bold, fmt.Sprintf("%d. %s", t.steps, title)))
	ctx, cancel := context.WithTimeout(t.ctx, stepTime)
	defer cancel()
	do(ctx)
}

// fine reports a successful check.
func (t *story) fine(format string, args ...any) {
	t.page.Hang("   "+t.page.Paint(terminal.Green, "ok")+" ", "      ", fmt.Sprintf(format, args...))
}

// How much of a command's output the story shows: the review of a large server is long, and its beginning and the possible next steps are
// what counts here.
const (
	firstLines = 60
	lastLines  = 10
	// Rows of the timeline are wider. Cutting them loses only the IDs of records.
	mostColumns = 94
)

func cut(line string, most int) string {
	if terminal.Width(line) <= most {
		return line
	}
	return string([]rune(line)[:most-1]) + "…" // our own words, and names that the story chose
}

// typed prints a command line as a person would type it, broken where it is too wide.
func (t *story) typed(argv []string) {
	const first, next = "   $ ", "       "
	row := first + terminal.Command(argv[:1])
	for _, word := range argv[1:] {
		if word = terminal.Command([]string{word}); terminal.Width(row)+terminal.Width(word)+3 > t.page.Columns {
			t.page.Printf("%s\n", t.page.Paint(terminal.Dim, row+" \\"))
			row = next + word
			continue
		}
		row += " " + word
	}
	t.page.Printf("%s\n", t.page.Paint(terminal.Dim, row))
}

// command runs a command of ours as a person would, prints and returns what it says, and wants it to succeed.
func (t *story) command(ctx context.Context, args ...string) string {
	t.typed(append([]string{"sallyport"}, args...))
	child := exec.CommandContext(ctx, t.program, args...)
	child.Env = t.env
	var out bytes.Buffer
	child.Stdout, child.Stderr = &out, &out
	err := child.Run()
	lines := slices.Collect(strings.Lines(out.String()))
	left := len(lines) - firstLines - lastLines
	for n, line := range lines {
		switch {
		case left <= 1 || n < firstLines || n >= firstLines+left:
			t.page.Printf("     %s\n", cut(strings.TrimRight(line, " \n"), mostColumns))
		case n == firstLines:
			t.page.Printf("     %s\n", t.page.Paint(terminal.Dim, fmt.Sprintf("… %d more lines …", left)))
		}
	}
	if err != nil {
		wrongf("sallyport %s: %w", strings.Join(args, " "), err)
	}
	if strings.Contains(out.String(), sampleSecret) {
		wrongf("sallyport %s printed a value of env", strings.Join(args, " "))
	}
	return out.String()
}

func (t *story) startHub() {
	t.step("A hub starts with an empty data folder. It keeps what you allowed, and only a person decides.", func(ctx context.Context) {
		var said Tail
		hub := exec.Command(t.program, "hub", "--allow-cli-approval")
		hub.Env, hub.Stderr = t.env, &said
		must(hub.Start())
		gone := make(chan struct{})
		go func() {
			hub.Wait()
			close(gone)
		}()
		t.endings = append(t.endings, func() {
			hub.Process.Signal(os.Interrupt)
			select {
			case <-gone:
			case <-time.After(stepTime):
				hub.Process.Kill()
				<-gone
			}
		})
		home, err := control.HomeAt(t.home)
		must(err)
		must(Eventually(ctx, func() (bool, error) {
			select {
			case <-gone:
				return false, errors.New("the hub ended" + said.Said())
			default:
			}
			client, err := control.DialWith(ctx, home, control.DialOptions{Role: control.RoleCLI, Version: t.version})
			if errors.Is(err, control.ErrNoHub) {
				return false, nil
			}
			if err != nil {
				return false, err
			}
			return true, client.Close()
		}))
		t.fine("it runs, and the inbox is empty")
	})
}

// Eventually waits until a condition holds.
func Eventually(ctx context.Context, holds func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, stepTime)
	defer cancel()
	for {
		if ok, err := holds(); ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.New("it did not come about in " + stepTime.String())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// waits is the one item that waits for a server.
func (t *story) waits(ctx context.Context, server string) control.InboxItem {
	item, one := t.waiting(ctx, server)
	if !one {
		wrongf("not exactly one item waits for %s", server)
	}
	return item
}

// waiting is the item that waits for a server, if there is exactly one.
func (t *story) waiting(ctx context.Context, server string) (item control.InboxItem, one bool) {
	child := exec.CommandContext(ctx, t.program, "inbox", "--json")
	child.Env = t.env
	out, _ := child.Output() // exit 3: something waits
	var inbox struct {
		Items []control.InboxItem `json:"items"`
	}
	if json.Unmarshal(out, &inbox) != nil {
		wrongf("inbox --json printed %.200q", out)
	}
	found := slices.DeleteFunc(inbox.Items, func(item control.InboxItem) bool { return item.Server != server })
	if len(found) != 1 {
		return item, false
	}
	return found[0], true
}

// ownTools are the two tools that one wrapper of each client adds.
var ownTools = []string{"approve_server_config", "quarantine_release"}

// sees is nil if a client sees exactly these tools of its server, byte for byte.
func (t *story) sees(ctx context.Context, c *Client, want map[string]json.RawMessage) error {
	got, err := c.Tools(ctx)
	if err != nil {
		return err
	}
	if err := t.expectOwn(c, got); err != nil {
		return err
	}
	if !slices.Equal(slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want))) {
		return fmt.Errorf("the client sees the tools %q of the server, not %q", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
	for name, definition := range want {
		if !bytes.Equal(got[name], definition) {
			return fmt.Errorf("the definition of %s is not byte for byte the server's", name)
		}
	}
	return nil
}

// expectOwn removes our two tools from a listing. The first wrapper of the client lists them, and while it runs no other does.
func (t *story) expectOwn(c *Client, got map[string]json.RawMessage) error {
	if t.lists != nil {
		select {
		case <-t.lists.ended:
			t.lists = nil
		default:
		}
	}
	if t.lists == nil {
		t.lists = c
	}
	for _, own := range ownTools {
		if listed := got[own] != nil; listed != (t.lists == c) {
			return fmt.Errorf("our tool %s is listed: %t", own, listed)
		}
		delete(got, own)
	}
	return nil
}

// decidedResult is a tool's result with our word on it.
type decidedResult struct {
	IsError bool `json:"isError"`
	Content []struct {
		Text string `json:"text"`
	} `json:"content"`
	Meta struct {
		Decision struct {
			Code   string        `json:"code"`
			Kind   string        `json:"kind"`
			Status vocab.Outcome `json:"status"`
		} `json:"sallyport/decision"`
	} `json:"_meta"`
}

// expectRefusal calls a blocked tool and expects our refusal with an item's code.
func (t *story) expectRefusal(ctx context.Context, c *Client, tool, arguments, code string) {
	raw, err := c.Call(ctx, tool, arguments)
	must(err)
	var refusal decidedResult
	if err := json.Unmarshal(raw, &refusal); err != nil || !refusal.IsError || len(refusal.Content) != 1 || refusal.Meta.Decision.Status != vocab.OutcomeBlocked {
		wrongf("the call was not refused: %.300s", raw)
	}
	if refusal.Meta.Decision.Code != code || !strings.HasPrefix(refusal.Content[0].Text, "[Sallyport] ") {
		wrongf("the refusal names item %s, not %s: %.300s", refusal.Meta.Decision.Code, code, raw)
	}
	t.page.Quote("   ", terminal.Piece{Text: terminal.Text(refusal.Content[0].Text)})
	t.fine("the call is blocked at once, and the message names item %s", code)
}

// expectSame calls a tool and expects, byte for byte, the result that the server gives directly.
func (t *story) expectSame(ctx context.Context, c, direct *Client, tool, arguments string) {
	got, err := c.Call(ctx, tool, arguments)
	must(err)
	want, err := direct.Call(ctx, tool, arguments)
	must(err)
	if !bytes.Equal(got, want) {
		wrongf("%s returned %.200s, without us %.200s", tool, got, want)
	}
	t.page.Quote("   ", terminal.Piece{Text: terminal.Text(string(got))})
	t.fine("%s works, and the response is byte for byte what the server sent (%d bytes)", tool, len(got))
}
