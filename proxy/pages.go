package proxy

import (
	"bytes"
	"iter"
	"strings"

	"github.com/sallyport/sallyport/proxy/declared"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
)

// pageIn compares the contents in the result of a read with what was allowed. contents are nil if they can be read in two ways or are none.
func pageIn(v *declared.View, uri string, raw []byte) (contents *pin.Contents, allowed bool) {
	if len(raw) == 0 {
		return nil, false
	}
	contents, err := pin.ContentsOf(raw)
	if err != nil {
		return nil, false
	}
	return contents, v.DeliversPage(uri, contents)
}

// namePages has a check read the pages that a result names, so that they are there to be reviewed before a client asks for them. Ask mayNamePage
// before.
func namePages(checks *declared.Checker, line []byte) {
	result, ok := frame.Find(line, frame.Root(line), "result")
	if !ok {
		return
	}
	for text := range inspect.Texts(result.Of(line)) {
		if isPage(text) {
			checks.NamePage(strings.Clone(text))
		}
	}
}

// mayNamePage reports whether JSON can hold the address of a page: as it is, in any case, or with escapes. Of all responses it is asked, so that
// escapes of other letters, which some servers write for each, cost no look at every text.
func mayNamePage(raw []byte) bool {
	for i := range indexes(raw, "/") { // there are few: ":" is behind every key
		switch {
		case i > 0 && raw[i-1] == '\\':
			return true
		case i > 2 && raw[i-1] == ':' && raw[i-2]|0x20 == 'i' && raw[i-3]|0x20 == 'u':
			return true
		}
	}
	for i := range indexes(raw, `\u00`) {
		if len(raw) > i+5 && pageLetter(raw[i+4:i+6]) {
			return true
		}
	}
	return false
}

// indexes are where a text begins in raw.
func indexes(raw []byte, text string) iter.Seq[int] {
	return func(yield func(int) bool) {
		for at := 0; ; at++ {
			i := bytes.Index(raw[at:], []byte(text))
			if i < 0 || !yield(at+i) {
				return
			}
			at += i
		}
	}
}

// pageLetter reports whether the last two hexadecimal digits of an escape stand for a character of "ui:/", in either case.
func pageLetter(digits []byte) bool {
	switch string(digits) {
	case "75", "55", "69", "49", "3a", "3A", "2f", "2F":
		return true
	}
	return false
}

// maxPageDepth is how deep in a result a page is looked for. Where the specification has a resource in one, it is at most six deep: that of a
// message's content, or of the result in a task.
const maxPageDepth = 16

// embeddedPage finds the first page in a result that is not what was allowed, outside of what was compared already. MCP-UI's clients draw a
// resource with a text or blob that a tool's result holds, without reading it. Ask mayNamePage before.
func embeddedPage(v *declared.View, line []byte, body, compared frame.Span) (uri string, found bool) {
	var walk func(value frame.Span, left int)
	walk = func(value frame.Span, left int) {
		if left == 0 || found || value == compared {
			return
		}
		frame.Elements(line, value, func(_ int, element frame.Span) bool {
			walk(element, left-1)
			return !found
		})
		var named string
		drawn := false
		frame.Members(line, value, func(key string, m frame.Member) bool {
			switch frame.Type(line, m.Value) {
			case '"':
				switch strings.ToLower(key) { // some clients' decoders ignore case
				case "uri": // whatever else is in it: clients look only at how it begins
					if text, _ := frame.String(line, m.Value); pin.IsPage(strings.TrimSpace(text)) {
						named = strings.TrimSpace(text)
					}
				case "text", "blob":
					drawn = true
				}
			case '{', '[':
				walk(m.Value, left-1)
			}
			return !found
		})
		if named == "" || !drawn || found {
			return
		}
		contents, err := pin.ContentsOf(append(append([]byte{'['}, value.Of(line)...), ']'))
		if err != nil || !v.DeliversPage(named, contents) {
			uri, found = strings.Clone(named), true
		}
	}
	walk(body, maxPageDepth)
	return uri, found
}
