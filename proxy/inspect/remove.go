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

// Removed replaces text that was cut out of a response.
const Removed = "[removed by Sallyport]"

// ErrUnplaced means that a marked part could not be located, so the response can only be released whole.
var ErrUnplaced = errors.New("the marked text can't be removed from the response")

// maxRemovals is how often the rest is judged again. Findings are limited, so a response that repeats an order a thousand times is not
// marked a thousand times.
const maxRemovals = 8

// RemoveMarked returns answer, a JSON value, without the text that findings mark: their spans, extended to the sentence, are replaced by
// Removed; everything else stays byte for byte, what is Low too. If a key is marked, its member is replaced, key and value. The rest is judged again, by the rules of the file
// too, and cut again if it would be blocked. An error, such as ErrUnplaced, means that marked text would remain.
func (f *RuleFile) RemoveMarked(answer []byte, findings []Finding) ([]byte, error) {
	if !json.Valid(answer) {
		return nil, fmt.Errorf("the response is not JSON: %w", ErrUnplaced)
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

// Removable reports whether RemoveMarked has something to cut, and can cut all that findings object to. A guardrail provider objects to a
// response as a whole: no text could be cut out for it.
func Removable(findings []Finding) bool {
	n := 0
	for _, f := range findings {
		switch {
		case f.stays():
		case f.Rule == NotLookedAt, f.Where == "" && f.End <= f.Start:
			return false
		default:
			n++
		}
	}
	return n > 0
}

// stays reports whether a finding marks nothing to remove: redaction has its own setting, and a weak sign is no warning.
func (f *Finding) stays() bool { return f.Category == CategorySecret || f.Level == Low }

func removeOnce(answer []byte, findings []Finding) ([]byte, error) {
	r := &remover{raw: answer}
	tree := &wanted{}
	for _, f := range findings {
		if f.stays() {
			continue
		}
		if f.Rule == NotLookedAt || !tree.insert(f) {
			return nil, fmt.Errorf("%s is not in the response: %w", f.Rule, ErrUnplaced)
		}
	}
	r.value(frame.Root(answer), tree, "")
	if missing := tree.unplaced(); missing != "" {
		return nil, fmt.Errorf("%s is not in the response: %w", missing, ErrUnplaced)
	}
	return frame.Splice(make([]byte, 0, len(answer)+64), answer, r.edits), nil
}

// wanted is a tree of the places of findings.
type wanted struct {
	below  map[string]*wanted // by path segment
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

// unplaced returns the rule of a finding that was not located.
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

type remover struct {
	raw   []byte
	edits []frame.Edit
}

// value cuts the marked parts out of one value. It only descends to findings.
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
	taken := 0 // our replacement keys in this object
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

// inKey reports whether a finding at the path of a member is about its key: then its quoted words are in the key, not in the value. Such
// findings count as placed, because the whole member is replaced.
func (t *wanted) inKey(key string, raw []byte, value frame.Span) bool {
	text := textAt(raw, value)
	found := slices.ContainsFunc(t.here, func(f Finding) bool { return f.quotes(key) && !f.quotes(text) })
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

// quotes reports whether the finding's quoted words are in text at its offsets.
func (f *Finding) quotes(text string) bool {
	return f.Start >= 0 && f.Start < f.End && f.End <= len(text) && cut.Runes(text[f.Start:f.End], maxMatch) == f.Match
}

// member replaces a member whose key is marked.
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
	r.replace(m.Key, frame.AppendString(nil, name))
	r.replace(m.Value, frame.AppendString(nil, Removed))
}

func (r *remover) replace(at frame.Span, with []byte) {
	r.edits = append(r.edits, frame.Edit{Start: at.Start, End: at.End, With: with})
}

// text cuts the marked parts out of one string. A finding that is not where it claims to be takes the whole string.
func (r *remover) text(v frame.Span, tree *wanted, key string) {
	decoded, _ := frame.String(r.raw, v)
	if key == "blob" || key == "data" {
		if blob, ok := r.blob(decoded, tree); ok {
			r.replace(v, blob)
			return
		}
	}
	spans, ok := tree.spans(decoded)
	if !ok {
		r.replace(v, frame.AppendString(nil, Removed))
		return
	}
	at := escapedAt{raw: r.raw[v.Start+1 : v.End-1]}
	for _, s := range sentences(decoded, spans) {
		start := v.Start + 1 + at.offset(s[0])
		r.replace(frame.Span{Start: start, End: v.Start + 1 + at.offset(s[1])}, []byte(Removed))
	}
}

// blob cuts sentences out of the text in a base64 string and encodes it again, so that the client gets the format it expects.
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

// spans are the marked ranges of a text; not ok if one is invalid.
func (t *wanted) spans(text string) (spans [][2]int, ok bool) {
	ok = true
	for i, f := range t.here {
		t.placed[i] = true
		if !f.quotes(text) {
			ok = false
		}
		spans = append(spans, [2]int{f.Start, f.End})
	}
	return spans, ok
}

// sentences extends ranges to whole sentences, in order, and merges those that touch.
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

// sentenceStart is the start of the sentence around text[at], but not before floor, so nothing is read twice.
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

// sentenceEnd is the end of the sentence that contains text[end-1].
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

// closers can come between the end of a sentence and the following space.
const closers = "\"')]*_`"

func space(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

func stopped(before string) bool {
	before = strings.TrimRight(before, closers)
	return before != "" && strings.IndexByte(".!?", before[len(before)-1]) >= 0
}

// endsWide reports whether a text ends with a Chinese or Japanese full stop, which needs no space after it.
func endsWide(text string) bool {
	return strings.HasSuffix(text, "\u3002") || strings.HasSuffix(text, "\uff01") || strings.HasSuffix(text, "\uff1f")
}
