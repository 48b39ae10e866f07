package proxy

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/sallyport/sallyport/proxy/frame"
)

// The wrapper's own two tools. A server's tool with one of these names is blocked.
const (
	toolApprove = "approve_server_config"
	toolRelease = "quarantine_release"
)

// OwnToolNames are the names that no server's tool may have.
var OwnToolNames = []string{toolApprove, toolRelease}

func isOwnTool(name string) bool { return name == toolApprove || name == toolRelease }

var ownToolDefinitions = [][]byte{
	[]byte(`{"name":"approve_server_config","title":"Sallyport: what needs the user's review","description":"Tells how many items need the user's review in Sallyport, with their codes, and reminds the user of them. It can't allow anything: only the user can, in Sallyport.","inputSchema":{"type":"object","properties":{}},"annotations":{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}}`),
	[]byte(`{"name":"quarantine_release","title":"Sallyport: deliver a released response","description":"Delivers a response that Sallyport held, once, after the user has released it in Sallyport. It can't release anything itself.","inputSchema":{"type":"object","properties":{"quarantine_id":{"type":"string","description":"The item's four-character code from Sallyport's message."}},"required":["quarantine_id"]},"annotations":{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":false,"openWorldHint":false}}`),
}

// attentionLimit limits how long a client waits for the hub's list of pending items.
const attentionLimit = 5 * time.Second

type ownTools struct {
	*exchange
	quarantine *quarantine
}

// callOwn answers a call of one of our tools; it never reaches the server.
func (t *ownTools) callOwn(r *request, line []byte) {
	if r.name == toolRelease {
		if maySaySanitize(line) { // it decides for what is delivered
			if line = t.readWish(r, line); line == nil {
				return
			}
		}
		code := ""
		if span, ok := frame.Find(line, frame.Root(line), "params", "arguments", "quarantine_id"); ok {
			code, _ = frame.String(line, span)
		}
		if len(code) != 4 || strings.Trim(code, codeLetters) != "" {
			t.client.Enqueue(ownResult(r, "[Sallyport] quarantine_id must be an item's four-character code; nothing is held under this one.", true))
			return
		}
		t.beside(r, func() { t.quarantine.deliverReleased(r, code, false) })
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), attentionLimit)
		defer cancel()
		text, failed := t.attention(ctx)
		t.client.Enqueue(ownResult(r, text, failed))
	}()
}

// attention asks the hub which items are pending for this client, over all its servers.
func (t *ownTools) attention(ctx context.Context) (text string, failed bool) {
	waiting, err := t.cfg.Gate.Attention(ctx, t.clientName())
	if err != nil {
		return "[Sallyport] Sallyport isn't responding, so it can't tell what needs review. Tell the user: open Sallyport.", true
	}
	if len(waiting.Items) == 0 {
		return "[Sallyport] Nothing needs the user's review.", false
	}
	codes := make([]string, len(waiting.Items))
	for i, item := range waiting.Items {
		codes[i] = item.Code
	}
	noun, verb := "items", "need"
	if len(codes) == 1 {
		noun, verb = "item", "needs"
	}
	return fmt.Sprintf("[Sallyport] %d %s %s the user's review: %s. Tell the user: open Sallyport, inbox. Only the user can decide, and only there.",
		len(codes), noun, verb, strings.Join(codes, ", ")), false
}

const codeLetters = "ABCDEFGHJKMNPQRTUVWXYZ2346789"

func ownResult(r *request, text string, failed bool) []byte {
	result := []byte(`{"content":[{"type":"text","text":`)
	result = frame.AppendString(result, text)
	result = append(result, `}]`...)
	if failed {
		result = append(result, `,"isError":true`...)
	}
	return resultLine(r, append(result, '}'))
}
