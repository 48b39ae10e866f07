package decode

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// pieces are texts of every makeup and length.
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
	return text[:min(len(text), Zone)]
}

func TestTheMakeupOfATextIsWhatReadingItByteByByteSays(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 200_000 {
		text := randomText(random)
		m := MakeupOf(text)
		if want := allMarks(text); m.Marks != want {
			t.Fatalf("%q has marks %06b, not %06b", text, m.Marks, want)
		}
		head, tail, caps := 0, 0, 0
		for i := range len(text) {
			c := text[i]
			if m.Blob[i>>6]>>(i&63)&1 == 1 != Base64Letters[c] {
				t.Fatalf("%q: byte %d, %q, is of a blob: %v", text, i, c, !Base64Letters[c])
			}
			if c >= 'A' && c <= 'Z' {
				caps++
			}
			tail++
			if head == i && Base64Letters[c] {
				head++
			}
			if !Base64Letters[c] {
				tail = 0
			}
		}
		if m.Blob.Leading() != head || m.Blob.Trailing(len(text)) != tail || Capitals(text) != caps {
			t.Fatalf("%q: begins with %d, ends with %d letters, has %d capitals; not %d, %d, %d", text, m.Blob.Leading(), m.Blob.Trailing(len(text)), Capitals(text), head, tail, caps)
		}
		if long := NextRun(text, 0, MinBlob, &Base64Letters) < len(text); m.Blob.long(len(text)) != long {
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
				m := MakeupOf(text)
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
				MarksOf(text)
				hasBlob(text)
			}
		})
	}
}
