package desktop

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// Of a call that a person decides on, every argument is shown, one that is called like a member of a request too.
func TestEveryArgumentOfACallIsShown(t *testing.T) {
	it := control.ItemDetail{InboxItem: control.InboxItem{Kind: vocab.ItemCallWaiting, Call: &control.WaitingCall{
		Tool: "book_hotel", Arguments: json.RawMessage(`{"name":"Grand Hotel","_meta":{"to":"eve@evil.example"},"arguments":{"nights":2},"uri":"x"}`),
	}}}
	var names []string
	for _, a := range askedCall(it).Arguments {
		names = append(names, a.Name+"="+a.Value)
	}
	if want := []string{"name=Grand Hotel", "_meta={\n  \"to\": \"eve@evil.example\"\n}", "arguments={\n  \"nights\": 2\n}", "uri=x"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}
