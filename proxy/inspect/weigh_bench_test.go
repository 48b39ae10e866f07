package inspect

import (
	"strings"
	"testing"
)

// ordinary is text as servers answer it.
func ordinary(size int) string {
	const page = `{"id":123456,"name":"row","value":-1.25e3,"ok":true,"note":"The quick brown fox jumps over the lazy dog. Send the report before Friday, please."},` + "\n"
	return strings.Repeat(page, size/len(page)+1)[:size]
}

func BenchmarkWeigh(b *testing.B) {
	for name, text := range map[string]string{
		"10 KB ordinary":   ordinary(10 << 10),
		"1 MB ordinary":    ordinary(1 << 20),
		"1 MB of literals": strings.Repeat("ignore before @ . ", (1<<20)/18),
		"1 MB of blobs":    strings.Repeat("aGVsbG8gd29ybGQgdGhpcyBpcyB0ZXh0IQ== ", (1<<20)/37),
		"1 MB of entities": strings.Repeat("&#105;", (1<<20)/6),
		"1 MB accents":     strings.Repeat("éàü ", (1<<20)/7),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for range b.N {
				Weigh([]Part{{Text: text}}, Answer)
			}
		})
	}
}
