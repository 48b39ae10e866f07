package inspect

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/inspect/decode"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

// Rules of this package. Names are stable: exceptions and records refer to them.
const (
	InvisibleCharacters = "invisible_characters"
	ControlCharacters   = "control_characters"
	ANSIEscape          = "ansi_escape"
	BeyondBounds        = "beyond_bounds"
	LookAlikeName       = "look_alike_name"
	OddSchema           = "odd_schema"
	NotASchema          = "not_a_schema"
	OutputSchema        = "output_schema"
	HeaderArgument      = "header_argument" // a tool that wants arguments in headers of a request, in a way that can't be sent
)

const (
	maxFindings = 64   // per text; beyond it only a more serious finding is added
	maxMatch    = 160  // characters of Match
	maxDecoded  = 1000 // bytes of Decoded
	longRun     = 8    // invisible characters in a row that can't be an editor's slip
)

// Text reports every run of invisible characters in a string that no script or emoji calls for. where is the path of the text in its
// definition.
func Text(text string, where string) []Finding {
	first := firstHidden(text)
	if first < 0 {
		return nil
	}
	s := scan{text: text, where: where}
	for i := first; i < len(text); {
		i = s.step(i)
	}
	s.hiddenText()
	return s.findings
}

// firstHidden is where the scan has to start, -1 for plain text, as nearly all text is.
func firstHidden(text string) int {
	for i := 0; i < len(text); {
		for i+8 <= len(text) && decode.Plain(text[i:i+8]) {
			i += 8
		}
		if i == len(text) {
			break
		}
		if c := text[i]; c >= ' ' && c < 0x7f || c == '\n' || c == '\t' {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if legible.ClassOf(r) != legible.Ordinary && !(r == '\r' && strings.HasPrefix(text[i:], "\r\n")) {
			return i
		}
		i += size
	}
	return -1
}

type scan struct {
	text      string
	where     string
	findings  []Finding
	tags      spelled // by all tag characters of the text
	selectors spelled // by all stray variation selectors
}

// spelled is what characters that each carry a byte spell together.
type spelled struct {
	bytes      []byte
	start, end int // the first run of them
}

func (s *spelled) add(text string, start, end int, byteOf func(rune) (byte, bool)) {
	if s.end == 0 {
		s.start, s.end = start, end
	}
	for _, r := range text[start:end] {
		if b, ok := byteOf(r); ok {
			s.bytes = append(s.bytes, b)
		}
	}
}

// step handles one run or one plain character and returns where the next one begins.
func (s *scan) step(i int) int {
	rest := s.text[i:]
	r, size := utf8.DecodeRuneInString(rest)
	if r < 0x20 && (r == '\t' || r == '\n' || strings.HasPrefix(rest, "\r\n")) {
		return i + size
	}
	c := legible.ClassOf(r)
	if c == legible.Ordinary {
		return i + size
	}
	if n := legible.Sequence(rest); n > 0 {
		s.add(Finding{Rule: ANSIEscape, Level: High, Title: "A terminal escape sequence"}, i, i+n)
		return i + n
	}
	end, count, same := s.run(i, c, r)
	run := s.text[i:end]
	if c != legible.Control && legible.Honest(c, s.text[:i], run, s.text[end:]) {
		return end
	}
	s.judge(c, r, count, same, i, end)
	return end
}

// run returns the end of the run of one class that starts at i, its length in characters, and whether they are all the same.
func (s *scan) run(i int, c legible.Class, first rune) (end, count int, same bool) {
	end, same = i, true
	for end < len(s.text) {
		r, size := utf8.DecodeRuneInString(s.text[end:])
		if legible.ClassOf(r) != c || c == legible.Control && (legible.Sequence(s.text[end:]) > 0 || strings.HasPrefix(s.text[end:], "\r\n")) {
			break
		}
		same = same && r == first
		end += size
		count++
	}
	return end, count, same
}

func (s *scan) judge(c legible.Class, r rune, count int, same bool, start, end int) {
	f := Finding{Rule: InvisibleCharacters, Level: Medium}
	switch c {
	case legible.Control:
		f.Rule = ControlCharacters
		f.Title = counted(count, "control character", r, same)
	case legible.Turning:
		f.Level = High
		f.Title = counted(count, "character that turns the direction of text", r, same)
	case legible.Tag:
		f.Level = High
		f.Title = counted(count, "tag character", r, false)
		s.tags.add(s.text, start, end, legible.TagByte)
	case legible.Variation:
		if count > 1 {
			f.Level = High
		}
		f.Title = counted(count, "stray variation selector", r, same)
		s.selectors.add(s.text, start, end, legible.SelectorByte)
	default:
		if count >= longRun {
			f.Level = High
		}
		f.Title = counted(count, "invisible character", r, same)
	}
	s.add(f, start, end)
}

// counted describes a run: "3 invisible characters (ZERO WIDTH SPACE)".
func counted(n int, what string, r rune, same bool) string {
	name := ""
	if same {
		if name = legible.CharacterName(r); name == "" {
			name = fmt.Sprintf("U+%04X", r)
		}
		name = " (" + name + ")"
	}
	if n == 1 {
		return "1 " + what + name
	}
	noun, rest, more := strings.Cut(what, " that turns ")
	if more {
		return fmt.Sprintf("%d %ss that turn %s%s", n, noun, rest, name)
	}
	return fmt.Sprintf("%d %ss%s", n, what, name)
}

func (s *scan) add(f Finding, start, end int) {
	f.Category = "threat"
	f.Where, f.Start, f.End = s.where, start, end
	f.Match = cut.Runes(s.text[start:end], maxMatch)
	s.findings = appendBounded(s.findings, f, maxFindings)
}

// hiddenText makes findings Critical if the characters spell a message. The pieces may be far apart, one after every visible character, so
// it judges the whole text.
func (s *scan) hiddenText() {
	if letters(string(s.tags.bytes)) >= 2 {
		s.raise("tag character", s.tags)
	}
	if message := string(s.selectors.bytes); len(message) >= 4 && legible.Printable(message) && letters(message) >= 2 {
		s.raise("variation selector", s.selectors)
	}
}

// raise makes the findings about one kind of character Critical; the first of them quotes the message.
func (s *scan) raise(what string, hidden spelled) {
	message := Finding{
		Rule: InvisibleCharacters, Level: Critical, Title: "A hidden message in " + what + "s", Decoded: cut.Bytes(string(hidden.bytes), maxDecoded),
		Encodings: []string{strings.ReplaceAll(what, " ", "_") + "s"},
	}
	raised := false
	for i := range s.findings {
		f := &s.findings[i]
		if f.Rule != InvisibleCharacters || !strings.Contains(f.Title, what) {
			continue
		}
		f.Level, f.Title, f.Encodings = Critical, message.Title, message.Encodings
		if !raised {
			f.Decoded, raised = message.Decoded, true
		}
	}
	if !raised { // the list was full
		s.add(message, hidden.start, hidden.end)
	}
}

func letters(s string) int {
	n := 0
	for _, r := range s {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}

// appendBounded keeps the first findings up to most, and after that only one more serious than all before: a server that prints without end
// must neither hide its worst text nor fill the store.
func appendBounded(findings []Finding, f Finding, most int) []Finding {
	if len(findings) < most || f.Level.Rank() > Worst(findings).Rank() {
		return append(findings, f)
	}
	return findings
}
