package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// oddPlace is where the odd response breaks the output schema, as a refusal and the timeline name it.
const oddPlace = "type at /properties/cities/type"

// promised is the story of a tool whose response isn't what it promised: recorded by default, blocked if a person wants that.
func (t *story) promised(c, direct *Client) {
	t.step("list_cities promised a list of cities, and sends one long string. By default that passes, and you can see it.", func(ctx context.Context) {
		must(os.WriteFile(t.odd, nil, 0o600))
		t.expectSame(ctx, c, direct, "list_cities", `{}`)
		t.command(ctx, "activity", "show", t.recorded(ctx, vocab.StatusWarned))
		t.fine("the timeline says what doesn't match")
	})
	t.step("You block such responses of this server.", func(ctx context.Context) {
		t.command(ctx, "settings", "set", "output_validation.mode", "strict", "--server", "weather")
		var refusal decidedResult
		must(Eventually(ctx, func() (bool, error) { // the setting reaches the running server within a second
			raw, err := c.Call(ctx, "list_cities", `{}`)
			if err != nil {
				return false, err
			}
			refusal = decidedResult{}
			err = json.Unmarshal(raw, &refusal)
			return refusal.Meta.Decision.Status == vocab.OutcomeBlocked, err
		}))
		if !refusal.IsError || refusal.Meta.Decision.Kind != "output_schema" || len(refusal.Content) != 1 || !strings.Contains(refusal.Content[0].Text, oddPlace) {
			wrongf("the response was not refused for its form: %+v", refusal)
		}
		t.page.Quote("   ", terminal.Piece{Text: terminal.Text(refusal.Content[0].Text)})
		t.recorded(ctx, vocab.StatusBlocked)
		t.fine("the client gets an error that says where, and nothing of the response")
		must(os.Remove(t.odd))
		t.expectSame(ctx, c, direct, "list_cities", `{}`)
	})
}

// recorded waits until the timeline has a decision about the odd response, with this status, and returns its ID.
func (t *story) recorded(ctx context.Context, status vocab.Status) (id string) {
	must(Eventually(ctx, func() (bool, error) {
		child := exec.CommandContext(ctx, t.program, "activity", "list", "--json", "--kind", "policy_decision", "--tool", "list_cities", "--status", string(status))
		child.Env = t.env
		out, err := child.Output()
		if err != nil {
			return false, fmt.Errorf("read the timeline: %w", err)
		}
		var found control.Activity
		if err := json.Unmarshal(out, &found); err != nil {
			return false, fmt.Errorf("read the timeline: %w", err)
		}
		for _, r := range found.Items {
			if strings.Contains(r.Summary, oddPlace) {
				id = r.ID
			}
		}
		return id != "", nil
	}))
	return id
}
