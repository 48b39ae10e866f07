package scripted

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"time"
)

type Script struct {
	// Log names a file that gets every arriving line, so that a test sees what reached the server.
	Log string `json:"log,omitempty"`
	// IgnoreEOF and IgnoreTERM make the server stay when it is asked to end (ten minutes at most).
	IgnoreEOF  bool `json:"ignore_eof,omitempty"`
	IgnoreTERM bool `json:"ignore_term,omitempty"`

	Face                  // the face at the start
	Faces map[string]Face `json:"faces,omitempty"` // others, selected by a step
	Rules []Rule          `json:"rules,omitempty"` // the first rule that matches an event wins
}

// Face is what the server declares at one time. A nil list is a capability that the server lacks; an empty one is a list without items.
type Face struct {
	// Initialize is the whole result of initialize; by default it is made of the fields below.
	Initialize   Verbatim   `json:"initialize,omitempty"`
	Capabilities Verbatim   `json:"capabilities,omitempty"`
	Info         Verbatim   `json:"info,omitempty"`
	Instructions Verbatim   `json:"instructions,omitempty"` // a JSON string
	Tools        []Verbatim `json:"tools"`
	Prompts      []Verbatim `json:"prompts"`
	Resources    []Verbatim `json:"resources"`
	Templates    []Verbatim `json:"templates"`
	Skills       []Verbatim `json:"skills,omitempty"` // entries of skills/list; what their resources say is in Answers
	// Answers are results by tool name, prompt name or resource URI.
	Answers map[string]Verbatim `json:"answers,omitempty"`
	// Fill adds this many tools fill_00000, fill_00001…
	Fill int `json:"fill,omitempty"`
	// PageSize cuts listings into pages; 0 is one page.
	PageSize int `json:"page_size,omitempty"`
	// Cursor is "" for honest paging, "endless" for a new cursor on every page, "same" for one cursor that leads back to its own page.
	Cursor string `json:"cursor,omitempty"`
	// ListMeta is inserted verbatim into every list result, for example `"_meta":{"x":1}`.
	ListMeta string `json:"list_meta,omitempty"`
}

// Rule takes Steps on an event. If no step answers, a request stays unanswered.
type Rule struct {
	// On is "start", "eof", a method ("tools/list"), a method and its subject ("tools/call get_forecast", "prompts/get NAME",
	// "resources/read URI"), "answered METHOD" after its answer, "answered METHOD as FACE" after one with that face, "answer ID" for the
	// client's answer to a request of ours, "line" for any input, "file PATH" and "gone PATH" for a file that appears or disappears.
	On string `json:"on"`
	// From and To limit which occurrences of the event count, from 1; 0 means no limit.
	From int `json:"from,omitempty"`
	To   int `json:"to,omitempty"`
	// Contains restricts the rule to lines that contain it.
	Contains string `json:"contains,omitempty"`
	// While restricts the rule to times when this file exists.
	While string `json:"while,omitempty"`
	// Async takes the steps on another goroutine, so that the server keeps reading.
	Async bool   `json:"async,omitempty"`
	Steps []Step `json:"steps,omitempty"`
}

// Step is one action; exactly one of its fields is set (Times and Within belong to Notify, Hold to Daemons, and Put may have a Notify).
type Step struct {
	// Send writes a line. ${id} is the request's id as written, ${next} the id plus one, ${text} the id as a string if it is a number and
	// vice versa, ${n} the number of this occurrence of the event, ${token} the request's progress token, ${arg:NAME} the content of the
	// string argument NAME.
	Send string `json:"send,omitempty"`
	// Bytes is Send for binary data, without a line feed at the end.
	Bytes []byte `json:"bytes,omitempty"`
	// Result and Error answer the request with this value, expanded as Send is.
	Result Verbatim `json:"result,omitempty"`
	Error  Verbatim `json:"error,omitempty"`
	// Default answers as if no rule had matched.
	Default bool `json:"default,omitempty"`
	// Put changes to the face of that name; "first" is the face at the start. With Notify, nothing is answered with the new face before the
	// notification.
	Put string `json:"put,omitempty"`
	// Notify sends a notification of this method, Times times (at least once), spread over Within.
	Notify string   `json:"notify,omitempty"`
	Times  int      `json:"times,omitempty"`
	Within Duration `json:"within,omitempty"`
	// Progress sends this many progress notifications for the request.
	Progress int `json:"progress,omitempty"`
	// Big answers with a line of exactly this many bytes, the id at the beginning, or with BigLast at the end.
	Big     int `json:"big,omitempty"`
	BigLast int `json:"big_last,omitempty"`
	// Stderr writes this many bytes to standard error, in lines; Say writes one line there.
	Stderr int    `json:"stderr,omitempty"`
	Say    string `json:"say,omitempty"`
	// Wait waits for an event of this name since the rule began, for "cancelled" (of this request) or "file PATH", which may exist already.
	// Sleep just waits. Both end with the input.
	Wait  string   `json:"wait,omitempty"`
	Sleep Duration `json:"sleep,omitempty"`
	// Daemons starts a process in a session of its own without a parent, which ignores TERM, HUP and INT and appends its id to this file;
	// with Hold it keeps our output open.
	Daemons string `json:"daemons,omitempty"`
	Hold    bool   `json:"hold,omitempty"`
	// Exit ends the server with a status (Quit for status 0); Kill ends it with KILL.
	Exit int  `json:"exit,omitempty"`
	Quit bool `json:"quit,omitempty"`
	Kill bool `json:"kill,omitempty"`
	// CloseOut closes the output and continues.
	CloseOut bool `json:"close_out,omitempty"`
}

// Verbatim is JSON kept byte for byte. In a script it is an object or array, or a string that holds the text, which allows invalid JSON. It
// is always written as a string.
type Verbatim string

func (v Verbatim) MarshalJSON() ([]byte, error) { return json.Marshal(string(v)) }

func (v *Verbatim) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '"' {
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return err
		}
		*v = Verbatim(text)
		return nil
	}
	*v = Verbatim(raw)
	return nil
}

// Duration is a time.Duration written as Go writes it ("30ms").
type Duration time.Duration

func (d Duration) MarshalJSON() ([]byte, error) { return json.Marshal(time.Duration(d).String()) }

func (d *Duration) UnmarshalJSON(raw []byte) error {
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return err
	}
	span, err := time.ParseDuration(text)
	*d = Duration(span)
	return err
}

// Load reads a script from a file.
func Load(path string) (Script, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return Script{}, fmt.Errorf("read script: %w", err)
	}
	var script Script
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&script); err != nil {
		return Script{}, fmt.Errorf("read script %s: %w", path, err)
	}
	return script, nil
}

// Save writes a script to a file that Load reads.
func (s Script) Save(path string) error {
	raw, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		return fmt.Errorf("write script: %w", err)
	}
	return os.WriteFile(path, raw, 0o600)
}
