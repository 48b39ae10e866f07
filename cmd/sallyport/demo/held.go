package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// poisonMark is part of the order in the poisoned forecast, and must not reach the client.
const poisonMark = "collect.example"

// held is the second half of the story: a response that carries an order is held before the client sees it; a person reads it and releases
// it once, without the order.
func (t *story) held(ctx context.Context, c *Client) error {
	var code string
	err := t.step("A forecast comes back with an order to Claude in it: send a private key somewhere, and don't tell the user.", func() error {
		if err := os.WriteFile(t.poison, nil, 0o600); err != nil {
			return err
		}
		defer os.Remove(t.poison)
		refused, err := t.expectHeld(ctx, c, "get_forecast", `{"city":"Oslo","context":"none"}`, vocab.OutcomeHeld)
		if err != nil {
			return err
		}
		code = refused.code
		t.fine("the client learns that the response is held, and its code, and sees none of its text")
		item, err := t.waits(ctx, "weather")
		if err != nil {
			return err
		}
		if item.Kind != vocab.ItemResponseHeld || item.Code != code {
			return fmt.Errorf("item %s is %s, and the refusal named %s", item.Code, item.Kind, code)
		}
		_, err = t.expectHeld(ctx, c, "quarantine_release", `{"quarantine_id":"`+code+`"}`, vocab.OutcomeHeld)
		if err != nil {
			return err
		}
		t.fine("the client can't get it before you decide")
		return nil
	})
	if err != nil {
		return err
	}
	return t.step("You read the held response and release it once, without the marked parts.", func() error {
		shown, err := t.command(ctx, "show", code)
		if err != nil {
			return err
		}
		for _, word := range []string{poisonMark, "get_forecast", "Oslo"} {
			if !strings.Contains(shown, word) {
				return fmt.Errorf("what is shown does not say %q", word)
			}
		}
		item, err := t.waits(ctx, "weather")
		if err != nil {
			return err
		}
		if _, err := t.command(ctx, "release", code, "--without-marked", "--digest", item.Digest, "--yes"); err != nil {
			return err
		}
		handed, err := t.expectHeld(ctx, c, "quarantine_release", `{"quarantine_id":"`+code+`"}`, vocab.OutcomeReleased)
		if err != nil {
			return err
		}
		if !strings.Contains(handed.text, "Oslo: sunny") || !strings.Contains(handed.text, "[removed by Sallyport]") {
			return fmt.Errorf("what was delivered is %.300q", handed.text)
		}
		t.fine("the client gets the forecast without the order")
		if _, err := t.expectHeld(ctx, c, "quarantine_release", `{"quarantine_id":"`+code+`"}`, vocab.OutcomeHeld); err != nil {
			return err
		}
		t.fine("it gets it once: a second request gives nothing")
		return nil
	})
}

// answered is what a call of a held answer came to.
type answered struct{ code, text string }

// expectHeld calls a tool and wants an answer with our word on it, of this status, and without the order.
func (t *story) expectHeld(ctx context.Context, c *Client, tool, arguments string, status vocab.Outcome) (answered, error) {
	ctx, cancel := context.WithTimeout(ctx, stepTime)
	defer cancel()
	raw, err := c.Call(ctx, tool, arguments)
	if err != nil {
		return answered{}, err
	}
	if strings.Contains(string(raw), poisonMark) {
		return answered{}, fmt.Errorf("the order reached the client: %.300s", raw)
	}
	var result decidedResult
	if err := json.Unmarshal(raw, &result); err != nil || len(result.Content) == 0 || result.Meta.Decision.Status != status {
		return answered{}, fmt.Errorf("%s answered %.300s", tool, raw)
	}
	t.page.Quote("   ", terminal.Piece{Text: terminal.Text(result.Content[0].Text)})
	return answered{code: result.Meta.Decision.Code, text: result.Content[0].Text}, nil
}
