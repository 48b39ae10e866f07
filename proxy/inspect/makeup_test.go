package inspect

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// pieces of texts of every makeup, and of all lengths.
func randomText(random *rand.Rand) string {
	odd := []string{"&", "%", "\\", "\x00", "\x1f", "\x7f", "\x80", "\xff", "é", "\n", "\t", "\r", "i g n o r e", "a.b.c.d.e.f", "~", "!", "[", "{", "@", "`", "/", ":", "G", "g", "+", "-", "_", "deadBEEF00112233", "aGVsbG8gd29ybGQ"}
	var b strings.Builder
	for range random.IntN(9) {
		b.WriteString("The quick brown fox {1,2}; 12 May"[:random.IntN(33)])
		b.WriteString(strings.Repeat(string("xX0f-"[random.IntN(5)]), random.IntN(40)/(1+random.IntN(8))))
		if random.IntN(2) == 0 {
			b.WriteString(odd[random.IntN(len(odd))])
		}
	}
	text := b.String()
	return text[:min(len(text), zone)]
}

func TestTheMakeupOfATextIsWhatReadingItByteByByteSays(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 200_000 {
		text := randomText(random)
		m := makeupOf(text)
		if want := marksOf(text); m.marks != want {
			t.Fatalf("%q has marks %06b, not %06b", text, m.marks, want)
		}
		head, tail, caps := 0, 0, 0
		for i := range len(text) {
			c := text[i]
			if m.blob[i>>6]>>(i&63)&1 == 1 != base64Letters[c] {
				t.Fatalf("%q: byte %d, %q, is of a blob: %v", text, i, c, !base64Letters[c])
			}
			if c >= 'A' && c <= 'Z' {
				caps++
			}
			tail++
			if head == i && base64Letters[c] {
				head++
			}
			if !base64Letters[c] {
				tail = 0
			}
		}
		if m.blob.leading() != head || m.blob.trailing(len(text)) != tail || capitals(text) != caps {
			t.Fatalf("%q: begins with %d, ends with %d letters, has %d capitals; not %d, %d, %d", text, m.blob.leading(), m.blob.trailing(len(text)), capitals(text), head, tail, caps)
		}
		if long := nextRun(text, 0, minBlob, &base64Letters) < len(text); m.blob.long(len(text)) != long {
			t.Fatalf("%q: sixteen letters in a row: %v", text, !long)
		}
		if m.holds(text) != hasBlob(text) {
			t.Fatalf("%q has a blob: %v", text, hasBlob(text))
		}
	}
}

func BenchmarkMakeup(b *testing.B) {
	for _, text := range []string{strings.Repeat("x", 60), "The file has 12 lines, of which three were changed since then.", strings.Repeat("the quick brown fox; ", 12)} {
		b.Run("", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for range b.N {
				m := makeupOf(text)
				m.holds(text)
			}
		})
	}
}

func BenchmarkMarks(b *testing.B) {
	for _, text := range []string{strings.Repeat("x", 60), "The file has 12 lines, of which three were changed since then.", strings.Repeat("the quick brown fox; ", 12)} {
		b.Run("", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for range b.N {
				marksOf(text)
				hasBlob(text)
			}
		})
	}
}
