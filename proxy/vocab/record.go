package vocab

import (
	"cmp"
	"encoding/json"
	"time"
)

// Record is one line of the activity timeline, on the socket and in the store. Its hash covers its JSON, so fields may only be added at the
// end. A wrapper fills in what it knows, the store Prev and Hash.
type Record struct {
	ID         string          `json:"id"` // sortable and unique: a record that arrives twice is stored once
	Time       time.Time       `json:"time" ts_type:"string"`
	Kind       RecordKind      `json:"kind"`
	Status     Status          `json:"status"`
	Server     string          `json:"server,omitempty"`
	Tool       string          `json:"tool,omitempty"`
	Code       string          `json:"code,omitempty"`
	Mode       string          `json:"mode,omitempty"` // of a policy_decision: the value of the setting that decided, or ModeAlways
	Summary    string          `json:"summary,omitempty"`
	Detail     json.RawMessage `json:"detail,omitempty" ts_type:"string"`
	Client     string          `json:"client,omitempty"`
	Session    string          `json:"session,omitempty"`
	Request    string          `json:"request,omitempty"`
	DurationUS int64           `json:"duration_us,omitempty"`
	Bytes      int64           `json:"bytes,omitempty"`
	Prev       string          `json:"prev,omitempty"`
	Hash       string          `json:"hash,omitempty"`
	ServerID   string          `json:"server_id,omitempty"` // of the server, to tell two with one name apart; a wrapper's value is ignored
}

// ModeAlways is the mode of a decision that is the same under every setting.
const ModeAlways = "always"

// Named is the subject of a read: the URI or prompt name as the record keeps it, "" for other records. It is the server's or the client's
// own text, cleaned and with secrets masked.
func (r *Record) Named() string {
	if r.Kind != RecordRead && r.Kind != RecordPrompt || len(r.Detail) == 0 {
		return ""
	}
	var detail struct{ URI, Prompt string }
	if json.Unmarshal(r.Detail, &detail) != nil {
		return ""
	}
	return cmp.Or(detail.URI, detail.Prompt)
}

// Check is the check that a record is about ("output_schema"), "" if it is about none.
func (r *Record) Check() string {
	var detail struct{ Check string }
	if len(r.Detail) == 0 || json.Unmarshal(r.Detail, &detail) != nil {
		return ""
	}
	return detail.Check
}

// Violation is how a response breaks its tool's output schema, as a record's detail has it. Schema and Instance are JSON pointers into the schema
// and into the structured content: server text, escaped and cut. Message is ours, More the number of further violations.
type Violation struct {
	Keyword  string `json:"keyword"`
	Schema   string `json:"schema"`
	Instance string `json:"instance"`
	Message  string `json:"message"`
	More     int    `json:"more"`
}

// Violation is what the record says about a response that does not match its tool's output schema, nil for other records.
func (r *Record) Violation() *Violation {
	if r.Kind != RecordPolicyDecision || len(r.Detail) == 0 {
		return nil
	}
	var detail struct{ Violation *Violation }
	if json.Unmarshal(r.Detail, &detail) != nil {
		return nil
	}
	return detail.Violation
}

// Versions are the protocol versions that a server offered when it had none in common with the client, and the one that the client wanted.
// Anything that is not a date is left out: a version is a server's own text.
type Versions struct {
	Offered []string `json:"offered,omitempty"` // oldest first; empty if it named no date
	Asked   string   `json:"asked,omitempty"`
	Client  string   `json:"client,omitempty"` // the client, if known
}

// The protocol's two eras, as in reports and pins: that of initialize, up to 2025-11-25, and that of stateless requests, from 2026-07-28 on.
const (
	EraLegacy = "legacy"
	EraModern = "modern"
)

// Eras are the protocol versions that a server's process speaks, by era, oldest first. An era that is not known is nil; one that the
// server is known not to speak is empty.
type Eras struct {
	Legacy []string `json:"legacy,omitzero"`
	Modern []string `json:"modern,omitzero"`
}

// Unknown reports whether nothing is known of either era.
func (e Eras) Unknown() bool { return e.Legacy == nil && e.Modern == nil }
