package flow

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// BenchmarkResponse takes the values of ordinary responses: rows of JSON, prose, and a picture in base64. MB/s is of the JSON.
func BenchmarkResponse(b *testing.B) {
	var rows strings.Builder
	for n := range 4000 {
		fmt.Fprintf(&rows, `{"id":%d,"title":"Issue number %d of the tracker","state":"open","user":{"login":"ada_%d","url":"https://git.example/ada/%d"},"body":"It fails when the input is empty, as you can see in the log of build %d. Please have a look when you have time."},`, n, n, n%50, n%50, n)
	}
	prose := strings.Repeat("The quick brown fox jumps over the lazy dog, while Grace Hopper writes to ada@example.com about version 2.4 of the compiler. ", 8000)
	text, _ := json.Marshal(prose)
	picture, _ := json.Marshal(strings.Repeat("iVBORw0KGgoAAAANSUhEUgAAAAUA9f8BAQEAzPbkAAAAAElFTkSuQmCC", 16_000))
	for name, raw := range map[string][]byte{
		"rows":    []byte(`[` + strings.TrimSuffix(rows.String(), ",") + `]`),
		"prose":   []byte(`{"content":[{"type":"text","text":` + string(text) + `}]}`),
		"picture": []byte(`{"content":[{"type":"image","data":` + string(picture) + `}]}`),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			n := 0
			for b.Loop() {
				Response(raw, func(Value) { n++ })
			}
		})
	}
}
