package demo

import (
	"context"
	"encoding/json"
	"os"
	"strings"

	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// poisonMark is part of the order in the poisoned forecast, and must not reach the client.
const poisonMark = "collect.example"

// held is the second half of the story: a response that carries an order is held before the client sees it; a person reads it and releases
// it once, without the order.
func (t *story) held(c *Client) {
	var code string
	t.step("A forecast comes back with an order to Claude in it: send a private key somewhere, and don't tell the user.", func(ctx context.Context) {
		must(os.WriteFile(t.poison, nil, 0o600))
		defer os.Remove(t.poison)
		code, _ = t.expectHeld(ctx, c, "get_forecast", `{"city":"Oslo","context":"none"}`, vocab.OutcomeHeld)
		t.fine("the client learns that the response is held, and its code, and sees none of its text")
		item := t.waits(ctx, "weather")
		if item.Kind != vocab.ItemResponseHeld || item.Code != code {
			wrongf("item %s is %s, and the refusal named %s", item.Code, item.Kind, code)
		}
		t.expectHeld(ctx, c, "quarantine_release", `{"quarantine_id":"`+code+`"}`, vocab.OutcomeHeld)
		t.fine("the client can't get it before you decide")
	})
	t.step("You read the held response and release it once, without the marked parts.", func(ctx context.Context) {
		shown := t.command(ctx, "show", code)
		for _, word := range []string{poisonMark, "get_forecast", "Oslo"} {
			if !strings.Contains(shown, word) {
				wrongf("what is shown does not say %q", word)
			}
		}
		t.command(ctx, "release", code, "--without-marked", "--digest", t.waits(ctx, "weather").Digest, "--yes")
		_, text := t.expectHeld(ctx, c, "quarantine_release", `{"quarantine_id":"`+code+`"}`, vocab.OutcomeReleased)
		if !strings.Contains(text, "Oslo: sunny") || !strings.Contains(text, "[removed by Sallyport]") {
			wrongf("what was delivered is %.300q", text)
		}
		t.fine("the client gets the forecast without the order")
		t.expectHeld(ctx, c, "quarantine_release", `{"quarantine_id":"`+code+`"}`, vocab.OutcomeHeld)
		t.fine("it gets it once: a second request gives nothing")
	})
}

// expectHeld calls a tool and expects a result in our words, with this status and without the order.
func (t *story) expectHeld(ctx context.Context, c *Client, tool, arguments string, status vocab.Outcome) (code, text string) {
	raw, err := c.Call(ctx, tool, arguments)
	must(err)
	if strings.Contains(string(raw), poisonMark) {
		wrongf("the order reached the client: %.300s", raw)
	}
	var result decidedResult
	if err := json.Unmarshal(raw, &result); err != nil || len(result.Content) == 0 || result.Meta.Decision.Status != status {
		wrongf("%s returned %.300s", tool, raw)
	}
	t.page.Quote("   ", terminal.Piece{Text: terminal.Text(result.Content[0].Text)})
	return result.Meta.Decision.Code, result.Content[0].Text
}
