package guardian

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/sallyport/sallyport/app/clientconfig"
)

func TestARecordOfAnEntryIsKeptSealed(t *testing.T) {
	p := newDesk(t, "")
	here, err := p.recordBox("/home/ada/.cursor/mcp.json")
	if err != nil {
		t.Fatal(err)
	}
	record := clientconfig.Record{Name: "a", Client: "cursor", Wrapper: "/bin/sallyport", Argv: []string{"npx", "--token", "swordfish"}, Command: `"npx"`, Args: `["--token", "swordfish"]`}
	sealed, err := here.seal(record)
	if err != nil || bytes.Contains(sealed, []byte("swordfish")) || bytes.Contains(sealed, []byte("npx")) || !json.Valid(sealed) {
		t.Fatalf("%v: %s", err, sealed)
	}
	if back, ok := here.open(sealed); !ok || !reflect.DeepEqual(back, record) {
		t.Errorf("opened: %+v, %v", back, ok)
	}
	// The same record gives the same bytes, so an unchanged wanted state is not written again.
	again, err := here.seal(record)
	if err != nil || !bytes.Equal(again, sealed) {
		t.Errorf("%v: sealed twice: %s and %s", err, sealed, again)
	}
	other, err := here.seal(clientconfig.Record{Name: "a", Argv: []string{"npx", "--token", "swordfisj"}})
	if err != nil || bytes.Equal(other[:len(`{"sealed":"0123456789abcdef`)], sealed[:len(`{"sealed":"0123456789abcdef`)]) {
		t.Errorf("%v: two records have one nonce", err)
	}

	elsewhere, err := p.recordBox("/home/ada/.codeium/windsurf/mcp_config.json")
	if err != nil {
		t.Fatal(err)
	}
	q := newDesk(t, "")
	stranger, err := q.recordBox("/home/ada/.cursor/mcp.json")
	if err != nil {
		t.Fatal(err)
	}
	edited := slices.Clone(sealed)
	edited[len(edited)/2] ^= 1
	for name, c := range map[string]struct {
		box box
		raw json.RawMessage
	}{
		"of another file":   {elsewhere, sealed},
		"of another home":   {stranger, sealed},
		"that was edited":   {here, edited},
		"that is cut":       {here, json.RawMessage(`{"sealed":"AAAA"}`)},
		"of nothing":        {here, nil},
		"that is no record": {here, json.RawMessage(`{"name":"a"}`)},
	} {
		if got, ok := c.box.open(c.raw); ok {
			t.Errorf("a record %s was opened: %+v", name, got)
		}
	}
	// An earlier version stored it in clear text, which must still open.
	clear, err := json.Marshal(record)
	if err != nil {
		t.Fatal(err)
	}
	if back, ok := here.open(clear); !ok || !reflect.DeepEqual(back, record) {
		t.Errorf("of an earlier version: %+v, %v", back, ok)
	}
}
