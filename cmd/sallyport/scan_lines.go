package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect"
)

// scanLine is one line of a stream.
type scanLine struct {
	id   json.RawMessage // null if it has none
	tool []byte          // nil if the line is a text
	text string
}

// scannedLine is what `scan --as jsonl` prints for each line, in the same order.
type scannedLine struct {
	Findings []inspect.Finding `json:"findings"`
	ID       json.RawMessage   `json:"id"` // as in the line; null where it has none
	Verdict  inspect.Verdict   `json:"verdict"`
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// readScanLine reads one line. An ambiguous line is refused, or an attack could pass in the half that was not inspected. Other members, and
// a tool that is not an object, are ignored here; the detectors report faults inside a tool.
func readScanLine(raw []byte) (scanLine, error) {
	switch {
	case bytes.HasPrefix(raw, byteOrderMark):
		return scanLine{}, errors.New(" begins with a byte order mark: save it without one")
	case !utf8.Valid(raw):
		return scanLine{}, errors.New(" is not valid UTF-8")
	}
	if frame.Validate(raw) != nil || frame.Type(raw, frame.Root(raw)) != '{' { // what is allowed besides, or what is wrong, the slower decoder knows
		var object struct{}
		if err := json.Unmarshal(raw, &object); err != nil {
			return scanLine{}, errors.New(" is not a JSON object with an id and a tool or text" + whyNoLine("it", err))
		}
	}
	members := map[string]json.RawMessage{}
	var twice error
	frame.Members(raw, frame.Root(raw), func(key string, m frame.Member) bool {
		if _, seen := members[key]; seen {
			twice = fmt.Errorf(" has %q twice", terminal.Short(key, 40))
		}
		for _, known := range []string{"id", "tool", "text"} {
			if key != known && strings.EqualFold(key, known) {
				twice = fmt.Errorf(" has %q, which some programs read as %q", key, known)
			}
		}
		members[key] = m.Value.Of(raw)
		return twice == nil
	})
	if twice != nil {
		return scanLine{}, twice
	}
	line := scanLine{id: members["id"]}
	if line.id == nil {
		line.id = json.RawMessage("null")
	}
	if tool := members["tool"]; bytes.HasPrefix(tool, []byte("{")) {
		line.tool = tool
	}
	given := members["text"] != nil && string(members["text"]) != "null"
	switch {
	case given && line.tool != nil:
		return scanLine{}, errors.New(" has both a tool and a text: put each on its own line")
	case !given && line.tool == nil:
		return scanLine{}, errors.New(" has no text, and no tool that is an object")
	case given:
		if text, ok := plainText(members["text"]); ok {
			line.text = text
		} else if err := json.Unmarshal(members["text"], &line.text); err != nil {
			return scanLine{}, errors.New(" is not a JSON object with an id and a tool or text" + whyNoLine(`"text"`, err))
		}
	}
	return line, nil
}

// plainText decodes a string that has no surrogates, of which a lone one is read in more than one way. raw must be valid JSON.
func plainText(raw json.RawMessage) (text string, ok bool) {
	if bytes.Contains(raw, []byte(`\ud`)) || bytes.Contains(raw, []byte(`\uD`)) {
		return "", false
	}
	return frame.String(raw, frame.Root(raw))
}

// whyNoLine is what is wrong with a line in terms of JSON: the decoder's error would name our own types.
func whyNoLine(what string, err error) string {
	kind, broken := new(json.UnmarshalTypeError), new(json.SyntaxError)
	switch {
	case errors.As(err, &kind):
		article := "a"
		if kind.Value == "array" || kind.Value == "object" {
			article = "an"
		}
		return fmt.Sprintf(": %s is %s %s", what, article, kind.Value)
	case errors.As(err, &broken):
		return fmt.Sprintf(": %s (at byte %d)", broken.Error(), broken.Offset)
	}
	return ""
}

// stream judges JSON Lines one by one, in order: a million of them need no more memory than one.
func (look scanner) stream(in io.Reader, out io.Writer) (found bool, err error) {
	lines := frame.NewReader(in, maxScanned)
	for number := 1; ; number++ {
		raw, err := lines.Next()
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err != nil {
			return found, fmt.Errorf("line %d: %w", number, err)
		}
		if len(bytes.TrimSpace(raw)) == 0 {
			continue
		}
		line, err := readScanLine(raw)
		if err != nil {
			return found, fmt.Errorf("line %d%w", number, err)
		}
		var item scannedItem
		if line.tool != nil {
			item = look.tool("", line.tool)
		} else {
			item = look.text("", line.text)
		}
		found = found || item.threatens()
		if err := writeJSON(out, scannedLine{item.Findings, line.id, item.Verdict}); err != nil {
			return found, err
		}
	}
}
