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
func (t *story) drift(ctx context.Context) (*Client, error) {
	direct, honest, err := t.direct(ctx, t.file.weather)
	if err != nil {
		return nil, fmt.Errorf("start the server that ships: %w", err)
	}
	c, err := t.review(ctx, "weather", direct, honest, "get_forecast", `{"city":"Lisbon"}`)
	if err != nil {
		return nil, err
	}

	err = t.step("The server changes: get_forecast now asks for the whole conversation.", func() error {
		before, directBefore := c.Changes.Load(), direct.Changes.Load()
		if err := os.WriteFile(t.trigger, nil, 0o600); err != nil {
			return err
		}
		if err := errors.Join(t.hear(ctx, c, before), t.hear(ctx, direct, directBefore)); err != nil {
			return err
		}
		kept := map[string]json.RawMessage{"list_cities": honest["list_cities"]}
		if err := t.expectTools(ctx, c, kept); err != nil {
			return err
		}
		t.fine("only the changed tool is hidden from the client")
		item, err := t.waits(ctx, "weather")
		if err != nil {
			return err
		}
		if item.Kind != vocab.ItemChanged || len(item.Parts) != 1 || item.Parts[0].Item != "tool:get_forecast" {
			return fmt.Errorf("item %s is %s with %d parts, not the one changed tool", item.Code, item.Kind, len(item.Parts))
		}
		if err := t.expectRefusal(ctx, c, "get_forecast", `{"city":"Lisbon"}`, item.Code); err != nil {
			return err
		}
		return t.expectSame(ctx, c, direct, "list_cities", `{}`)
	})
	if err != nil {
		return nil, err
	}

	err = t.step("You review the change and allow it. Nothing restarts.", func() error {
		item, err := t.waits(ctx, "weather")
		if err != nil {
			return err
		}
		shown, err := t.command(ctx, "show", item.Code)
		if err != nil {
			return err
		}
		for _, word := range []string{"required", "context", "{+"} {
			if !strings.Contains(shown, word) {
				return fmt.Errorf("what is shown does not say %q", word)
			}
		}
		before := c.Changes.Load()
		if _, err := t.command(ctx, "approve", item.Code, "--tool", "get_forecast", "--yes"); err != nil {
			return err
		}
		if err := t.hear(ctx, c, before); err != nil {
			return err
		}
		drifted, err := direct.Tools(ctx)
		if err != nil {
			return err
		}
		if err := t.expectTools(ctx, c, drifted); err != nil {
			return err
		}
		t.fine("the client was notified, and sees both tools as the server declares them now")
		return t.expectSame(ctx, c, direct, "get_forecast", `{"city":"Lisbon","context":"none"}`)
	})
	if err != nil {
		return nil, err
	}
	return direct, t.held(ctx, c)
}

// review is the first part of every server's story: new, everything blocked, looked at, allowed, works.
func (t *story) review(ctx context.Context, name string, direct *Client, declared map[string]json.RawMessage, tool, arguments string) (*Client, error) {
	var c *Client
	err := t.step(fmt.Sprintf("The client starts %q as its file says. You haven't reviewed it yet.", name), func() (err error) {
		if c, err = t.start(ctx, name); err != nil {
			return err
		}
		hello, cancel := context.WithTimeout(ctx, stepTime)
		defer cancel()
		answer, err := c.Hello(hello)
		if err != nil {
			return err
		}
		if strings.Contains(string(answer), `"instructions"`) {
			return fmt.Errorf("instructions reach the client: %.300s", answer)
		}
		if err := t.expectTools(ctx, c, nil); err != nil {
			return err
		}
		t.fine("the client sees Sallyport's two tools, none of the server's %d, and no instructions", len(declared))
		item, err := t.waits(ctx, name)
		if err != nil {
			return err
		}
		return t.expectRefusal(ctx, c, tool, arguments, item.Code)
	})
	if err != nil {
		return nil, err
	}
	err = t.step(fmt.Sprintf("You review %q and allow it.", name), func() error {
		item, err := t.waits(ctx, name)
		if err != nil {
			return err
		}
		if _, err := t.command(ctx, "show", item.Code); err != nil {
			return err
		}
		before := c.Changes.Load()
		// --all: the person in this story trusts the server after looking at all of it.
		if _, err := t.command(ctx, "approve", item.Code, "--all", "--digest", item.Digest, "--yes"); err != nil {
			return err
		}
		if err := t.hear(ctx, c, before); err != nil {
			return err
		}
		if err := t.expectTools(ctx, c, declared); err != nil {
			return err
		}
		t.fine("the client was notified, and sees the server's %d tools byte for byte", len(declared))
		return t.expectSame(ctx, c, direct, tool, arguments)
	})
	return c, err
}

func (t *story) hear(ctx context.Context, c *Client, before int64) error {
	ctx, cancel := context.WithTimeout(ctx, stepTime)
	defer cancel()
	return c.Heard(ctx, before)
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
func (t *story) real(ctx context.Context) error {
	if _, err := exec.LookPath("npx"); err != nil {
		t.page.Printf("\nnpx is not installed, so the part with a real server from npm is skipped. It needs Node.\n")
		return nil
	}
	t.page.Printf("\nNow a real server from npm: npx -y %s\n", realServer)
	argv := []string{"npx", "-y", realServer}
	bounded, cancel := context.WithTimeout(ctx, npmTime)
	defer cancel()
	direct, declared, err := t.direct(bounded, argv)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		t.page.Printf("npm couldn't install it, so this part is skipped: %s\n", terminal.Text(err.Error()))
		return nil
	}
	_, err = t.review(ctx, "everything", direct, declared, "echo", `{"message":"hello through Sallyport"}`)
	return err
}
