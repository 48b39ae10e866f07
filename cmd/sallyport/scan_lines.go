package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect"
)

// scanLine is one line of a stream.
type scanLine struct {
	id   json.RawMessage // null if it has none
	tool []byte          // nil if the line is a text
	text string          // valid until the next line is read
	room []byte          // buffer for a text with escapes
}

// scannedLine is what `scan --as jsonl` prints for each line, in the same order.
type scannedLine struct {
	Findings []inspect.Finding `json:"findings"`
	ID       json.RawMessage   `json:"id"` // as in the line; null where it has none
	Verdict  inspect.Verdict   `json:"verdict"`
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// read reads one line. An ambiguous line is refused, or an attack could pass in the half that was not inspected. Other members, and a tool that
// is not an object, are ignored here; the detectors report faults inside a tool.
func (l *scanLine) read(raw []byte) error {
	l.tool, l.text = nil, ""
	switch {
	case bytes.HasPrefix(raw, byteOrderMark):
		return errors.New(" begins with a byte order mark: save it without one")
	case !utf8.Valid(raw):
		return errors.New(" is not valid UTF-8")
	}
	if frame.Validate(raw) != nil || frame.Type(raw, frame.Root(raw)) != '{' { // what is allowed besides, or what is wrong, the slower decoder knows
		var object struct{}
		if err := json.Unmarshal(raw, &object); err != nil {
			return errors.New(" is not a JSON object with an id and a tool or text" + whyNoLine("it", err))
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
		return twice
	}
	if l.id = members["id"]; l.id == nil {
		l.id = json.RawMessage("null")
	}
	if tool := members["tool"]; bytes.HasPrefix(tool, []byte("{")) {
		l.tool = tool
	}
	given := members["text"] != nil && string(members["text"]) != "null"
	switch {
	case given && l.tool != nil:
		return errors.New(" has both a tool and a text: put each on its own line")
	case !given && l.tool == nil:
		return errors.New(" has no text, and no tool that is an object")
	case given:
		if l.plainText(members["text"]) {
			return nil
		}
		if err := json.Unmarshal(members["text"], &l.text); err != nil {
			return errors.New(" is not a JSON object with an id and a tool or text" + whyNoLine(`"text"`, err))
		}
	}
	return nil
}

// plainText decodes a string that has no surrogates, of which a lone one is read in more than one way. raw must be valid JSON, in UTF-8.
func (l *scanLine) plainText(raw json.RawMessage) (ok bool) {
	surrogate := bytes.Contains(raw, []byte(`\u`)) && (bytes.Contains(raw, []byte(`\ud`)) || bytes.Contains(raw, []byte(`\uD`)))
	if surrogate || frame.Type(raw, frame.Root(raw)) != '"' {
		return false
	}
	var decoded []byte
	decoded, l.room = frame.AppendText(slices.Grow(l.room[:0], len(raw)), raw, frame.Root(raw))
	l.text = unsafe.String(unsafe.SliceData(decoded), len(decoded))
	return true
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

// lineGarbage is how much garbage a stream leaves before it is collected, in percent of what is in use: that is little, and each line leaves some.
const lineGarbage = 400

// maxLineRoom is the largest buffer kept for the next line.
const maxLineRoom = 1 << 20

// stream judges JSON Lines one by one, in order: a million of them need no more memory than one. What is said about the lines that were read
// is written before more are waited for.
func (look scanner) stream(in io.Reader, to io.Writer) (found bool, err error) {
	defer debug.SetGCPercent(debug.SetGCPercent(lineGarbage))
	out := bufio.NewWriterSize(to, 64<<10)
	defer func() {
		if flushed := out.Flush(); err == nil {
			err = flushed
		}
	}()
	lines, line := frame.NewReader(flushedBefore{in, out}, maxScanned), scanLine{}
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
		if cap(line.room) > maxLineRoom {
			line.room = nil
		}
		if err := line.read(raw); err != nil {
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

// flushedBefore writes out what is buffered before it reads.
type flushedBefore struct {
	in  io.Reader
	out *bufio.Writer
}

func (f flushedBefore) Read(p []byte) (int, error) {
	if f.out.Flush() != nil {
		return 0, io.EOF // the writer keeps its error
	}
	return f.in.Read(p)
}
