package pin

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect"
)

// A page is a resource that a client draws (MCP Apps, ui://). Its item is two things: the entry of a listing, where there is one, and the
// contents that a read delivers. Each delivery is compared with its own part, and one digest covers both.

// IsPage reports whether a URI names a page. Schemes have no case (RFC 3986, 3.1).
func IsPage(uri string) bool { return len(uri) > 4 && strings.EqualFold(uri[:5], "ui://") }

// Contents are the contents of a page, as one read delivered them.
type Contents struct {
	Digest Digest // of every member of every content
	Frame  Digest // of everything but what is drawn: the text or blob of each content
	frame  []byte // canonical, each text or blob replaced by null
	bodies []body
}

// body is the text or blob of one content.
type body struct {
	Content int             `json:"content"` // index
	Member  string          `json:"member"`  // text or blob
	SHA256  string          `json:"sha256,omitempty"`
	Bytes   int             `json:"bytes,omitempty"`
	Source  json.RawMessage `json:"source,omitempty"` // a JSON string; left out if it is long
}

// maxSource is how many bytes of a page are kept to be read and compared word by word. What is longer was made by a program.
const maxSource = 64 << 10

// errNoPage means that contents are not those of a page.
var errNoPage = errors.New("not the contents of a page")

// ContentsOf reads the contents of a result of resources/read. An error means that two programs could draw two pages from them.
func ContentsOf(raw []byte) (*Contents, error) {
	if err := check(raw); err != nil {
		return nil, err
	}
	if kindOf(raw) != '[' {
		return nil, errNoPage
	}
	c := &Contents{}
	var nulls []frame.Edit
	var failed error
	frame.Elements(raw, frame.Root(raw), func(i int, content frame.Span) bool {
		frame.Members(raw, content, func(key string, m frame.Member) bool {
			if key != "text" && key != "blob" || frame.Type(raw, m.Value) != '"' {
				return true
			}
			source, err := appendScalar(nil, m.Value.Of(raw))
			if failed = err; err != nil {
				return false
			}
			nulls = append(nulls, frame.Edit{Start: m.Value.Start, End: m.Value.End, With: []byte("null")})
			c.bodies = append(c.bodies, body{Content: i, Member: key, SHA256: hashOf(source), Bytes: len(source), Source: source})
			return true
		})
		return failed == nil
	})
	if failed != nil {
		return nil, failed
	}
	var err error
	if c.frame, err = canonical(frame.Splice(nil, raw, nulls), data); err != nil {
		return nil, err
	}
	c.sum()
	return c, nil
}

// sum computes the digests.
func (c *Contents) sum() {
	slices.SortFunc(c.bodies, func(a, b body) int { return 2*(a.Content-b.Content) + strings.Compare(a.Member, b.Member) })
	c.Digest = Digest(hashOf(append(appendBodies([]byte(`{"bodies":`), c.bodies, false), fmt.Sprintf(`,"contents":%s}`, c.frame)...)))
	c.Frame = Digest(hashOf(append(appendBodies([]byte(`{"bodies":`), c.bodies, true), fmt.Sprintf(`,"contents":%s}`, c.frame)...)))
}

// appendBodies writes what a digest covers of each body: its place, and unless it varies the hash of it.
func appendBodies(dst []byte, bodies []body, vary bool) []byte {
	dst = append(dst, '[')
	for i, b := range bodies {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = fmt.Appendf(dst, `{"content":%d,"member":%q`, b.Content, b.Member)
		if !vary {
			dst = fmt.Appendf(dst, `,"sha256":%q`, b.SHA256)
		}
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

// texts are what the page draws, decoded.
func (c *Contents) texts() []string {
	var texts []string
	for _, b := range c.bodies {
		if len(b.Source) == 0 {
			continue
		}
		text, _ := decode(b.Source)
		if raw, err := base64.StdEncoding.DecodeString(text); b.Member == "blob" && err == nil {
			text = string(raw)
		}
		texts = append(texts, text)
	}
	return texts
}

// Long is what a page draws in texts too long to be part of its item: the path of each, and the text as JSON.
func (c *Contents) Long(visit func(where string, text json.RawMessage)) {
	for i, b := range c.bodies {
		if len(b.Source) > maxSource {
			visit(bodyAt(i), b.Source)
		}
	}
}

func bodyAt(i int) string { return inspect.Element("bodies", i) }

// Page is a page in parts: what its item is made of.
type Page struct {
	URI      string
	Entry    json.RawMessage // of a listing, in the bytes delivered; nil if none has it
	Contents *Contents       // nil in what was allowed before pages were read
	Varies   bool            // another text or blob at each read
}

// Item is the item of a page. Raw holds both parts, except the texts that are too long to be read by a person.
func (p Page) Item() (Item, error) {
	digest, err := p.digest()
	if err != nil {
		return Item{}, err
	}
	item := Item{Kind: Resource, Name: p.URI, Raw: p.raw(), Digest: digest}
	item.Findings = append(inspect.Definition(item.Raw), p.findings()...)
	return item, nil
}

// digest begins otherwise than those of other definitions, so that nothing else has the digest of a page.
func (p Page) digest() (Digest, error) {
	entry := []byte("null")
	if p.Entry != nil {
		var err error
		if entry, err = canonicalOf(p.Entry, Resource); err != nil {
			return "", err
		}
	}
	form := appendBodies([]byte(`{"page":{"bodies":`), p.Contents.bodies, p.Varies)
	form = fmt.Appendf(form, `,"contents":%s,"entry":%s,"varies":%t}`, p.Contents.frame, entry, p.Varies)
	return named(form, Resource, p.URI), nil
}

// Digest is the digest of its item, "" for a page that can't have one.
func (p Page) Digest() Digest {
	digest, err := p.digest()
	if err != nil {
		return ""
	}
	return digest
}

func (p Page) raw() []byte {
	raw := frame.AppendString([]byte(`{"uri":`), p.URI)
	if p.Entry != nil {
		raw = append(append(raw, `,"entry":`...), bytes.TrimSpace(p.Entry)...)
	}
	raw = append(append(raw, `,"contents":`...), p.Contents.frame...)
	raw = append(raw, `,"bodies":[`...)
	for i, b := range p.Contents.bodies {
		if i > 0 {
			raw = append(raw, ',')
		}
		raw = fmt.Appendf(raw, `{"content":%d,"member":%q,"sha256":%q,"bytes":%d`, b.Content, b.Member, b.SHA256, b.Bytes)
		if len(b.Source) > 0 && len(b.Source) <= maxSource {
			raw = append(append(raw, `,"source":`...), b.Source...)
		}
		raw = append(raw, '}')
	}
	return fmt.Appendf(raw, `],"varies":%t}`, p.Varies)
}

// Reported is Declared for the hub: it knows the item of a page by its form, which no listing can have there.
func Reported(kind Kind, raw []byte) (Item, error) {
	if kind == Resource {
		if p, ok := ReadPage(raw); ok && p.Contents != nil {
			return p.Item()
		}
	}
	return Declared(kind, raw)
}

// ReadPage reads the Raw of a page's item. What was pinned of a page before pages were read is its entry alone.
func ReadPage(raw []byte) (Page, bool) {
	var form struct {
		URI      string          `json:"uri"`
		Entry    json.RawMessage `json:"entry"`
		Contents json.RawMessage `json:"contents"`
		Bodies   []body          `json:"bodies"`
		Varies   bool            `json:"varies"`
	}
	if check(raw) != nil || json.Unmarshal(raw, &form) != nil || !IsPage(form.URI) {
		return Page{}, false
	}
	if kindOf(form.Contents) != '[' || form.Bodies == nil {
		return Page{URI: form.URI, Entry: raw}, true
	}
	c := &Contents{bodies: form.Bodies}
	var err error
	if c.frame, err = canonicalOf(form.Contents, Resource); err != nil {
		return Page{}, false
	}
	for i, b := range c.bodies {
		if len(b.Source) == 0 {
			continue
		}
		source, err := appendScalar(nil, b.Source)
		if err != nil || kindOf(source) != '"' || hashOf(source) != b.SHA256 {
			return Page{}, false
		}
		c.bodies[i].Source = source
	}
	c.sum()
	if kindOf(form.Entry) != '{' {
		form.Entry = nil
	}
	return Page{URI: form.URI, Entry: form.Entry, Contents: c, Varies: form.Varies}, true
}
