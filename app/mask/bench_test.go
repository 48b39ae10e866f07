package mask

import (
	"strings"
	"testing"
)

func BenchmarkMaskLine(b *testing.B) {
	line := strings.Repeat("2026-01-01 12:00:00 INFO listed 12 files\t", 25)
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		Text(line, []string{"hunter2hunter2"})
	}
}
