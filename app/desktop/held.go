package desktop

import (
	"slices"
	"time"

	"github.com/sallyport/sallyport/app"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/inspect/rules"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// Held is a held response as a person is shown it, with unchanged text of the client and the server.
type Held struct {
	control.HeldDetail
	Arguments []HeldArgument `json:"arguments"` // secrets masked
	Kept      bool           `json:"kept"`      // its text is still there
	Removable bool           `json:"removable"` // it can be released without its marked parts
	Parts     []HeldPart     `json:"parts"`
	Links     []HeldLink     `json:"links"`
	All       *HeldAll       `json:"all,omitempty"` // the item as it was when this was shown, if it holds more than one
}

// HeldArgument is one argument of the request.
type HeldArgument struct {
	Name   string `json:"name"`  // text of Claude's request
	Value  string `json:"value"` // text of Claude's request; secrets are ***
	Masked bool   `json:"masked"`
}

// HeldDecision is a person's decision about a held response, exactly as the page showed it.
type HeldDecision struct {
	control.Release
	Nonce string `json:"nonce"`
	Typed string `json:"typed"`
}

// ExceptDecision makes exceptions for rules that matched in a held response. For is hour, today or week; there is no "forever".
type ExceptDecision struct {
	Code   string   `json:"code"`
	Digest string   `json:"digest"`
	Nonce  string   `json:"nonce"`
	Rules  []string `json:"rules"` // none means all that allow an exception
	For    string   `json:"for" ts_type:"'hour' | 'today' | 'week'"`
}

// Exception is an exception in force.
type Exception struct {
	control.Exception
	Title string `json:"title"` // what the rule says; "" for one of a rule file
}

// heldFindings are the findings in a held response, most serious first: the page numbers them in this order.
func heldFindings(it control.ItemDetail) []inspect.Finding {
	all := slices.Clone(it.Findings)
	for _, d := range it.Details {
		all = append(all, d.Findings...)
	}
	slices.SortStableFunc(all, func(a, b inspect.Finding) int { return b.Level.Rank() - a.Level.Rank() })
	return all[:min(len(all), maxWarnings)]
}

// maxWarnings limits what a page lists. All findings count, and a release without the marked parts cuts all of them.
const maxWarnings = 200

func held(it control.ItemDetail) *Held {
	if it.Held == nil {
		return nil
	}
	out := &Held{HeldDetail: *it.Held, Arguments: argumentsOf(it.Held.Params, it.Held.Method), Kept: len(it.Held.Answer) > 0, Parts: []HeldPart{}}
	out.Checks, out.Params, out.Answer = some(out.Checks), nil, nil // the page gets these two in parts
	if out.Kept {
		findings := heldFindings(it)
		out.Parts, out.Removable = partsOf(it.Held.Answer, out.Error, findings), inspect.Removable(findings)
	}
	out.Links = linksOf(out.Parts)
	return out
}

// undecidableHeld reports whether nothing can be decided any more: it was delivered, discarded, or deleted. A released response can still
// be discarded until the client asks for it.
func undecidableHeld(it control.ItemDetail) bool {
	switch it.Held.State {
	case vocab.HeldWaiting, vocab.HeldExpired, vocab.HeldReleased:
		return false
	case vocab.HeldGone:
		return it.Decided != ""
	default:
		return true
	}
}

// heldNow is a held response as it was shown; CodeStale if it has changed.
func (p *Page) heldNow(code, digest string) (h *app.Hub, it control.ItemDetail, err error) {
	if h, err = p.engine(); err != nil {
		return nil, it, err
	}
	if it, err = h.Item(code); err != nil {
		return nil, it, err
	}
	if it.Held == nil {
		return nil, it, &control.Error{Code: control.CodeBadRequest, Message: "no response is held under this code"}
	}
	if it.Digest != digest {
		return nil, it, &control.Error{Code: control.CodeStale, Message: "it changed since it was shown: review it again", See: it.Code}
	}
	return h, it, nil
}

// HeldText is another page of a part of a held response.
func (p *Page) HeldText(code, digest string, part, page int) (HeldPage, error) {
	_, it, err := p.heldNow(code, digest)
	if err != nil {
		return HeldPage{}, err
	}
	if len(it.Held.Answer) > 0 {
		if parts := partsOf(it.Held.Answer, it.Held.Error, heldFindings(it)); part >= 0 && part < len(parts) {
			if out, ok := parts[part].page(page); ok {
				return out, nil
			}
		}
	}
	return HeldPage{}, &control.Error{Code: control.CodeNotFound, Message: "there is no such page"}
}

// Release releases a held response once, with or without its marked parts. A Critical one needs the typed word either way.
func (p *Page) Release(d HeldDecision) (control.ReleaseAnswer, error) { return p.settle(d, false) }

// Discard deletes a held response; Claude keeps the refusal.
func (p *Page) Discard(d HeldDecision) (control.ReleaseAnswer, error) { return p.settle(d, true) }

func (p *Page) settle(d HeldDecision, discard bool) (control.ReleaseAnswer, error) {
	h, _, err := p.heldNow(d.Code, d.Digest)
	if err != nil {
		return control.ReleaseAnswer{}, err
	}
	if err := p.nonces.spend(d.Nonce, itemSubject(d.Code), d.Digest, d.Typed, !discard); err != nil {
		return control.ReleaseAnswer{}, err
	}
	d.Discard, d.WithoutMarked = discard, d.WithoutMarked && !discard
	return h.Release(here, d.Release)
}

// Except lets responses of one tool pass the rules that matched in this one, for a while. Responses already held stay held.
func (p *Page) Except(d ExceptDecision) ([]Exception, error) {
	h, it, err := p.heldNow(d.Code, d.Digest)
	if err != nil {
		return nil, err
	}
	if len(it.Held.Excepts) == 0 {
		return nil, &control.Error{Code: control.CodeBadRequest, Message: "Sallyport makes no exception for this response"}
	}
	length, err := exceptFor(d.For, time.Now())
	if err != nil {
		return nil, err
	}
	if err := p.nonces.spend(d.Nonce, itemSubject(d.Code), d.Digest, "", false); err != nil {
		return nil, err
	}
	made, err := h.Except(here, control.Except{Code: d.Code, Digest: d.Digest, Rules: d.Rules, For: length})
	return exceptions(made), err
}

// exceptFor is how long an exception lasts if it is made now.
func exceptFor(word string, now time.Time) (time.Duration, error) {
	switch word {
	case "hour":
		return time.Hour, nil
	case "today":
		year, month, day := now.Date()
		return max(time.Minute, time.Date(year, month, day+1, 0, 0, 0, 0, now.Location()).Sub(now)), nil
	case "week":
		return 7 * 24 * time.Hour, nil
	}
	return 0, &control.Error{Code: control.CodeBadRequest, Message: "an exception lasts an hour, until the end of the day, or seven days"}
}

// Exceptions are the exceptions in force.
func (p *Page) Exceptions() ([]Exception, error) {
	return told(p.hubLink, (*app.Hub).Exceptions, exceptions)
}

// EndException ends an exception early. It only tightens, so it needs no nonce.
func (p *Page) EndException(id string) (Exception, error) {
	return told(p.hubLink, func(h *app.Hub) (control.Exception, error) { return h.EndException(control.Peer{}, id) }, exception)
}

func exceptions(all []control.Exception) []Exception {
	out := []Exception{}
	for _, e := range all {
		if !e.Ended {
			out = append(out, exception(e))
		}
	}
	return out
}

func exception(e control.Exception) Exception {
	return Exception{Exception: e, Title: rules.Named(e.Rule).Title}
}
