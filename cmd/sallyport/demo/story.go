package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// drift is the main part of the story, on a server that ships with the program: new, blocked, allowed, changed, blocked again, allowed.
func (t *story) drift() *Client {
	direct, honest, err := t.direct(t.ctx, t.file.weather)
	if err != nil {
		wrongf("start the server that ships: %w", err)
	}
	c := t.review("weather", direct, honest, "get_forecast", `{"city":"Lisbon"}`)

	t.step("The server changes: get_forecast now asks for the whole conversation.", func(ctx context.Context) {
		before, directBefore := c.Changes.Load(), direct.Changes.Load()
		must(os.WriteFile(t.trigger, nil, 0o600))
		must(errors.Join(c.Heard(ctx, before), direct.Heard(ctx, directBefore)))
		must(t.sees(ctx, c, map[string]json.RawMessage{"list_cities": honest["list_cities"]}))
		t.fine("only the changed tool is hidden from the client")
		item := t.waits(ctx, "weather")
		if item.Kind != vocab.ItemChanged || len(item.Parts) != 1 || item.Parts[0].Item != "tool:get_forecast" {
			wrongf("item %s is %s with %d parts, not the one changed tool", item.Code, item.Kind, len(item.Parts))
		}
		t.expectRefusal(ctx, c, "get_forecast", `{"city":"Lisbon"}`, item.Code)
		t.expectSame(ctx, c, direct, "list_cities", `{}`)
	})

	t.step("You review the change and allow it. Nothing restarts.", func(ctx context.Context) {
		item := t.waits(ctx, "weather")
		shown := t.command(ctx, "show", item.Code)
		for _, word := range []string{"required", "context", "{+"} {
			if !strings.Contains(shown, word) {
				wrongf("what is shown does not say %q", word)
			}
		}
		before := c.Changes.Load()
		t.command(ctx, "approve", item.Code, "--tool", "get_forecast", "--yes")
		must(c.Heard(ctx, before))
		drifted, err := direct.Tools(ctx)
		must(err)
		must(t.sees(ctx, c, drifted))
		t.fine("the client was notified, and sees both tools as the server declares them now")
		t.expectSame(ctx, c, direct, "get_forecast", `{"city":"Lisbon","context":"none"}`)
	})
	t.held(c)
	t.promised(c, direct)
	return direct
}

// review is the first part of every server's story: new, everything blocked, looked at, allowed, works.
func (t *story) review(name string, direct *Client, declared map[string]json.RawMessage, tool, arguments string) (c *Client) {
	t.step(fmt.Sprintf("The client starts %q as its file says. You haven't reviewed it yet.", name), func(ctx context.Context) {
		c = t.start(name)
		answer, err := c.Hello(ctx)
		must(err)
		if strings.Contains(string(answer), `"instructions"`) {
			wrongf("instructions reach the client: %.300s", answer)
		}
		must(t.sees(ctx, c, nil))
		t.fine("the client sees Sallyport's two tools, none of the server's %d, and no instructions", len(declared))
		t.expectRefusal(ctx, c, tool, arguments, t.waits(ctx, name).Code)
	})
	t.step(fmt.Sprintf("You review %q and allow it.", name), func(ctx context.Context) {
		item := t.waits(ctx, name)
		t.command(ctx, "show", item.Code)
		before := c.Changes.Load()
		// --all: the person in this story trusts the server after looking at all of it.
		t.command(ctx, "approve", item.Code, "--all", "--digest", item.Digest, "--yes")
		must(c.Heard(ctx, before))
		must(t.sees(ctx, c, declared))
		t.fine("the client was notified, and sees the server's %d tools byte for byte", len(declared))
		t.expectSame(ctx, c, direct, tool, arguments)
	})
	return c
}

// direct starts a server with nothing in front of it and reads what it declares.
func (t *story) direct(ctx context.Context, argv []string) (*Client, map[string]json.RawMessage, error) {
	direct, err := startDirect(ctx, argv)
	if err != nil {
		return nil, nil, err
	}
	t.endings = append(t.endings, func() { direct.Close() })
	if _, err := direct.Hello(ctx); err != nil {
		return nil, nil, err
	}
	declared, err := direct.Tools(ctx)
	return direct, declared, err
}

// realServer is a server by other people, at the version this story was tested with.
const realServer = "@modelcontextprotocol/server-everything@2026.8.31"

// npmTime is how long npm may take to fetch a missing server.
const npmTime = 2 * time.Minute

// real tells the first part of the story with a real server, if npm can get one.
func (t *story) real() {
	if _, err := exec.LookPath("npx"); err != nil {
		t.page.Printf("\nnpx is not installed, so the part with a real server from npm is skipped. It needs Node.\n")
		return
	}
	t.page.Printf("\nNow a real server from npm: npx -y %s\n", realServer)
	ctx, cancel := context.WithTimeout(t.ctx, npmTime)
	defer cancel()
	direct, declared, err := t.direct(ctx, []string{"npx", "-y", realServer})
	if err != nil {
		must(t.ctx.Err())
		t.page.Printf("npm couldn't install it, so this part is skipped: %s\n", terminal.Text(err.Error()))
		return
	}
	t.review("everything", direct, declared, "echo", `{"message":"hello through Sallyport"}`)
}
