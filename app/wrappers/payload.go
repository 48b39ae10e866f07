package wrappers

import (
	"encoding/json"

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
	for key, value := range whole.Payload {
		if text, ok := value.(string); ok {
			whole.Payload[key] = mask.Text(text, secrets)
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
