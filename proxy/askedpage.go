package proxy

import (
	"strings"

	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/declared"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
)

// maxPageMatch limits how much of a page's address a finding quotes.
const maxPageMatch = 160

// askedPage is a page (ui://) that a request of the server names and nobody approved, or holds in another form than the approved one. A client
// would draw it beside the question, in the server's own design, so no setting and no approval of the question lets it pass: only the page's
// own does.
type askedPage struct {
	code    string // of the page's item, "" without one
	finding inspect.Finding
}

// unapprovedPage finds the first such page, which a check then reads, so that there is an item to decide on. Every string that is a whole
// address counts, wherever it is: a client may know places we don't.
func (s *interactions) unapprovedPage(v *declared.View, params []byte) (page askedPage, found bool) {
	if len(params) == 0 {
		return page, false
	}
	for text := range inspect.Texts(params) {
		uri := strings.TrimSpace(text)
		if isPage(uri) && !v.Allows(pin.Key(pin.Resource, uri)) {
			return s.namedPage(v, strings.Clone(uri), "It names a page (ui://) that you haven't allowed", text), true
		}
	}
	if mayNamePage(params) {
		if uri, held := embeddedPage(v, params, frame.Root(params), frame.Span{}); held {
			return s.namedPage(v, uri, titleOtherPage, uri), true
		}
	}
	return page, false
}

// titleOtherPage is what a person reads of a page inside a message that is not the approved one.
const titleOtherPage = "It holds a page (ui://) that is not one you have allowed"

// namedPage has a check read a page, and quotes what names it.
func (s *interactions) namedPage(v *declared.View, uri, title, quoted string) askedPage {
	s.checks.NamePage(uri)
	return askedPage{code: v.State.Items[pin.Key(pin.Resource, uri)].Code, finding: inspect.Finding{
		Rule: inspect.UnreviewedPage, Level: inspect.High, Category: "threat", Title: title, End: len(quoted), Match: cut.Runes(quoted, maxPageMatch),
	}}
}

// isPage reports whether a text is the address of a page and nothing else: more than the scheme, and no sentence.
func isPage(text string) bool {
	return pin.IsPage(text) && len(text) > len("ui://") && !strings.ContainsAny(text, " \t\r\n")
}

// because is why a request was refused, for our sentence.
func (p askedPage) because() string {
	if p.finding.Rule == "" {
		return ""
	}
	return ", because it names or holds a page (ui://) that was not approved"
}
