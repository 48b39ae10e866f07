package desktop

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/sallyport/sallyport/app/display"
	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/powers"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// Conversions of the hub's responses for the page.

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// pretty indents JSON for a person. Only white space between tokens changes.
func pretty(raw []byte) string {
	if len(raw) == 0 {
		return ""
	}
	var out bytes.Buffer
	if json.Indent(&out, raw, "", "  ") != nil {
		return strings.ToValidUTF8(string(raw), "\uFFFD") // instructions are a text; broken JSON is shown as it is
	}
	return out.String()
}

// passages are indexes into a list of findings, as the hub folded it.
func passages(all []inspect.Passage) [][]int {
	return each(all, func(p inspect.Passage) []int { return p.Findings })
}

func item(it control.InboxItem) Item {
	it.Parts = each(it.Parts, func(p control.Part) control.Part {
		p.Findings, p.Passages = some(p.Findings), some(p.Passages)
		return p
	})
	out := Item{InboxItem: it}
	if overFile(it.Kind) {
		out.Path = it.Identity
	}
	return out
}

func reviewOf(it control.ItemDetail) Review {
	if it.Held != nil {
		it.Findings, it.Details = heldFindings(it), nil
		it.Passages = inspect.Passages(it.Findings) // the order differs from the hub's
	}
	out := Review{
		Item: item(it.InboxItem), Command: some(it.Command), URL: it.URL, ServerInfo: pretty(it.Info), Findings: some(it.Findings), Passages: passages(it.Passages),
		Details: each(it.Details, partDetail), Diff: it.Diff, Sandbox: it.Sandbox, LookedUnder: it.LookedIn, Next: it.Next,
		Before: it.Before, Can: canDo(it.Can), Made: it.Made,
	}
	out.Decided = it.Decided
	out.Held, out.SignIn = held(it), wantedSignIn(it)
	if out.Asks = askedCall(it); out.Asks != nil {
		out.Call, out.Details = nil, []PartDetail{} // the page gets its arguments one by one
	}
	if it.Path != "" {
		out.Path = it.Path
	}
	return out
}

func partDetail(d control.PartDetail) PartDetail {
	kind, name, _ := strings.Cut(d.Item, ":")
	return PartDetail{
		Item: d.Item, Kind: kind, Name: name, State: d.State, Digest: string(d.Digest), Findings: some(d.Findings), Passages: passages(d.Passages),
		Definition: pretty(d.Definition), Approved: pretty(d.Approved), Text: d.Text, Changes: some(d.Changes), Does: does(d.Does), Era: d.Era, ApprovedEra: d.ApprovedEra,
		Page: pageWords(d), PageOnly: d.PageOnly(),
	}
}

func pageWords(d control.PartDetail) []string {
	if d.Page == nil {
		return nil
	}
	return pin.PageWords(d.Definition)
}

func unguarded(u control.Unguarded) Unguarded {
	return Unguarded{Unguarded: u, Light: display.LightOfUnguarded(u)}
}

func record(r control.Record, shown string) Record {
	named, check := r.Named(), r.Check()
	r.Detail = asText(r.Detail)
	return Record{Record: r, Shown: shown, Named: named, Check: check}
}

// asText is JSON as a text for a person, encoded as a JSON string: the page has nothing to parse.
func asText(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	text, _ := json.Marshal(pretty(raw)) // a string
	return text
}

// unseen has one row for each client and server: some clients start a server twice.
func unseen(list []control.UnseenServer) []control.UnseenServer {
	rows := []control.UnseenServer{}
	for _, u := range list {
		u.Client, u.Server = identity.ClientTitle(u.Client), cmp.Or(u.Shown, u.Server)
		if !slices.ContainsFunc(rows, func(r control.UnseenServer) bool {
			return r.Client == u.Client && r.Server == u.Server && r.Identity == u.Identity && r.Next == u.Next
		}) {
			rows = append(rows, u)
		}
	}
	return rows
}

// Can is what a new server's tools can do, in our words.
type Can struct {
	powers.Summary
	Source string `json:"source"` // who says so
}

// Does is what one tool can do.
type Does struct {
	Effect   string   `json:"effect" ts_type:"'changes' | 'reads' | 'unsaid'"`
	Basis    string   `json:"basis" ts_type:"'claim' | 'names' | ''"`
	Deletes  string   `json:"deletes" ts_type:"'yes' | 'no' | 'unsaid'"`
	Repeat   string   `json:"repeat" ts_type:"'yes' | 'no' | 'unsaid'"`  // repeating it is harmless
	Outside  string   `json:"outside" ts_type:"'yes' | 'no' | 'unsaid'"` // its claim
	Touches  []string `json:"touches"`                                   // commands, files, data, messages, browser, payments, secrets, outside
	Disputes []string `json:"disputes"`                                  // in our words
	Classes  []string `json:"classes"`                                   // gives, takes, commits, changes access, reaches
}

func canDo(s *powers.Summary) *Can {
	if s == nil {
		return nil
	}
	out := &Can{Summary: *s, Source: s.Source()}
	out.Statements = some(out.Statements)
	return out
}

func does(t *powers.Tool) *Does {
	if t == nil {
		return nil
	}
	return &Does{
		Effect: string(t.Effect), Basis: string(t.Basis), Deletes: string(t.Deletes), Repeat: string(t.Repeat), Outside: string(t.Outside),
		Touches: each(t.Touches, func(touch powers.Touch) string { return string(touch) }), Disputes: each(t.Disputes, powers.Dispute.Words),
		Classes: each(t.Classes, func(class vocab.CallClass) string { return string(class) }),
	}
}
