package frame

import "bytes"

// Limits on what the finder keeps of a line that is too long to hold.
const (
	maxFoundKey   = 64       // raw bytes of a top-level key; longer ones are unknown to us
	maxFoundID    = 64 << 10 // raw bytes of an id
	maxFoundBatch = 1 << 10  // messages of a batch
)

// finder looks for the first "id", and for a "method", at the top level of one line, which it gets in pieces, in memory that does not
// grow with the line. If the line breaks off, what came before counts. (The official TypeScript SDK writes "result" first and "id" last, so
// the beginning of a line is not enough.)
type finder struct {
	state     finderState
	depth     int
	inKey     bool // the current string is a top-level key
	expectKey bool
	key       []byte
	value     []byte
	wanted    bool // the member is the id: its value is being read or comes next
	reading   bool // that value is being copied into value
	overflow  bool

	id        []byte
	idSeen    bool // set even if the id was unusable: only the first one counts
	hasMethod bool

	batch bool    // the line is a list of messages
	found []Found // the messages that have ended so far
}

// Found describes one message of a batch. A batch is refused whole, but requests waiting for a response in it get an error at once.
type Found struct {
	ID        []byte // raw and valid JSON; nil if there was none
	HasMethod bool
}

type finderState uint8

const (
	finderStart finderState = iota
	finderOutside
	finderString
	finderEscape
	finderBetween // between messages of a batch
	finderDone
)

func (f *finder) write(p []byte) {
	for i := 0; i < len(p); {
		switch f.state {
		case finderDone:
			return
		case finderStart:
			f.start(p[i])
			i++
		case finderString:
			n := IndexSpecial(p[i:])
			f.keep(p[i : i+n])
			i += n
			if i == len(p) {
				return
			}
			f.keep(p[i : i+1])
			if p[i] == '\\' {
				f.state = finderEscape
			} else {
				f.state = finderOutside
				if f.depth == 0 {
					f.state = finderBetween
				}
				f.endString()
			}
			i++
		case finderEscape:
			f.keep(p[i : i+1])
			f.state = finderString
			i++
		case finderBetween:
			f.between(p[i])
			i++
		case finderOutside:
			f.outside(p[i : i+1])
			i++
		}
	}
}

// start looks for the opening brace, skipping white space and the bytes that a log would not contain (a byte order mark, a NUL, control
// characters). Behind words it is a log line, which may quote a message.
func (f *finder) start(c byte) {
	switch {
	case c <= ' ' || c >= 0x7f:
	case c == '{':
		f.depth, f.expectKey, f.state = 1, true, finderOutside
	case c == '[':
		f.batch, f.state = true, finderBetween
	default:
		f.state = finderDone
	}
}

// between looks for the next message of a batch. The protocol has no nested lists, but a response inside one may be waited for too.
func (f *finder) between(c byte) {
	switch c {
	case '{':
		f.depth, f.expectKey, f.state = 1, true, finderOutside
	case '"':
		f.state = finderString
	}
}

// endMessage stores what was found in one message and starts over.
func (f *finder) endMessage() {
	if len(f.found) < maxFoundBatch && (f.id != nil || f.hasMethod) {
		f.found = append(f.found, Found{f.id, f.hasMethod})
	}
	f.id, f.idSeen, f.hasMethod = nil, false, false
	f.depth, f.expectKey, f.state = 0, false, finderBetween
}

func (f *finder) outside(b []byte) {
	switch c := b[0]; c {
	case '"':
		f.state = finderString
		f.inKey = f.depth == 1 && f.expectKey
		if f.inKey {
			f.key = f.key[:0]
			return
		}
	case '{', '[':
		f.depth++
	case '}', ']':
		if f.depth == 1 {
			f.endValue()
			f.state = finderDone
			if f.batch {
				f.endMessage()
			}
			return
		}
		f.depth--
	case ',':
		if f.depth == 1 {
			f.endValue()
			f.expectKey = true
			return
		}
	case ':':
		if f.depth == 1 && !f.reading {
			f.expectKey = false
			f.reading = f.wanted
			f.value, f.overflow = f.value[:0], false
			return
		}
	}
	f.keep(b)
}

// keep copies bytes of a string, or of a wanted value.
func (f *finder) keep(b []byte) {
	switch {
	case f.inKey:
		if len(f.key) <= maxFoundKey {
			f.key = append(f.key, b[:min(len(b), maxFoundKey+1)]...)
		}
	case f.reading && !f.overflow:
		if len(f.value)+len(b) > maxFoundID {
			f.overflow, f.value = true, f.value[:0]
			return
		}
		f.value = append(f.value, b...)
	}
}

// endString decides, at the end of a top-level key, whether its value is wanted.
func (f *finder) endString() {
	if !f.inKey {
		return
	}
	f.inKey, f.wanted = false, false
	content, ok := bytes.CutSuffix(f.key, []byte(`"`))
	switch {
	case !ok || len(f.key) > maxFoundKey:
	case KeyIs(content, "id") && !f.idSeen:
		f.wanted = true
	case KeyIs(content, "method"):
		f.hasMethod = true
	}
}

// endValue stores the id that was read. It is used only if it is valid JSON, because we write it into a line of our own.
func (f *finder) endValue() {
	if !f.reading {
		return
	}
	f.reading, f.wanted, f.idSeen = false, false, true
	value := Root(f.value)
	if !f.overflow && !value.Empty() && Validate(value.Of(f.value)) == nil {
		f.id = bytes.Clone(value.Of(f.value))
	}
}

// finish ends the line: a value that it broke off in counts if it is complete.
func (f *finder) finish() {
	if f.state == finderOutside && f.depth == 1 {
		f.endValue()
	}
	if f.batch {
		f.endMessage()
	}
	f.state = finderDone
}

// look searches a whole line.
func look(line []byte) *finder {
	f := &finder{}
	f.write(line)
	f.finish()
	return f
}

// FindID returns the first "id" at the top level of a line that Scan refused, in its raw bytes. ok is false if there is none or it is not
// valid JSON.
func FindID(line []byte) (raw []byte, ok bool) {
	var f finder
	for len(line) > 0 && !f.idSeen {
		n := min(len(line), 32<<10)
		f.write(line[:n])
		line = line[n:]
	}
	f.finish()
	return f.id, f.id != nil
}

// maxBehindText is how much text ResponseBehindText accepts before a message: a log line begins with a time and a few words.
const maxBehindText = 256

// ResponseBehindText returns the id of what looks like a response behind a piece of text, in a line that is not a message. It may also be a
// log line that quotes the response, so the caller waits for the real one before it reports an error.
func ResponseBehindText(line []byte) (id []byte, ok bool) {
	at := bytes.IndexByte(line[:min(len(line), maxBehindText)], '{')
	if at <= 0 {
		return nil, false
	}
	line = line[at:]
	if !bytes.Contains(line, []byte(`"jsonrpc"`)) || !bytes.Contains(line, []byte(`"result"`)) && !bytes.Contains(line, []byte(`"error"`)) {
		return nil, false
	}
	f := look(line)
	return f.id, f.id != nil && !f.hasMethod
}

// Batch returns the messages of a line that is a list, up to where it is broken; nil for any other line.
func Batch(line []byte) []Found { return look(line).found }

// Oversize is the error for a whole line over the limit.
func Oversize(line []byte) *TooLong { return look(line).tooLong(int64(len(line))) }

func (f *finder) tooLong(size int64) *TooLong {
	return &TooLong{Bytes: size, ID: f.id, HasMethod: f.hasMethod, Batch: f.found}
}
