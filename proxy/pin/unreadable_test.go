package pin

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/inspect"
)

// manyKeys are more keys than are checked one by one.
var manyKeys = func() string {
	var keys []string
	for i := range 100 {
		keys = append(keys, fmt.Sprintf(`"k%d":1`, i))
	}
	return strings.Join(keys, ",")
}()

func TestADefinitionWithoutOneReadingIsKnownByItsName(t *testing.T) {
	for name, c := range map[string]struct {
		kind       Kind
		raw        string
		key        string // "" for one that is known by nothing
		where      string
		match      string
		titleHolds string
	}{
		"half of a surrogate pair in a description": {Tool, `{"name":"a","description":"x\ud800"}`, "tool:a", "description", "", "lone surrogate"},
		"the same deep in a schema":                 {Tool, `{"name":"a","inputSchema":{"anyOf":[{},{"enum":["\udfff"]}]}}`, "tool:a", "inputSchema.anyOf[1].enum[0]", "", "lone surrogate"},
		"the same in a key":                         {Tool, `{"name":"a","inputSchema":{"properties":{"p\ud800":{}}}}`, "tool:a", inspect.Member("inputSchema.properties", "p\ufffd"), "", "lone surrogate"},
		"a prompt":                                  {Prompt, `{"name":"a","title":"\ud800"}`, "prompt:a", "title", "", "lone surrogate"},
		"a resource template":                       {ResourceTemplate, `{"uriTemplate":"a:{b}","name":"\ud800"}`, "resource-template:a:{b}", "name", "", "lone surrogate"},
		"instructions":                              {Instructions, `"\ud800"`, "instructions", "", "", "lone surrogate"},
		"keys that differ in case":                  {Tool, `{"name":"a","inputSchema":{"properties":{"x":{},"y":{},"X":{}}}}`, "tool:a", "inputSchema.properties", "x and X", "Two of its keys"},
		"a key twice":                               {Tool, `{"name":"a","annotations":[{"b":1,"\u0062":2}]}`, "tool:a", "annotations[0]", "b and b", "Two of its keys"},
		"a key twice among many":                    {Tool, `{"name":"a","x":{` + manyKeys + `,"k7":1}}`, "tool:a", "x", "k7 and k7", "Two of its keys"},
		"a key twice at the top":                    {Tool, `{"name":"a","description":"b","description":"c"}`, "tool:a", "", "description and description", "Two of its keys"},
		"the same name twice":                       {Tool, `{"name":"a","name":"a"}`, "tool:a", "", "name and name", "Two of its keys"},
		"its name in another case besides":          {Tool, `{"NAME":"b","name":"a"}`, "tool:a", "", "NAME and name", "Two of its keys"},
		"two names":                                 {Tool, `{"name":"a","name":"b"}`, "", "", "", ""},
		"half of a pair in its name":                {Tool, `{"name":"a\ud800"}`, "", "", "", ""},
		"no name":                                   {Tool, `{"description":"x\ud800"}`, "", "", "", ""},
		"an empty name":                             {Tool, `{"name":"","description":"x\ud800"}`, "", "", "", ""},
		"no JSON":                                   {Tool, `{"name":"a","description":"x\ud800"`, "", "", "", ""},
		"bytes that are no text":                    {Tool, "{\"name\":\"a\",\"description\":\"\xff\"}", "", "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			item, err := Declared(c.kind, []byte(c.raw))
			if c.key == "" {
				if err == nil {
					t.Fatalf("it is known as %s", item.Key())
				}
				return
			}
			if err != nil || item.Key() != c.key || item.Raw != nil || string(item.Unread) != c.raw || len(item.Digest) != 64 || len(item.Findings) != 1 {
				t.Fatalf("%+v (%v)", item, err)
			}
			f := item.Findings[0]
			if f.Rule != inspect.NoReading || f.Level != inspect.High || f.Where != c.where || f.Match != c.match || !strings.Contains(f.Title, c.titleHolds) {
				t.Errorf("%+v", f)
			}
			if _, err := DigestOf(c.kind, item.Name, []byte(c.raw)); err == nil {
				t.Error("it has a digest that could be approved")
			}
			other, _ := Declared(c.kind, []byte(strings.Replace(c.raw, `{"`, `{ "`, 1)))
			if c.kind != Instructions && other.Digest == item.Digest {
				t.Error("other bytes have the same digest")
			}
		})
	}
}

func TestAReadableDefinitionIsDeclaredAsItIs(t *testing.T) {
	raw := []byte(`{"name":"a","description":"x\ud83d\ude00"}`)
	want, err := ItemOf(Tool, raw)
	got, errDeclared := Declared(Tool, raw)
	if err != nil || errDeclared != nil || got.Digest != want.Digest || got.Unread != nil || string(got.Raw) != string(want.Raw) {
		t.Errorf("%+v (%v), want %+v (%v)", got, errDeclared, want, err)
	}
}
