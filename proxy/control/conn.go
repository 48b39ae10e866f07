package control

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/peer"
)

const (
	// maxLineToHub holds a report of 32 MiB of definitions with every quote escaped, and a held response of 64 MiB.
	maxLineToHub = 128 << 20
	// maxLineFromHub holds an item with two such versions.
	maxLineFromHub = 192 << 20
	// maxHelloLine limits what is read from an end that has not identified itself.
	maxHelloLine = 64 << 10
)

var errLineTooLong = errors.New("a line longer than what is spoken here")

// message is any JSON-RPC 2.0 message. A request has method and id, a notification no id, a response no method.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// encode makes one line. Server text keeps its `<` and `&`, so that it arrives as it was delivered.
func encode(m any) ([]byte, error) {
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	if err := e.Encode(m); err != nil {
		return nil, err
	}
	return line.Bytes(), nil
}

func encodeRaw(v any) (json.RawMessage, error) {
	line, err := encode(v)
	return bytes.TrimSuffix(line, []byte("\n")), err
}

// lines reads one message after another.
type lines struct {
	r     *bufio.Reader
	still func() error // checks the sender of each line, nil for no check
	over  func()       // called once reading has ended, may be nil
}

func newLines(r io.Reader) *lines { return &lines{r: bufio.NewReaderSize(r, 16<<10)} }

// linesOf are the messages of a proved end.
func linesOf(w *peer.Witness) *lines {
	l := newLines(w)
	l.still = w.Still
	return l
}

// next returns the next line as a message of at most limit bytes. A line that is not a message is an error: none of our ends sends one.
func (l *lines) next(limit int) (message, error) {
	var line []byte
	for {
		piece, err := l.r.ReadSlice('\n')
		if len(line)+len(piece) > limit {
			return message{}, errLineTooLong
		}
		if err == nil && line == nil {
			line = piece // decoded before the next read
			break
		}
		line = append(line, piece...)
		if err == nil {
			break
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return message{}, err // a last line without its end was cut off
		}
	}
	if l.still != nil {
		if err := l.still(); err != nil {
			return message{}, err
		}
	}
	m, err := decode(line)
	if err != nil {
		return m, fmt.Errorf("a line that is no message: %w", err)
	}
	if m.Version != "2.0" || len(m.ID) > 64 {
		return m, errors.New("a line that is no message")
	}
	return m, nil
}

// decode reads one message, and keeps nothing of the line. Most lines are read by the frame package, six times as fast as by encoding/json,
// which a response with its text for a guardrail provider needs. What that package finds ambiguous (half a character that a server sent) is
// left to the other.
func decode(line []byte) (m message, err error) {
	if frame.Validate(line) != nil {
		err = json.Unmarshal(line, &m)
		return m, err
	}
	line = bytes.Clone(line)
	frame.Members(line, frame.Root(line), func(key string, member frame.Member) bool {
		raw := slices.Clip(member.Value.Of(line))
		switch key {
		case "jsonrpc":
			m.Version, _ = frame.String(line, member.Value)
		case "id":
			m.ID = raw
		case "method":
			if frame.Type(line, member.Value) != '"' {
				err = errors.New("its method is no string")
			}
			m.Method, _ = frame.String(line, member.Value)
		case "params":
			m.Params = raw
		case "result":
			m.Result = raw
		case "error":
			err = json.Unmarshal(raw, &m.Error)
		}
		return err == nil
	})
	return m, err
}

// tallyInterval is the shortest time between two reports of one kind of attack; otherwise an attacker could fill the timeline.
const tallyInterval = time.Minute

// tally counts events and decides when their number is worth a record.
type tally struct {
	mu    sync.Mutex
	count int
	told  time.Time
}

// met counts an event and returns how many to report now, 0 for none.
func (t *tally) met(now time.Time) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.count++
	if !t.told.IsZero() && now.Sub(t.told) < tallyInterval {
		return 0
	}
	count := t.count
	t.count, t.told = 0, now
	return count
}

// Foreign reports messages on the hub's connections that a different program than the proved one wrote. Count is their number since the
// last report.
type Foreign struct {
	PID   int    // of the proved process, for the last message
	Why   string // a sentence of our own
	Count int
}
