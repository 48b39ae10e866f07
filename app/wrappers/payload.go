package wrappers

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/sallyport/sallyport/app/mask"
	"github.com/sallyport/sallyport/app/office"
)

// maskPayload masks the texts that a record keeps of a request (setting activity.payloads), each as one text, and the rest of its detail
// with maskRest. A wrapper has masked what it recognizes; the hub knows more secrets, such as those in the server's command.
func maskPayload(raw json.RawMessage, secrets []string, maskRest func(json.RawMessage, []string) json.RawMessage) json.RawMessage {
	var whole struct {
		Payload map[string]any `json:"payload"`
	}
	if json.Unmarshal(raw, &whole) != nil || whole.Payload == nil {
		return maskRest(raw, secrets)
	}
	written := inJSON(secrets)
	for key, value := range whole.Payload {
		if text, ok := value.(string); ok {
			whole.Payload[key] = mask.Text(unescaped(text), written)
		}
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return nil
	}
	delete(members, "payload")
	var rest map[string]json.RawMessage
	if json.Unmarshal(maskRest(office.Detail(members), secrets), &rest) != nil || rest == nil {
		rest = map[string]json.RawMessage{} // nothing of it could be masked safely
	}
	rest["payload"] = office.Detail(whole.Payload)
	return office.Detail(rest)
}

// inJSON are secrets as they stand in JSON without needless escapes, and behind them as they are.
func inJSON(secrets []string) (all []string) {
	for _, secret := range secrets {
		quoted := mask.PlainJSON(secret)
		if inside := quoted[1 : len(quoted)-1]; inside != secret {
			all = append(all, inside)
		}
	}
	return slices.Concat(all, secrets)
}

// unescaped is JSON whose strings say the same without escapes that visible ASCII does not need: some programs write + as \u002b and / as \/,
// and a secret has to be found however it is written.
func unescaped(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		switch {
		case text[i] != '\\' || i+1 == len(text):
			out = append(out, text[i])
			i++
			continue
		case text[i+1] == '/':
			out = append(out, '/')
			i += 2
			continue
		case text[i+1] == 'u' && i+6 <= len(text):
			if n, err := strconv.ParseUint(text[i+2:i+6], 16, 16); err == nil && n >= ' ' && n < 0x7f && n != '"' && n != '\\' {
				out = append(out, byte(n))
				i += 6
				continue
			}
		}
		out = append(out, text[i], text[i+1])
		i += 2
	}
	return string(out)
}
