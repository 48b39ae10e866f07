package control

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
)

// Lines as both ends write them, and some that neither does.
var oddLines = []string{
	`{"jsonrpc":"2.0","id":1,"method":"guard","params":{"tool":"echo","text":["a \"b\"\n","é"],"within":1000000000}}`,
	`{"jsonrpc":"2.0","id":1,"method":"guard","params":{"tool":"echo","text":[],"away":true,"within":1}}`,
	`{"jsonrpc":"2.0","method":"stderr","params":{"text":"half a character: \ud800"}}`,
	`{"jsonrpc":"2.0","id":7,"result":{"a":1,"A":2}}`,
	`{"jsonrpc":"2.0","id":7,"error":{"code":4004,"message":"no such item"}}`,
	`{"jsonrpc":"2.0","id":null,"result":null}`,
	`{"jsonrpc":"2.0"}`, `{}`, `[]`, `null`, `{"jsonrpc":2}`, `{"jsonrpc":"2.0","method":5}`, `{"jsonrpc":"2.0","error":5}`, `{"jsonrpc":"2.0","id":1`, `x`, ``,
}

func TestALineIsReadAsTheStandardLibraryReadsIt(t *testing.T) {
	for _, line := range oddLines {
		var want message
		wrong := json.Unmarshal([]byte(line), &want) != nil || want.Version != "2.0"
		got, err := newLines(strings.NewReader(line + "\n")).next(1 << 20)
		if (err != nil) != wrong || !wrong && !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v; %+v", line, got, err, want)
		}
	}
}

func TestAQuestionToAProviderIsReadAsTheStandardLibraryReadsIt(t *testing.T) {
	for _, raw := range []string{
		`{"tool":"echo","text":["a \"b\"\n","é","\ud83d\ude00"],"within":1000000000}`, `{"tool":"","text":[],"away":true,"within":-1}`, `{}`,
		`{"tool":"x","text":["\ud800"],"within":1}`, `{"tool":"x","text":null}`, `{"tool":null}`, `{"away":null}`, `{"within":1e3}`, `{"within":"1"}`,
		`{"text":[1]}`, `{"text":"x"}`, `{"Tool":"x"}`, `{"tool":"x","more":1}`, `[]`, `null`, `{`,
	} {
		var want Guard
		wrong := json.Unmarshal([]byte(raw), &want) != nil
		got, err := decoded[Guard](json.RawMessage(raw))
		if (err != nil) != wrong || !wrong && !reflect.DeepEqual(got, want) && len(got.Text)+len(want.Text) > 0 {
			t.Errorf("%s: %+v, %v; %+v", raw, got, err, want)
		}
	}
}

func BenchmarkAQuestionToAProvider(b *testing.B) {
	params, err := encodeRaw(Guard{Tool: "echo", Text: []string{strings.Repeat("The quick brown fox jumps over the \"lazy\" dog.\n", 210)}, Within: time.Second})
	if err != nil {
		b.Fatal(err)
	}
	line := append([]byte(`{"jsonrpc":"2.0","id":1,"method":"guard","params":`), params...)
	line = append(line, '}')
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		m, err := decode(line)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := decoded[Guard](m.Params); err != nil {
			b.Fatal(err)
		}
	}
}
