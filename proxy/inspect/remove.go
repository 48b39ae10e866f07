package inspect

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect/decode"
)

// Removed stands where something was taken out of an answer.
const Removed = "[removed by Sallyport]"

// ErrUnplaced says that what is marked has no place that could be taken out: the answer goes on whole or not at all.
var ErrUnplaced = errors.New("what is marked cannot be taken out of the answer")

// maxRemovals is how often what is left is judged again. Findings are bounded, so an order that stands a thousand times in an
// answer is not marked a thousand times.
const maxRemovals = 8

// RemoveMarked is answer, a JSON value, with what findings name taken out: their spans, grown to the sentence, are replaced by
// Removed, and everything else stays byte for byte. Where a key is marked, its member goes, key and value. What is left is judged
// again and taken out too where it would be blocked. An error, ErrUnplaced among them, means that marked text would be left.
func RemoveMarked(answer []byte, findings []Finding) ([]byte, error) {
	return (*RuleFile)(nil).RemoveMarked(answer, findings)
}

// RemoveMarked judges what is left by the rules of the file too.
func (f *RuleFile) RemoveMarked(answer []byte, findings []Finding) ([]byte, error) {
	if !json.Valid(answer) {
		return nil, fmt.Errorf("the answer is no JSON: %w", ErrUnplaced)
	}
	for range maxRemovals {
		left, err := removeOnce(answer, findings)
		if err != nil {
			return nil, err
		}
		again := f.NewWatch().Answer(left, Terms{})
		voices := Voice(left)
		if again.Verdict != Block && len(voices) == 0 {
			return left, nil
		}
		answer, findings = left, voices
		if again.Verdict == Block {
			findings = append(findings, again.Findings...)
		}
		if len(findings) == 0 {
			break
		}
	}
	return nil, fmt.Errorf("it would still be blocked: %w", ErrUnplaced)
}

func removeOnce(answer []byte, findings []Finding) ([]byte, error) {
	r := &remover{raw: answer}
	tree := &wanted{}
	for _, f := range findings {
		if f.Category == CategorySecret { // no threat: a redaction has its own setting
			continue
		}
		if f.Rule == NotLookedAt || !tree.insert(f) {
			return nil, fmt.Errorf("%s stands nowhere: %w", f.Rule, ErrUnplaced)
		}
	}
	r.value(frame.Root(answer), tree, "")
	if missing := tree.unplaced(); missing != "" {
		return nil, fmt.Errorf("%s stands nowhere: %w", missing, ErrUnplaced)
	}
	return frame.Splice(make([]byte, 0, len(answer)+64), answer, r.edits), nil
}

// wanted is a tree of the places that findings name.
type wanted struct {
	below  map[string]*wanted // by the segment of a path
	here   []Finding
	placed []bool
}

func (t *wanted) insert(f Finding) bool {
	at := t
	for path := f.Where; path != ""; {
		segment, rest, ok := cutSegment(path)
		if !ok {
			return false
		}
		if at.below == nil {
			at.below = map[string]*wanted{}
		}
		if at.below[segment] == nil {
			at.below[segment] = &wanted{}
		}
		at, path = at.below[segment], rest
	}
	at.here, at.placed = append(at.here, f), append(at.placed, false)
	return true
}

// unplaced is the rule of a finding that no string was found for.
func (t *wanted) unplaced() string {
	for i, ok := range t.placed {
		if !ok {
			return t.here[i].Rule
		}
	}
	for _, below := range t.below {
		if rule := below.unplaced(); rule != "" {
			return rule
		}
	}
	return ""
}

// cutSegment takes the first step off a path: `key`, `["a key"]` or `[3]`, each as Member and Element write it.
func cutSegment(path string) (segment, rest string, ok bool) {
	if path[0] == '[' {
		end := strings.IndexByte(path, ']')
		if len(path) > 1 && path[1] == '"' {
			for end = 2; end < len(path) && path[end] != '"'; end++ {
				if path[end] == '\\' {
					end++
				}
			}
			end++
			if end >= len(path) || path[end] != ']' {
				return "", "", false
			}
		}
		if end < 0 {
			return "", "", false
		}
		segment, rest = path[:end+1], path[end+1:]
	} else if end := strings.IndexAny(path, ".["); end >= 0 {
		segment, rest = path[:end], path[end:]
	} else {
		segment = path
	}
	if strings.HasPrefix(rest, ".") {
		rest = rest[1:]
		ok = rest != ""
	} else {
		ok = rest == "" || rest[0] == '['
	}
	return segment, rest, ok && segment != ""
}

type remover struct {
	raw   []byte
	edits []frame.Edit
}

// value takes out of one value what the tree wants below it. It goes only where a finding is.
func (r *remover) value(v frame.Span, tree *wanted, key string) {
	if len(tree.here) > 0 && frame.Type(r.raw, v) == '"' {
		r.text(v, tree, key)
	}
	if len(tree.below) == 0 {
		return
	}
	frame.Elements(r.raw, v, func(i int, e frame.Span) bool {
		if below := tree.below[Element("", i)]; below != nil {
			r.value(e, below, "")
		}
		return true
	})
	taken := 0 // keys of ours in this object
	frame.Members(r.raw, v, func(key string, m frame.Member) bool {
		below := tree.below[Member("", key)]
		if below == nil {
			return true
		}
		if below.inKey(key, r.raw, m.Value) {
			taken++
			r.member(v, m, taken)
			return true
		}
		r.value(m.Value, below, key)
		return true
	})
}

// inKey says whether a finding at the path of a member is about its key: the words that it quotes stand there, and not in the
// value. Its findings are then placed, since the whole member goes.
func (t *wanted) inKey(key string, raw []byte, value frame.Span) bool {
	text := ""
	if frame.Type(raw, value) == '"' {
		text, _ = frame.String(raw, value)
	}
	found := false
	for _, f := range t.here {
		found = found || f.stands(key) && !f.stands(text)
	}
	if found {
		t.placeAll()
	}
	return found
}

func (t *wanted) placeAll() {
	for i := range t.placed {
		t.placed[i] = true
	}
	for _, below := range t.below {
		below.placeAll()
	}
}

// stands says whether what the finding quotes stands in text where it says.
func (f *Finding) stands(text string) bool {
	return f.Start >= 0 && f.Start < f.End && f.End <= len(text) && cut.Runes(text[f.Start:f.End], maxMatch) == f.Match
}

// member puts ours in the place of a member whose key is marked.
func (r *remover) member(object frame.Span, m frame.Member, taken int) {
	name := Removed
	for n := taken; ; n++ {
		if n > 1 {
			name = fmt.Sprintf("%s %d", Removed, n)
		}
		if _, exists := frame.Find(r.raw, object, name); !exists {
			break
		}
	}
	r.edits = append(r.edits,
		frame.Edit{Start: m.Key.Start, End: m.Key.End, With: frame.AppendString(nil, name)},
		frame.Edit{Start: m.Value.Start, End: m.Value.End, With: frame.AppendString(nil, Removed)})
}

// text takes out of one string what is marked there. A finding that does not stand where it says takes the whole string.
func (r *remover) text(v frame.Span, tree *wanted, key string) {
	decoded, _ := frame.String(r.raw, v)
	if key == "blob" || key == "data" {
		if blob, ok := r.blob(decoded, tree); ok {
			r.edits = append(r.edits, frame.Edit{Start: v.Start, End: v.End, With: blob})
			return
		}
	}
	spans, ok := tree.spans(decoded)
	if !ok {
		r.edits = append(r.edits, frame.Edit{Start: v.Start, End: v.End, With: frame.AppendString(nil, Removed)})
		return
	}
	at := escapedAt{raw: r.raw[v.Start+1 : v.End-1]}
	for _, s := range sentences(decoded, spans) {
		start := at.offset(s[0])
		end := at.offset(s[1])
		r.edits = append(r.edits, frame.Edit{Start: v.Start + 1 + start, End: v.Start + 1 + end, With: []byte(Removed)})
	}
}

// blob takes sentences out of the text that a base64 string holds, and writes it as base64 again: a client that reads the answer
// finds what it expects.
func (r *remover) blob(text string, tree *wanted) ([]byte, bool) {
	plain, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(plain) < decode.MinBlob/2 {
		return nil, false
	}
	spans, ok := tree.spans(text)
	if !ok || !decode.Textual(string(plain)) || strings.ContainsAny(text, "\r\n") {
		return frame.AppendString(nil, base64.StdEncoding.EncodeToString([]byte(Removed))), true
	}
	for i, s := range spans {
		spans[i] = [2]int{min(s[0]/4*3, len(plain)), min((s[1]+3)/4*3, len(plain))}
	}
	var out []byte
	last := 0
	for _, s := range sentences(string(plain), spans) {
		out = append(append(out, plain[last:s[0]]...), Removed...)
		last = s[1]
	}
	return frame.AppendString(nil, base64.StdEncoding.EncodeToString(append(out, plain[last:]...))), true
}

// spans are the marked places of a text; not ok where one of them is none.
func (t *wanted) spans(text string) (spans [][2]int, ok bool) {
	ok = true
	for i, f := range t.here {
		t.placed[i] = true
		if !f.stands(text) {
			ok = false
		}
		spans = append(spans, [2]int{f.Start, f.End})
	}
	return spans, ok
}

// sentences are spans of text grown to the sentences they stand in, in order, those that touch as one.
func sentences(text string, spans [][2]int) [][2]int {
	var grown [][2]int
	slices.SortFunc(spans, func(a, b [2]int) int { return a[0] - b[0] })
	for _, s := range spans {
		last := len(grown) - 1
		if last >= 0 && s[1] <= grown[last][1] {
			continue
		}
		floor := 0
		if last >= 0 {
			floor = grown[last][1]
		}
		start, end := sentenceStart(text, s[0], floor), sentenceEnd(text, s[0], s[1])
		if last >= 0 && start <= floor {
			grown[last][1] = max(end, grown[last][1])
			continue
		}
		grown = append(grown, [2]int{start, end})
	}
	return grown
}

// sentenceStart is where the sentence around text[at] begins, not before floor: nothing is looked at twice.
func sentenceStart(text string, at, floor int) int {
	for at > floor {
		if text[at-1] == '\n' || endsWide(text[:at]) || at < len(text) && utf8.RuneStart(text[at]) && space(text[at-1]) && stopped(text[floor:at-1]) {
			break
		}
		at--
	}
	for at > floor && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// sentenceEnd is where the sentence that goes on at text[end-1] ends.
func sentenceEnd(text string, start, end int) int {
	for i := max(end-1, start); i < len(text); i++ {
		if i >= end && text[i] == '\n' {
			return i
		}
		if !utf8.RuneStart(text[i]) && endsWide(text[:i+1]) {
			return i + 1
		}
		if text[i] != '.' && text[i] != '!' && text[i] != '?' {
			continue
		}
		after := i + 1
		for after < len(text) && strings.IndexByte(closers, text[after]) >= 0 {
			after++
		}
		if after >= end && (after == len(text) || space(text[after])) {
			return after
		}
	}
	return len(text)
}

// closers may stand between the end of a sentence and the space after it.
const closers = "\"')]*_`"

func space(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

func stopped(before string) bool {
	before = strings.TrimRight(before, closers)
	return before != "" && strings.IndexByte(".!?", before[len(before)-1]) >= 0
}

// endsWide says that a text ends with a full stop of Chinese or Japanese, after which no space is needed.
func endsWide(text string) bool {
	if len(text) < 3 {
		return false
	}
	switch text[len(text)-3:] {
	case "\u3002", "\uff01", "\uff1f":
		return true
	}
	return false
}

// escapedAt finds where a byte of a decoded string stands between its quotes. It is asked for offsets that only grow.
type escapedAt struct {
	raw     []byte
	at      int // in raw
	decoded int // the same place decoded
}

func (e *escapedAt) offset(want int) int {
	for e.decoded < want && e.at < len(e.raw) {
		size, length := 1, 1
		if e.raw[e.at] == '\\' {
			size = 2
			if e.raw[e.at+1] == 'u' {
				size, length = unicodeEscape(e.raw[e.at:])
			}
		}
		if e.decoded+length > want && size > 1 && length > 1 { // inside of a character: all of it
			return e.at + size
		}
		e.at += size
		e.decoded += length
	}
	return e.at
}

// unicodeEscape is how long an escape at the start of raw is, both of a pair together, and how many bytes of UTF-8 it stands for.
func unicodeEscape(raw []byte) (size, length int) {
	if len(raw) < 6 {
		return len(raw), 1
	}
	decoded, wellFormed := frame.StringBytes(slices.Concat([]byte{'"'}, raw[:6], []byte{'"'}), frame.Span{Start: 0, End: 8})
	if wellFormed || len(raw) < 12 || raw[6] != '\\' || raw[7] != 'u' {
		return 6, len(decoded)
	}
	pair, wellFormed := frame.StringBytes(slices.Concat([]byte{'"'}, raw[:12], []byte{'"'}), frame.Span{Start: 0, End: 14})
	if wellFormed {
		return 12, len(pair)
	}
	return 6, len(decoded)
}
