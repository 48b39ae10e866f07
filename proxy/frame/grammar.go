package frame

import "math"

// place is the position of an object in a message. It decides how strictly keys are judged.
type place uint8

const (
	placeOther    place = iota // equal keys are refused, exact or folded
	placeExact                 // the client's own names: only exact duplicates are refused
	placeEnvelope              // the message itself
	placeParams                // its params
	placeContext               // a client's params.context
	placeMeta                  // a client's params._meta
	placeResult                // a server's result
)

// frame is one open container.
type frame struct {
	mask    uint64 // one bit per key hash: a key whose bit is clear has no duplicate yet
	base    uint32 // index of its first key among all open keys
	value   uint32 // where the value of the member being read starts
	comma   uint32 // its last comma
	ours    uint16 // index + 1 in scanner.ours of the member being read; 0 if it is not ours
	object  bool
	place   place
	child   place // place of a container that opens next inside this one
	field   field // the member being read, fieldNone for one of no interest
	leading bool  // all members so far were ours
}

// scanner is the state of one pass. Its memory is reused.
type scanner struct {
	raw []byte
	dir Direction // 0 if the input is not a message
	keySet
	frames       []frame
	spans        [fieldCount]Span
	ours         []Member
	known        Keys
	method       []byte
	methodBuffer []byte
}

func (s *scanner) begin(raw []byte) {
	s.seed()
	s.raw, s.dir = raw, 0
	s.spans = [fieldCount]Span{}
	s.frames, s.keys = s.frames[:0], s.keys[:0]
	if cap(s.methodBuffer) > 4096 {
		s.methodBuffer = nil
	}
}

// end drops references to the line and frees large buffers.
func (s *scanner) end() {
	s.raw, s.ours = nil, nil
	s.release()
}

func parseProblem(reason string, at int) *Problem   { return &Problem{reason, at, CodeParse} }
func invalidProblem(reason string, at int) *Problem { return &Problem{reason, at, CodeInvalid} }

// stringProblem turns a reason of scanString into a Problem: invalid UTF-8 is ambiguous, the rest is not JSON.
func stringProblem(reason string, at int) *Problem {
	if reason == reasonUTF8 {
		return invalidProblem(reason, at)
	}
	return parseProblem(reason, at)
}

// firstByte names two common bad beginnings, which editors and Windows tools write.
func firstByte(raw []byte, i int) *Problem {
	if raw[i] == 0xEF && i+2 < len(raw) && raw[i+1] == 0xBB && raw[i+2] == 0xBF {
		return invalidProblem("a byte order mark", i)
	}
	if raw[i] == 0 {
		return parseProblem("a NUL byte", i)
	}
	return nil
}

func skipSpace(raw []byte, i int) int {
	for i < len(raw) && isSpace(raw[i]) {
		i++
	}
	return i
}

// document reads raw as one value with only white space around it.
func (s *scanner) document(root place) *Problem {
	if uint64(len(s.raw)) >= math.MaxUint32 {
		return invalidProblem("longer than 4 GiB", 0) // key offsets are kept in 32 bits
	}
	end, p := s.value(skipSpace(s.raw, 0), root)
	if p != nil {
		return p
	}
	if end = skipSpace(s.raw, end); end < len(s.raw) {
		return parseProblem("something after the value", end)
	}
	return nil
}

// value reads the value that starts at raw[i] and returns the offset after it. It keeps its own stack, because the sender chooses the
// depth. It is one function because every message passes it: cut at its labels it took 9 to 20% longer (BenchmarkScan).
func (s *scanner) value(i int, root place) (end int, _ *Problem) {
	raw := s.raw
	var (
		f      *frame // the innermost open container, nil outside
		tr     traits
		reason string
		ok     bool
		start  int
		child  = root
	)

value:
	if i >= len(raw) {
		return 0, parseProblem(reasonEnd, i)
	}
	switch c := raw[i]; c {
	case '"':
		if start = shortString(raw, i+1); start >= 0 {
			i = start
		} else if i, _, reason = scanString(raw, i+1); reason != "" {
			return 0, stringProblem(reason, i)
		}
		i++
	case '{', '[':
		if len(s.frames) >= MaxDepth {
			return 0, invalidProblem("nested too deeply", i)
		}
		if f != nil {
			child = f.child
		}
		s.frames = append(s.frames, frame{base: uint32(len(s.keys)), object: c == '{', place: child, leading: true})
		f = &s.frames[len(s.frames)-1]
		if child == placeExact {
			f.child = placeExact
		}
		i = skipSpace(raw, i+1)
		if i >= len(raw) {
			return 0, parseProblem(reasonEnd, i)
		}
		if c == '{' {
			if raw[i] == '}' {
				i++
				goto closed
			}
			goto key
		}
		if raw[i] == ']' {
			i++
			goto closed
		}
		goto value
	case 't':
		if len(raw)-i < 4 || string(raw[i:i+4]) != "true" {
			return 0, parseProblem("no JSON value", i)
		}
		i += 4
	case 'f':
		if len(raw)-i < 5 || string(raw[i:i+5]) != "false" {
			return 0, parseProblem("no JSON value", i)
		}
		i += 5
	case 'n':
		if len(raw)-i < 4 || string(raw[i:i+4]) != "null" {
			return 0, parseProblem("no JSON value", i)
		}
		i += 4
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		start = i
		if i, ok = scanNumber(raw, i); !ok {
			return 0, parseProblem(reasonNumber, start)
		}
	default:
		if p := firstByte(raw, i); p != nil {
			return 0, p
		}
		return 0, parseProblem("no JSON value", i)
	}

valued: // here a value of f has ended before i
	if f == nil {
		return i, nil
	}
	if f.object {
		if f.field != fieldNone {
			s.spans[f.field] = Span{int(f.value), i}
			f.field = fieldNone
		}
		if f.ours != 0 {
			s.closeOurs(f, i)
		}
		i = skipSpace(raw, i)
		if i >= len(raw) {
			return 0, parseProblem(reasonEnd, i)
		}
		if raw[i] == ',' {
			f.comma = uint32(i)
			f.ours = 0
			i = skipSpace(raw, i+1)
			goto key
		}
		if raw[i] != '}' {
			return 0, parseProblem("no comma or brace after a member", i)
		}
		i++
		goto closed
	}
	i = skipSpace(raw, i)
	if i >= len(raw) {
		return 0, parseProblem(reasonEnd, i)
	}
	if raw[i] == ',' {
		i = skipSpace(raw, i+1)
		goto value
	}
	if raw[i] != ']' {
		return 0, parseProblem("no comma or bracket after an element", i)
	}
	i++
	goto closed

key:
	if i >= len(raw) {
		return 0, parseProblem(reasonEnd, i)
	}
	if raw[i] != '"' {
		return 0, parseProblem("a key that is no string", i)
	}
	start = i + 1
	if i, tr = shortString(raw, start), 0; i < 0 {
		if i, tr, reason = scanString(raw, start); reason != "" {
			return 0, stringProblem(reason, i)
		}
	}
	if p := s.key(f, start, i, tr); p != nil {
		return 0, p
	}
	i = skipSpace(raw, i+1)
	if i >= len(raw) {
		return 0, parseProblem(reasonEnd, i)
	}
	if raw[i] != ':' {
		return 0, parseProblem("no colon after a key", i)
	}
	i = skipSpace(raw, i+1)
	f.value = uint32(i)
	goto value

closed:
	if len(s.keys)-int(f.base) > fewKeys {
		if double, found := s.doubled(raw, s.keys[f.base:], f.place != placeExact); found {
			return 0, doubleProblem(f.place, int(double.start))
		}
	}
	s.keys = s.keys[:f.base]
	s.frames = s.frames[:len(s.frames)-1]
	f = nil
	if n := len(s.frames); n > 0 {
		f = &s.frames[n-1]
	}
	goto valued
}

// key judges one key of f, whose content is raw[start:end].
func (s *scanner) key(f *frame, start, end int, tr traits) *Problem {
	content := s.raw[start:end]
	record := keyRecord{hash: s.sum(content, tr, f.place != placeExact), start: uint32(start), size: uint32(end - start)}
	// Beyond fewKeys, duplicates are found when the object closes.
	if bit := uint64(1) << (record.hash & 63); f.mask&bit == 0 {
		f.mask |= bit
	} else if len(s.keys)-int(f.base) <= fewKeys && s.among(s.raw, s.keys[f.base:], record, f.place != placeExact) {
		return doubleProblem(f.place, start)
	}
	s.keys = append(s.keys, record)

	switch f.place {
	case placeEnvelope:
		if p := s.envelopeKey(f, content, tr, start); p != nil {
			return p
		}
	case placeParams:
		child, ok := s.paramsKey(content, tr)
		if !ok {
			return invalidProblem("a known key of params in another case", start)
		}
		f.child = child
		plain := content
		if tr != 0 {
			plain = s.decoded[0]
		}
		switch string(plain) {
		case "name":
			f.field = fieldName
		case "_meta":
			f.field = fieldMeta
		}
	case placeMeta:
		claims, ok := s.claims(content, tr)
		if !ok {
			return invalidProblem("a known key of _meta in another case", start)
		}
		if claims {
			f.field = fieldClaim
		}
	case placeResult:
		f.field = s.resultField(content, tr)
	case placeContext:
		f.child = s.contextKey(content, tr)
	}
	if s.dir == FromServer {
		s.known |= keysIn(content, tr)
		if startsOurs(content) && s.isOurs(content, tr) {
			if len(s.ours) == MaxOurs {
				return invalidProblem("too many keys that begin with sallyport/", start)
			}
			s.ours = append(s.ours, Member{Key: Span{start - 1, end + 1}})
			f.ours = uint16(len(s.ours))
		} else {
			f.leading = false
		}
	}
	return nil
}

// keysIn returns the Keys bit of a key. An escaped key may be any of them.
func keysIn(content []byte, tr traits) Keys {
	switch {
	case tr&escaped != 0:
		return KeyIsError | KeyTaskID
	case len(content) == len("isError") && string(content) == "isError":
		return KeyIsError
	case len(content) == len("taskId") && string(content) == "taskId":
		return KeyTaskID
	}
	return 0
}

func doubleProblem(at place, offset int) *Problem {
	if at == placeExact {
		return invalidProblem(reasonTwoEqual, offset)
	}
	return invalidProblem(reasonTwoFolded, offset)
}

// envelopeKey records which member of the envelope comes next.
func (s *scanner) envelopeKey(f *frame, content []byte, tr traits, start int) *Problem {
	name, ok := s.envelopeField(content, tr)
	if !ok {
		return invalidProblem("a known key in another case", start)
	}
	f.field, f.child = name, placeOther
	switch {
	case name == fieldParams:
		f.child = placeParams
	case s.dir == FromClient && (name == fieldResult || name == fieldError):
		f.child = placeExact
	case name == fieldResult:
		f.child = placeResult
	}
	return nil
}
