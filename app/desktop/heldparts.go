package desktop

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/sallyport/sallyport/proxy/inspect"
)

const (
	pageChars = 4000
	maxParts  = 100 // of a response; the others are shown with the rest
	maxLinks  = 100
	maxLinked = 1 << 20 // bytes of a part that are searched for links
)

// HeldPart is one part of a held response: a text in pages, or a description of what is not shown.
type HeldPart struct {
	Label  string     `json:"label"`
	Mime   string     `json:"mime"` // server text
	Name   string     `json:"name"` // server text: a URI
	Bytes  int        `json:"bytes"`
	Sha256 string     `json:"sha256"` // of what is not shown
	Code   bool       `json:"code"`   // formatted as JSON
	Shown  bool       `json:"shown"`
	Chars  int        `json:"chars"`
	Pages  int        `json:"pages"`
	First  HeldPage   `json:"first"`
	Marks  []HeldMark `json:"marks"`

	text string
}

// HeldPage is 4,000 characters of a part's text.
type HeldPage struct {
	Page int    `json:"page"`
	From int    `json:"from"` // bytes of the whole
	To   int    `json:"to"`
	Text string `json:"text"` // server text
}

// HeldMark is the place of a finding in a part: bytes of its text, and the page where it begins.
type HeldMark struct {
	Finding int `json:"finding"` // index among the review's findings
	Start   int `json:"start"`
	End     int `json:"end"`
	Page    int `json:"page"`
}

// HeldLink is a link in a part, shown as text with its host set apart.
type HeldLink struct {
	Before string `json:"before"`
	Host   string `json:"host"`
	After  string `json:"after"`
}

// found is the findings of a response by the path of their text.
type found struct {
	all []inspect.Finding
	by  map[string][]int
}

func newFound(all []inspect.Finding) *found {
	f := &found{all: all, by: map[string][]int{}}
	for i, one := range all {
		f.by[one.Where] = append(f.by[one.Where], i)
	}
	return f
}

// in returns the findings in a text. A key's finding has the path of its value: the match tells the two apart.
func (f *found) in(text, path string, key bool) (out []int) {
	for _, i := range f.by[path] {
		one := f.all[i]
		if one.Start < 0 || one.End <= one.Start || one.End > len(text) {
			continue
		}
		head := one.Match
		if len(head) > 8 {
			head = head[:8]
		}
		if head != "" && !strings.HasPrefix(text[one.Start:], head) || head == "" && key {
			continue
		}
		out = append(out, i)
	}
	return out
}

// partition splits a response into the parts that are shown.
type partition struct {
	found *found
	parts []HeldPart
	shown map[string]bool // by path: texts, and values shown whole
}

// partsOf splits a response into parts, in the server's order. Together they show all of it.
func partsOf(raw []byte, isError bool, all []inspect.Finding) []HeldPart {
	root, err := readTree(raw)
	if err != nil {
		text := strings.ToValidUTF8(string(raw), "\uFFFD")
		return []HeldPart{finished(HeldPart{Label: "The whole response, as received", Bytes: len(raw), Code: true, Shown: true, text: text})}
	}
	p := &partition{found: newFound(all), shown: map[string]bool{}}
	p.top(root, isError)
	if p.isLeft(root) {
		p.structured("Everything else", root, func(n *node) bool { return p.shown[n.path] && n != root })
	}
	if len(p.parts) == 0 {
		p.structured("The whole response", root, nil)
	}
	return p.parts
}

func (p *partition) top(root *node, isError bool) {
	if message := root.get("message"); isError && message != nil && message.kind == '"' {
		p.text(HeldPart{Label: "Error message"}, message)
	}
	if messages := root.get("messages"); messages != nil {
		for _, message := range messages.kids {
			p.content("Message", message.get("content"))
		}
	}
	p.content("", root.get("content"))
	if contents := root.get("contents"); contents != nil {
		for _, resource := range contents.kids {
			p.resource(resource)
		}
	}
	if structured := root.get("structuredContent"); structured != nil && len(structured.kids) > 0 {
		p.structured("Structured data", structured, nil)
		p.shown[structured.path] = true
	}
}

// content handles one block or a list of them.
func (p *partition) content(of string, n *node) {
	if n == nil {
		return
	}
	if n.kind == '[' {
		for _, block := range n.kids {
			p.block(of, block)
		}
		return
	}
	p.block(of, n)
}

func (p *partition) block(of string, n *node) {
	if len(p.parts) >= maxParts {
		return
	}
	label := func(what string) string {
		if of == "" {
			return what
		}
		return of + ": " + strings.ToLower(what)
	}
	switch n.word("type") {
	case "text":
		if text := n.get("text"); text != nil && text.kind == '"' {
			p.text(HeldPart{Label: label("Text")}, text)
			return
		}
	case "image", "audio":
		if data := n.get("data"); data != nil && data.kind == '"' {
			what := map[string]string{"image": "Picture", "audio": "Sound"}[n.word("type")]
			p.blob(HeldPart{Label: label(what), Mime: n.word("mimeType")}, data)
			return
		}
	case "resource":
		if resource := n.get("resource"); resource != nil {
			p.resource(resource)
			return
		}
	case "resource_link":
		p.structured(label("Link to a resource"), n, nil)
		p.shown[n.path] = true
		return
	}
	if len(n.kids) > 0 {
		p.structured(label("A part of another kind"), n, nil)
		p.shown[n.path] = true
	}
}

func (p *partition) resource(n *node) {
	if len(p.parts) >= maxParts {
		return
	}
	part := HeldPart{Label: "Embedded resource", Name: n.word("uri"), Mime: n.word("mimeType")}
	if text := n.get("text"); text != nil && text.kind == '"' {
		p.text(part, text)
	} else if blob := n.get("blob"); blob != nil && blob.kind == '"' {
		p.blob(part, blob)
	}
}

func (p *partition) text(part HeldPart, n *node) {
	if len(p.parts) >= maxParts {
		return
	}
	part.Shown, part.text, part.Bytes = true, n.text, len(n.text)
	for _, i := range p.found.in(n.text, n.path, false) {
		part.Marks = append(part.Marks, HeldMark{Finding: i, Start: p.found.all[i].Start, End: p.found.all[i].End})
	}
	p.shown[n.path] = true
	p.parts = append(p.parts, finished(part))
}

// blob describes binary data without showing it: no picture is decoded here.
func (p *partition) blob(part HeldPart, n *node) {
	data, err := base64.StdEncoding.DecodeString(n.text)
	if err != nil {
		data = []byte(n.text)
	}
	sum := sha256.Sum256(data)
	part.Bytes, part.Sha256 = len(data), hex.EncodeToString(sum[:])
	p.shown[n.path] = true
	p.parts = append(p.parts, finished(part))
}

func (p *partition) structured(label string, n *node, elide func(*node) bool) {
	w := &writer{found: p.found, elide: elide}
	w.value(n, "")
	text := w.String()
	p.parts = append(p.parts, finished(HeldPart{Label: label, Bytes: len(text), Code: true, Shown: true, Marks: w.marks, text: text}))
}

// plainKeys are covered by the label of a part, unless something was found in them.
var plainKeys = map[string]bool{"type": true, "mimeType": true, "role": true, "isError": true, "uri": true, "code": true, "resultType": true}

// isLeft reports whether anything in n is in no part yet.
func (p *partition) isLeft(n *node) (left bool) {
	if p.shown[n.path] {
		return false
	}
	if len(p.found.by[n.path]) > 0 && n.path != "" {
		return true
	}
	if len(n.kids) == 0 {
		return !plainKeys[n.key] && (n.kind == '"' || n.kind == '0' && n.text != "null")
	}
	for _, kid := range n.kids {
		if p.isLeft(kid) {
			return true
		}
	}
	return false
}

// finished counts the pages of a part and assigns its marks to them.
func finished(part HeldPart) HeldPart {
	if part.Marks == nil {
		part.Marks = []HeldMark{}
	}
	part.Chars = utf8.RuneCountInString(part.text)
	part.Pages = max(1, (part.Chars+pageChars-1)/pageChars)
	part.First, _ = part.page(0)
	for i, m := range part.Marks {
		part.Marks[i].Page = utf8.RuneCountInString(part.text[:m.Start]) / pageChars
	}
	return part
}

// page is one page of a part; not ok if there is no such page.
func (part *HeldPart) page(page int) (out HeldPage, ok bool) {
	if page < 0 || page >= part.Pages {
		return out, false
	}
	out.Page, out.To = page, len(part.text)
	n := 0
	for at := range part.text {
		if n == page*pageChars {
			out.From = at
		}
		if n == (page+1)*pageChars {
			out.To = at
			break
		}
		n++
	}
	out.Text = part.text[out.From:out.To]
	return out, true
}

var link = regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.-]{1,19}://[^\s<>"'` + "`" + `\\(){}\[\]|^]+`)

// linksOf lists the links in what is shown, once each. None of them can ever be clicked.
func linksOf(parts []HeldPart) []HeldLink {
	out, seen := []HeldLink{}, map[string]bool{}
	for _, part := range parts {
		for _, found := range link.FindAllString(part.text[:min(len(part.text), maxLinked)], -1) {
			found = strings.TrimRight(found, ".,;:!?")
			if seen[found] || len(out) >= maxLinks {
				continue
			}
			seen[found] = true
			scheme, rest, _ := strings.Cut(found, "://")
			host := rest
			if end := strings.IndexAny(rest, `/?#`); end >= 0 {
				host = rest[:end]
			}
			before := scheme + "://"
			if at := strings.LastIndexByte(host, '@'); at >= 0 { // what precedes it only looks like a host
				before, host = before+host[:at+1], host[at+1:]
			}
			if host == "" { // a local one: file:///
				continue
			}
			out = append(out, HeldLink{Before: before, Host: host, After: strings.TrimPrefix(found, before+host)})
		}
	}
	return out
}

// argumentsOf lists the arguments of a request with these params; without a method, params are the arguments themselves.
func argumentsOf(params []byte, method string) []HeldArgument {
	out := []HeldArgument{}
	root, err := readTree(params)
	if err != nil {
		if len(params) > 0 {
			out = append(out, argument("params", strings.ToValidUTF8(string(params), "\uFFFD")))
		}
		return out
	}
	from := root
	if arguments := root.get("arguments"); arguments != nil && (method == "tools/call" || method == "prompts/get") {
		from = arguments
	}
	for _, kid := range from.kids {
		if method != "" && from == root && (kid.key == "_meta" || kid.key == "name") {
			continue
		}
		text := kid.text
		if kid.kind != '"' && kid.kind != '0' {
			w := &writer{found: newFound(nil)}
			w.value(kid, "")
			text = w.String()
		}
		name := kid.key
		if name == "" {
			name = fmt.Sprint("element", kid.path)
		}
		out = append(out, argument(name, text))
	}
	return out
}

func argument(name, value string) HeldArgument {
	return HeldArgument{Name: name, Value: value, Masked: strings.Contains(value, "***")}
}
