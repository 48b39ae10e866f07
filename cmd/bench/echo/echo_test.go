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
	for _, as := range []Era{Legacy, Modern} {
		for _, size := range []int{200, 10_000, 1_000_000} {
			line := Answer(as, size)
			if want := Length(as, size); len(line) != want || line[want-1] != '\n' || bytes.Count(line, []byte("\n")) != 1 {
				t.Errorf("%d bytes instead of %d", len(line), want)
			}
			// The id is ten zeroes until it is filled in, which is no JSON number.
			copy(line[len(AnswerHead):], "1234567890")
			if !json.Valid(line) || bytes.Contains(line, []byte(`"resultType":"complete","_meta":`)) != (as == Modern) {
				t.Errorf("not what it should be: %.300s", line)
			}
		}
	}
}

func TestTheServerAnswersWhateverTheSpelling(t *testing.T) {
	for name, c := range map[string]struct{ ask, want string }{
		"as the lean client writes it": {string(AppendCall(nil, Legacy, 1234567890, 200)), `{"jsonrpc":"2.0","id":1234567890,"result":{"content":`},
		"in the modern era":            {string(AppendCall(nil, Modern, 1234567890, 200)), `{"jsonrpc":"2.0","id":1234567890,"result":{"content":`},
		"with an id of text":           {`{"id":"x","params":{"arguments":{"size":200},"name":"echo"},"method":"tools/call"}`, `{"jsonrpc":"2.0","id":"x","result":{"content":`},
		"a listing":                    {`{"id":7,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":7,"result":{"tools":[{"name":"echo"`},
		"a question of its versions":   {`{"id":7,"method":"server/discover","params":{` + Meta + `}}`, `{"jsonrpc":"2.0","id":7,"result":{"supportedVersions":["2026-07-28"]`},
		"a stream":                     {`{"id":7,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + Meta + `}}`, `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true},`},
		"a listing, in the modern era": {`{"id":7,"method":"tools/list","params":{` + Meta + `}}`, `{"jsonrpc":"2.0","id":7,"result":{"tools":[{"name":"echo"`},
		"what it does not know":        {`{"id":7,"method":"server/discover"}`, `{"jsonrpc":"2.0","id":7,"error":{"code":-32601`},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := Serve(strings.NewReader(strings.TrimSuffix(c.ask, "\n")+"\n"), &out); err != nil {
				t.Fatal(err)
			}
			if line := out.String(); !strings.HasPrefix(line, c.want) || !json.Valid(out.Bytes()) {
				t.Fatal(line)
			}
		})
	}
}

func TestEveryAnswerHasTheIDAndTheEraOfItsCall(t *testing.T) {
	var in, out bytes.Buffer
	of := func(i int) (Era, int) { return []Era{Legacy, Modern, Modern}[i%3], []int{200, 300}[i%2] }
	for i := range 100 {
		as, size := of(i)
		in.Write(AppendCall(nil, as, 1_000_000_000+i, size))
	}
	if err := Serve(&in, &out); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(&out)
	for i := range 100 {
		as, size := of(i)
		if !lines.Scan() || !strings.HasPrefix(lines.Text(), fmt.Sprintf("%s%d,", AnswerHead, 1_000_000_000+i)) || len(lines.Text())+1 != Length(as, size) {
			t.Fatalf("answer %d: %s", i, lines.Text())
		}
	}
}
