package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/sallyport/sallyport/proxy/frame"
)

// scanLine is one line of a stream.
type scanLine struct {
	ID   json.RawMessage `json:"id"`
	Tool json.RawMessage `json:"tool"`
	Text *string         `json:"text"`
}

// whyNoLine is what is wrong with a line, in words of JSON: those of the decoder name our own types.
func whyNoLine(err error) string {
	kind, broken := new(json.UnmarshalTypeError), new(json.SyntaxError)
	switch {
	case errors.As(err, &kind):
		what, article := "it", "a"
		if kind.Field != "" {
			what = strconv.Quote(kind.Field)
		}
		if kind.Value == "array" || kind.Value == "object" {
			article = "an"
		}
		return fmt.Sprintf(": %s is %s %s", what, article, kind.Value)
	case errors.As(err, &broken):
		return fmt.Sprintf(": %s (at byte %d)", broken.Error(), broken.Offset)
	}
	return ""
}

// stream judges JSON Lines one by one, in their order: a million of them need no more memory than one.
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
		var line scanLine
		if err := json.Unmarshal(raw, &line); err != nil {
			return found, fmt.Errorf("line %d is no JSON object with id and tool or text%s", number, whyNoLine(err))
		}
		var item scannedItem
		switch {
		case line.Tool != nil:
			item = look.tool("", line.Tool)
		case line.Text != nil:
			item = look.text("", *line.Text)
		default:
			return found, fmt.Errorf("line %d has neither tool nor text", number)
		}
		found = found || item.threatens()
		id := line.ID
		if id == nil {
			id = json.RawMessage("null")
		}
		if err := writeJSON(out, map[string]any{"id": id, "verdict": item.Verdict, "findings": item.Findings}); err != nil {
			return found, err
		}
	}
}
