package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/vocab"
)

func TestARecordShowsWhatItKeepsOfACallEscapedAndSaysWhatIsMissing(t *testing.T) {
	detail := `{"check":"inspect","payload":{"arguments":"{\"city\":\"Porto\"}","response":"{\"text\":\"a\u001b[31mb\"","cut":{"response":70000}}}`
	var out bytes.Buffer
	newPage(streams{out: &out}).wholeRecord(vocab.Record{ID: "r1", Kind: vocab.RecordCall, Status: vocab.StatusOK, Detail: json.RawMessage(detail)})
	for _, want := range []string{"arguments (secrets masked)\n", `"city": "Porto"`, "response (the beginning; 70000 bytes in all, secrets masked)\n", `"check": "inspect"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("without %q:\n%s", want, &out)
		}
	}
	if strings.Contains(out.String(), "\x1b") || strings.Contains(out.String(), "payload") {
		t.Errorf("raw:\n%s", &out)
	}
	out.Reset()
	newPage(streams{out: &out}).wholeRecord(vocab.Record{Detail: json.RawMessage(`{"payload":{"left_out":{"response":300000}}}`)})
	if !strings.Contains(out.String(), "response: not kept, it has at least 300000 bytes\n") || strings.Contains(out.String(), "detail") {
		t.Errorf("%s", &out)
	}
}
