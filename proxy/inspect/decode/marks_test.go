package decode

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// slowMarks finds byte by byte what MarksOf finds. Of letters that are spaced apart it only tells that none may be missed.
func slowMarks(text string) (m marks) {
	for i := range len(text) {
		switch c := text[i]; {
		case c >= 0x80:
			m |= Wide
		case c == '&':
			m |= markAmp
		case c == '%':
			m |= markPercent
		case c == '\\':
			m |= markSlash
		case c < 0x20 && c != '\n' && c != '\t' && c != '\r', c == 0x7f:
			m |= ControlCharacters
		}
	}
	quoted := 0
	for i := 0; i+2 < len(text)&^7; i++ { // what is behind the last whole eight bytes is one letter at most
		if text[i] == '"' && text[i+2] == '"' && wordByte(text[i+1]) {
			quoted++
		}
	}
	if quoted >= minSpaced {
		m |= markQuoted
	}
	if len(text) >= 2*minSpaced-1 && lonely(text, 0) < len(text) {
		m |= markLonely
	}
	return m
}

func TestMarksAreWhatReadingByteByByteFinds(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	odd := []string{"&", "%", "\\", "\x00", "\x1f", "\x7f", "\x80", "\xff", "\n", "\t", "\r", "i g n o r e  a l l", "a.b.c.d.e.f", "~", "!", "[", "\x1b", `"a", "b", "c", "d", "e"`, `{"a":"b"}`}
	for range 200_000 {
		var b strings.Builder
		for range random.IntN(5) {
			b.WriteString("The quick brown fox {1,2}; 12 May"[:random.IntN(33)])
			if random.IntN(3) == 0 {
				b.WriteString(odd[random.IntN(len(odd))])
			}
		}
		text := b.String()
		if got, want := MarksOf(text), slowMarks(text); got != want {
			t.Fatalf("%q has %06b, not %06b", text, got, want)
		}
	}
}

func TestLettersThatStandApartAreMarkedWhereverTheyStand(t *testing.T) {
	for before := range 20 {
		for after := range 20 {
			text := strings.Repeat("x", before) + " i g n o r e " + strings.Repeat("y", after)
			if MarksOf(text)&markLonely == 0 {
				t.Fatalf("not in %q", text)
			}
		}
	}
}
