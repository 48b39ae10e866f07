package frame

import "bytes"

// What the finder keeps of a line it cannot hold.
const (
	maxFoundKey    = 64       // raw bytes of a top-level key; longer ones are none we know
	maxFoundID     = 64 << 10 // raw bytes of an id
	maxFoundMethod = 1 << 10  // raw bytes of a method
	maxFoundBatch  = 1 << 10  // messages of a batch
)

// finder looks for the first "id" and the first "method" at the top level of one line, in pieces, in memory that does not grow
// with the line. The line may be broken anywhere: what counts is what stands there before. (The official TypeScript SDK writes
// "result" first and "id" last: the beginning of a line does not do.)
type finder struct {
	state     finderState
	depth     int
	inKey     bool // the string being read is a key of the top level
	expectKey bool
	key       []byte
	value     []byte
	wanted    wanted // whose value comes or is being read
	reading   bool   // the value is being read into value
	overflow  bool

	id        []byte
	idSeen    bool // also when it was unusable: the first one counts
	hasMethod bool
	method    string

	batch bool    // the line is a list of messages,
	found []Found // of which these have ended
}

// Found is what can be said of one message in a batch. A batch is refused whole, but who waits for one of the answers in it is told
// so.
type Found struct {
	ID        []byte // raw and valid JSON; nil if none was seen
	HasMethod bool
}

type finderState uint8

const (
	finderStart finderState = iota
	finderOutside
	finderString
	finderEscape
	finderBetween // messages of a batch
	finderDone
)

type wanted uint8

const (
	wantNone wanted = iota
	wantID
	wantMethod
)

func (f *finder) reset() {
	*f = finder{key: f.key[:0], value: f.value[:0]}
}

// write takes the next piece of the line.
func (f *finder) write(p []byte) {
	for i := 0; i < len(p); {
		switch f.state {
		case finderDone:
			return
		case finderStart:
			i += f.start(p[i])
		case finderString:
			n := indexSpecial(p[i:])
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

// start looks for the brace, behind white space or what the line was refused for: a byte order mark, a NUL, any byte that nobody writes into
// a log. Behind words there is a log line, which may quote a message.
func (f *finder) start(c byte) int {
	switch {
	case c <= ' ' || c >= 0x7f:
	case c == '{':
		f.depth, f.expectKey, f.state = 1, true, finderOutside
	case c == '[':
		f.batch, f.state = true, finderBetween
	default:
		f.state = finderDone
	}
	return 1
}

// between looks for the next message of a batch. Lists in it are none of the protocol's, but an answer in one is waited for too.
func (f *finder) between(c byte) {
	switch c {
	case '{':
		f.depth, f.expectKey, f.state = 1, true, finderOutside
	case '"':
		f.state = finderString
	}
}

// endMessage keeps what was found of one message, and begins again.
func (f *finder) endMessage() {
	if len(f.found) < maxFoundBatch && (f.id != nil || f.hasMethod) {
		f.found = append(f.found, Found{f.id, f.hasMethod})
	}
	f.id, f.idSeen, f.hasMethod, f.method = nil, false, false, ""
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
			f.reading = f.wanted != wantNone
			f.value, f.overflow = f.value[:0], false
			return
		}
	}
	f.keep(b)
}

// keep takes bytes of a string, or of a value that is wanted.
func (f *finder) keep(b []byte) {
	switch {
	case f.inKey:
		if len(f.key) <= maxFoundKey {
			f.key = append(f.key, b[:min(len(b), maxFoundKey+1)]...)
		}
	case f.reading && !f.overflow:
		limit := maxFoundID
		if f.wanted == wantMethod {
			limit = maxFoundMethod
		}
		if len(f.value)+len(b) > limit {
			f.overflow, f.value = true, f.value[:0]
			return
		}
		f.value = append(f.value, b...)
	}
}

// endString says, where a key of the top level has ended, whether its value is wanted.
func (f *finder) endString() {
	if !f.inKey {
		return
	}
	f.inKey, f.wanted = false, wantNone
	content, ok := bytes.CutSuffix(f.key, []byte(`"`))
	switch {
	case !ok || len(f.key) > maxFoundKey:
	case keyIs(content, "id") && !f.idSeen:
		f.wanted = wantID
	case keyIs(content, "method"):
		if !f.hasMethod {
			f.wanted = wantMethod
		}
		f.hasMethod = true
	}
}

// endValue takes the value that was read. An id is used only if it is JSON: we write it into a line of our own.
func (f *finder) endValue() {
	if !f.reading {
		return
	}
	f.reading = false
	value := Root(f.value)
	switch f.wanted {
	case wantID:
		f.idSeen = true
		if !f.overflow && !value.Empty() && Validate(value.Of(f.value)) == nil {
			f.id = bytes.Clone(value.Of(f.value))
		}
	case wantMethod:
		if !f.overflow {
			f.method, _ = String(f.value, value)
		}
	}
	f.wanted = wantNone
}

// finish says that the line has ended: a value it broke off in counts if it is whole.
func (f *finder) finish() {
	if f.state == finderOutside && f.depth == 1 {
		f.endValue()
	}
	if f.batch {
		f.endMessage()
	}
	f.state = finderDone
}

// FindID is the first "id" at the top level of a line that Scan refused, as the bytes it is written in. ok is false where
// there is none, or none that is JSON.
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

// maxBehindText is how much text may stand before a message that AnswerBehindText finds: a log line begins with a time and a few words.
const maxBehindText = 256

// AnswerBehindText is the id of what looks like an answer behind a piece of text, in a line that is no message. The line may as well be a
// log line that quotes the answer: whoever asked is told only if no other comes.
func AnswerBehindText(line []byte) (id []byte, ok bool) {
	at := bytes.IndexByte(line[:min(len(line), maxBehindText)], '{')
	if at <= 0 {
		return nil, false
	}
	line = line[at:]
	if !bytes.Contains(line, []byte(`"jsonrpc"`)) || !bytes.Contains(line, []byte(`"result"`)) && !bytes.Contains(line, []byte(`"error"`)) {
		return nil, false
	}
	var f finder
	f.write(line)
	f.finish()
	return f.id, f.id != nil && !f.hasMethod
}

// Batch are the messages of a line that is a list of them, up to where it is broken; none for any other line.
func Batch(line []byte) []Found {
	var f finder
	f.write(line)
	f.finish()
	return f.found
}

// Oversize is what a Reader says of a line that is too long, where the limit came after the line.
func Oversize(line []byte) *TooLong {
	var f finder
	f.write(line)
	f.finish()
	return f.tooLong(int64(len(line)))
}

func (f *finder) tooLong(size int64) *TooLong {
	return &TooLong{Bytes: size, ID: f.id, HasMethod: f.hasMethod, Method: f.method, Batch: f.found}
}
