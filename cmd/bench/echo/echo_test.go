package echo

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestAnAnswerIsALineOfJSONOfTheSizeAskedFor(t *testing.T) {
	for _, size := range []int{200, 10_000, 1_000_000} {
		line := Answer(size)
		if len(line) != size || line[size-1] != '\n' || bytes.Count(line, []byte("\n")) != 1 {
			t.Errorf("%d bytes instead of %d", len(line), size)
		}
		// The id is ten zeroes until it is filled in, which is no JSON number.
		copy(line[len(AnswerHead):], "1234567890")
		if !json.Valid(line) {
			t.Errorf("no JSON: %.300s", line)
		}
	}
}

func TestTheServerAnswersWhateverTheSpelling(t *testing.T) {
	for name, c := range map[string]struct{ ask, want string }{
		"as the lean client writes it": {CallHead + "1234567890" + CallMiddle + "200}}}", `{"jsonrpc":"2.0","id":1234567890,"result":{"content":`},
		"with an id of text":           {`{"id":"x","params":{"arguments":{"size":200},"name":"echo"},"method":"tools/call"}`, `{"jsonrpc":"2.0","id":"x","result":{"content":`},
		"a listing":                    {`{"id":7,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":7,"result":{"tools":[{"name":"echo"`},
		"what it does not know":        {`{"id":7,"method":"server/discover"}`, `{"jsonrpc":"2.0","id":7,"error":{"code":-32601`},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := Serve(strings.NewReader(c.ask+"\n"), &out); err != nil {
				t.Fatal(err)
			}
			if line := out.String(); !strings.HasPrefix(line, c.want) || !json.Valid(out.Bytes()) {
				t.Fatal(line)
			}
		})
	}
}

func TestEveryAnswerHasTheIDOfItsCall(t *testing.T) {
	var in, out bytes.Buffer
	for i := range 100 {
		fmt.Fprintf(&in, "%s%d%s%d}}}\n", CallHead, 1_000_000_000+i, CallMiddle, []int{200, 300}[i%2])
	}
	if err := Serve(&in, &out); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(&out)
	for i := range 100 {
		if !lines.Scan() || !strings.HasPrefix(lines.Text(), fmt.Sprintf("%s%d,", AnswerHead, 1_000_000_000+i)) || len(lines.Text())+1 != []int{200, 300}[i%2] {
			t.Fatalf("answer %d: %s", i, lines.Text())
		}
	}
}
