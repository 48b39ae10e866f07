package pin

import (
	"encoding/json"
	"testing"
)

// FuzzContentsOf: whatever a server delivers as a page has the same digest when it is read again from its item, and none without a reason.
func FuzzContentsOf(f *testing.F) {
	for _, seed := range []string{
		`[{"uri":"ui://a","mimeType":"text/html","text":"<p>x</p>","_meta":{"ui":{"csp":{"connectDomains":["https://a.test"]},"permissions":{"camera":{}}}}}]`,
		`[{"uri":"ui://a","blob":"PHA+"},{"uri":"ui://a","text":"\ud83d\ude00"}]`, `[]`, `[null]`, `{}`, `[{"text":1}]`, `[{"text":"a","blob":"b"}]`, `[{"text":"\ud800"}]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		c, err := ContentsOf(raw)
		if err != nil {
			return
		}
		item, err := Page{URI: "ui://a", Contents: c}.Item()
		if err != nil {
			return
		}
		long := false
		c.Long(func(string, json.RawMessage) { long = true })
		read, ok := ReadPage(item.Raw)
		if !ok || read.Contents == nil {
			t.Fatalf("its item can't be read: %s", item.Raw)
		}
		if read.Contents.Digest != c.Digest || read.Contents.Frame != c.Frame || !long && read.Digest() != item.Digest {
			t.Fatalf("%s and %s: %s", read.Contents.Digest, c.Digest, item.Raw)
		}
	})
}

// FuzzReadPage: what the hub is told of a page is read or refused, and what was read says the same again.
func FuzzReadPage(f *testing.F) {
	for _, seed := range []string{
		`{"uri":"ui://a","contents":[{"uri":"ui://a","text":null}],"bodies":[{"content":0,"member":"text","sha256":"x","bytes":3}],"varies":true}`,
		`{"uri":"ui://a","entry":{"uri":"ui://a","name":"a"},"contents":[],"bodies":[],"varies":false}`, `{"uri":"ui://a","name":"a"}`, `{"uri":"file:///a"}`, `[]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		p, ok := ReadPage(raw)
		if !ok || p.Contents == nil {
			return
		}
		item, err := p.Item()
		if err != nil {
			return
		}
		again, ok := ReadPage(item.Raw)
		if !ok || again.Digest() != item.Digest {
			t.Fatalf("it reads as another page: %s", item.Raw)
		}
	})
}
