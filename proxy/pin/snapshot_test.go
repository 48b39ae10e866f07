package pin

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/inspect"
)

func TestItemsOfListings(t *testing.T) {
	tests := []struct {
		name string
		kind Kind
		raw  string
		key  string
	}{
		{"a tool", Tool, `{"name":"echo","description":"x"}`, "tool:echo"},
		{"a tool whose name has escapes", Tool, `{"\u006eame":"\u0065cho"}`, "tool:echo"},
		{"a prompt", Prompt, `{"name":"greet"}`, "prompt:greet"},
		{"a template", ResourceTemplate, `{"name":"n","uriTemplate":"file:///{path}"}`, "resource-template:file:///{path}"},
		{"a resource", Resource, `{"name":"n","uri":"file:///a"}`, "resource:file:///a"},
		{"instructions", Instructions, ` "Be \u006bind" `, "instructions"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			raw := []byte(test.raw)
			item, err := ItemOf(test.kind, raw)
			if err != nil {
				t.Fatal(err)
			}
			if item.Key() != test.key {
				t.Errorf("key %q, want %q", item.Key(), test.key)
			}
			want, err := DigestOf(test.kind, item.Name, raw)
			if err != nil || item.Digest != want {
				t.Errorf("digest %q, %v, want %q", item.Digest, err, want)
			}
			clear(raw) // the reader uses its line again
			if string(item.Raw) != strings.TrimSpace(test.raw) {
				t.Errorf("raw %q is not a copy of the bytes delivered", item.Raw)
			}
			if len(item.Findings) != 0 {
				t.Errorf("findings %+v", item.Findings)
			}
		})
	}
}

func TestWhatHasNoUsableNameIsNoItem(t *testing.T) {
	tests := []struct {
		name string
		kind Kind
		raw  string
		want error
	}{
		{"no name", Tool, `{"title":"echo"}`, ErrNoName},
		{"a name that is empty", Tool, `{"name":""}`, ErrNoName},
		{"a name that is a number", Tool, `{"name":1}`, ErrNoName},
		{"a name that is null", Prompt, `{"name":null}`, ErrNoName},
		{"a template with a name and no template", ResourceTemplate, `{"name":"a"}`, ErrNoName},
		{"a resource with a name and no URI", Resource, `{"name":"a"}`, ErrNoName},
		{"a listing element that is no object", Tool, `["echo"]`, ErrNoName},
		{"instructions that are no text", Instructions, `{"a":1}`, ErrNoName},
		{"a name with half a surrogate pair", Tool, `{"name":"a\ud800"}`, ErrLoneSurrogate},
		{"a text with half a surrogate pair", Tool, `{"name":"a","description":"\udfff"}`, ErrLoneSurrogate},
		{"two names", Tool, `{"name":"a","name":"b"}`, ErrNotJSON},
		{"two names but for the case", Tool, `{"name":"a","Name":"b"}`, ErrNotJSON},
		{"a broken value", Tool, `{"name":"a"`, ErrNotJSON},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if item, err := ItemOf(test.kind, []byte(test.raw)); !errors.Is(err, test.want) {
				t.Errorf("got %+v, %v; want %v", item, err, test.want)
			}
		})
	}
	if _, err := ItemOf("other", []byte(`{"name":"a"}`)); err == nil {
		t.Error("a kind nobody knows was pinned")
	}
}

func TestFindingsComeWithTheItem(t *testing.T) {
	item, err := ItemOf(Tool, []byte(`{"name":"a","inputSchema":{"properties":{"city":{"description":"x\u200by"}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if len(item.Findings) != 1 || item.Findings[0].Rule != inspect.InvisibleCharacters ||
		item.Findings[0].Where != "inputSchema.properties.city.description" {
		t.Errorf("findings %+v", item.Findings)
	}
}

func TestFingerprintOfASnapshot(t *testing.T) {
	item := func(kind Kind, raw string) Item {
		t.Helper()
		i, err := ItemOf(kind, []byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	a, b, c := item(Tool, `{"name":"a"}`), item(Tool, `{"name":"b"}`), item(Prompt, `{"name":"a"}`)
	all := []Item{a, b, c}
	want := Fingerprint(all)
	slices.Reverse(all)
	if Fingerprint(all) != want {
		t.Error("the order of items counts")
	}
	for name, other := range map[string][]Item{
		"one less": {a, b}, "one twice": {a, b, c, c}, "one twice instead of another": {a, b, b}, "none": nil,
		"one changed": {a, b, item(Prompt, `{"name":"a","title":"x"}`)},
	} {
		if Fingerprint(other) == want {
			t.Errorf("%s: the same fingerprint", name)
		}
	}
}
