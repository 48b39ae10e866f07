package frame

import (
	"slices"
	"testing"
)

func TestEveryIDOfABatchIsFound(t *testing.T) {
	for name, test := range map[string]struct {
		line string
		ids  []string
	}{
		"two answers":             {`[{"jsonrpc":"2.0","id":1,"result":{"id":7}},{"result":[{"id":8}],"id":"b"}]`, []string{`1`, `"b"`}},
		"white space and a mark":  {"\ufeff [ {\"id\" : 3 } ]", []string{`3`}},
		"brackets inside strings": {`[{"a":"}]{\"","id":4},{"id":5}]`, []string{`4`, `5`}},
		"the first id counts":     {`[{"id":1,"id":2}]`, []string{`1`}},
		"broken off":              {`[{"id":1,"result":{}},{"id":2,"result":{"a":`, []string{`1`, `2`}},
		"lists in the batch":      {`[["{\"",{"id":1}],{"id":2}]`, []string{`1`, `2`}},
		"none":                    {`[{},1,"id"]`, nil},
		"no batch":                {`{"id":1}`, nil},
		"nothing":                 {``, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var ids []string
			for _, m := range Batch([]byte(test.line)) {
				ids = append(ids, string(m.ID))
			}
			if !slices.Equal(ids, test.ids) {
				t.Errorf("found %q, want %q", ids, test.ids)
			}
		})
	}
}
