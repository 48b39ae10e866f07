package vocab

import (
	"bytes"
	"encoding/json"
)

// Payload are the texts that the record of a call, read or prompt keeps if activity.payloads is on, with secrets masked. It is the member
// "payload" of the record's detail.
type Payload struct {
	Arguments string `json:"arguments,omitempty"` // params of the request, as JSON
	Response  string `json:"response,omitempty"`  // result or error, as JSON
	// Cut and LeftOut name the texts that were too long: cut to their beginning, or not kept at all. Values are their sizes in bytes, or
	// what they have at least.
	Cut     map[string]int `json:"cut,omitempty"`
	LeftOut map[string]int `json:"left_out,omitempty"`
}

// SplitPayload takes the payload out of a record's detail. payload is nil if there is none; rest is nil if there is nothing else.
func SplitPayload(detail json.RawMessage) (rest json.RawMessage, payload *Payload) {
	if !bytes.Contains(detail, []byte(`"payload":`)) {
		return detail, nil
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(detail, &members) != nil || json.Unmarshal(members["payload"], &payload) != nil || payload == nil {
		return detail, nil
	}
	delete(members, "payload")
	if len(members) > 0 {
		rest, _ = json.Marshal(members)
	}
	return rest, payload
}

// WithoutPayload is a record's detail without the texts.
func WithoutPayload(detail json.RawMessage) json.RawMessage {
	rest, _ := SplitPayload(detail)
	return rest
}
