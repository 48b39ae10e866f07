package proxy

import (
	"strings"
	"testing"
)

func TestAnAnswerBehindJunkIsToldToWhoWaitsForIt(t *testing.T) {
	for name, junk := range map[string]string{
		"a NUL": "\x00", "many NULs": strings.Repeat("\x00", 4096), "a byte order mark": "\ufeff", "a BOM of UTF-16": "\xff\xfe", "a bell": "\a", "a terminal sequence": "\x1b[0m",
		"a word": "junk", "a log's time": "12:03:04 INFO sending ",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := ready(t)
			answering(r, func(id string) []string { return []string{junk + result(id, "evil")} })
			if got := r.call("1", "echo"); !strings.Contains(got, `"code":-32603`) || !strings.Contains(got, "was blocked") || strings.Contains(got, "evil") {
				t.Error(got)
			}
			r.quiet("nothing else comes")
		})
	}
}

func TestAServerThatLogsWhatItSendsIsHeardAllTheSame(t *testing.T) {
	r := ready(t)
	answering(r, func(id string) []string {
		return []string{
			`got {"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"echo"}}`,
			`sending {"jsonrpc":"2.0","id":` + id + `,"result":{"content":[]}}`,
			result(id, "good"),
			`sent {"jsonrpc":"2.0","id":` + id + `,"result":{"content":[]}}`,
		}
	})
	for _, id := range []string{"1", "2", "3"} {
		if got := r.call(id, "echo"); !strings.Contains(got, "good") {
			t.Error(got)
		}
	}
	r.quiet("what it logs is no answer")
}
