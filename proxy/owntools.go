package proxy

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/sallyport/sallyport/proxy/frame"
)

// The wrapper's own two tools. A server that declares one of these names has it withheld.
const (
	toolApprove = "approve_server_config"
	toolRelease = "quarantine_release"
)

// OwnToolNames are the names no server may use.
var OwnToolNames = []string{toolApprove, toolRelease}

func isOwnTool(name string) bool { return name == toolApprove || name == toolRelease }

var ownToolDefinitions = [][]byte{
	[]byte(`{"name":"approve_server_config","title":"Sallyport: what waits for the user","description":"Says how many changes of MCP servers wait for the user's decision in Sallyport, and their item codes, and reminds the user of them. It cannot allow anything: only the user can, in Sallyport.","inputSchema":{"type":"object","properties":{}},"annotations":{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}}`),
	[]byte(`{"name":"quarantine_release","title":"Sallyport: hand over a released answer","description":"Hands over an answer that Sallyport held back, once, after the user has released it in Sallyport. It cannot release anything itself.","inputSchema":{"type":"object","properties":{"quarantine_id":{"type":"string","description":"The item's code, four characters, as the refusal named it."}},"required":["quarantine_id"]},"annotations":{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":false,"openWorldHint":false}}`),
}

// attentionLimit bounds how long a client waits for the hub to say what waits.
const attentionLimit = 5 * time.Second

// callOwn answers a call of one of our tools; such a call never reaches the server.
func (s *Session) callOwn(r *request, line []byte) {
	if r.name == toolRelease {
		code := ""
		if span, ok := frame.Find(line, frame.Root(line), "params", "arguments", "quarantine_id"); ok {
			code, _ = frame.String(line, span)
		}
		if len(code) != 4 || strings.Trim(code, codeLetters) != "" {
			s.client.Enqueue(ownAnswer(r.id, "[Sallyport] quarantine_id must be an item's code of four characters; nothing is held under it.", true))
			return
		}
		s.beside(r, func() { s.handOver(r, code, false) })
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), attentionLimit)
		defer cancel()
		text, failed := s.attention(ctx)
		s.client.Enqueue(ownAnswer(r.id, text, failed))
	}()
}

// attention asks the hub what waits for this client, over all its servers.
func (s *Session) attention(ctx context.Context) (text string, failed bool) {
	waiting, err := s.cfg.Gate.Attention(ctx, s.clientName())
	if err != nil {
		return "[Sallyport] Sallyport's own program does not answer, so it is not known what waits. Tell the user: open Sallyport.", true
	}
	if len(waiting.Items) == 0 {
		return "[Sallyport] Nothing waits for a decision.", false
	}
	codes := make([]string, len(waiting.Items))
	for i, item := range waiting.Items {
		codes[i] = item.Code
	}
	noun, verb := "items", "wait"
	if len(codes) == 1 {
		noun, verb = "item", "waits"
	}
	return fmt.Sprintf("[Sallyport] %d %s %s for the user's decision: %s. Tell the user: open Sallyport, inbox. Only the user can decide, and only there.",
		len(codes), noun, verb, strings.Join(codes, ", ")), false
}

const codeLetters = "ABCDEFGHJKMNPQRTUVWXYZ2346789"

func ownAnswer(id []byte, text string, failed bool) []byte {
	result := []byte(`{"content":[{"type":"text","text":`)
	result = frame.AppendString(result, text)
	result = append(result, `}]`...)
	if failed {
		result = append(result, `,"isError":true`...)
	}
	return resultLine(id, append(result, '}'))
}
