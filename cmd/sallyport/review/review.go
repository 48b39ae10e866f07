// Package review prints an inbox item as a person reads it before deciding: what it is about, what runs, what it means, every part with its
// changes and warnings, what happens if nothing is done. It decides nothing and asks nothing.
package review

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// Item prints a whole inbox item. Our words are at the left margin and in fixed places; everything the server wrote is behind a gutter.
func Item(to *terminal.Page, d control.ItemDetail, decides control.Welcome, now time.Time) {
	p := &page{to}
	p.Printf("%s   %s\n", p.Paint(terminal.Bold, "Inbox item "+terminal.Text(d.Code)), Severity(to, d.Severity))
	p.Named("", "", d.Title)
	p.can(d)
	p.Printf("\n")
	p.facts(d, now)
	p.Printf("\n%s\n", meaning(d))
	p.pages(d)
	p.warnings("", d.Findings)
	if AboutHeld(d) {
		p.held(d)
		d.Details = nil
	}
	if AboutCall(d) {
		p.call(d)
		d.Details = nil
	}
	p.login(d)
	p.parts(d)
	p.fileChange(d)
	p.Printf("\n%s\n", p.Paint(terminal.Bold, "What happens now"))
	for _, line := range consequence(d, decides, now) {
		p.Printf("  %s\n", line)
	}
}

// AboutLostStore reports whether an item is about a lost store: approving it starts over.
func AboutLostStore(d control.ItemDetail) bool {
	return len(d.Parts) == 1 && d.Parts[0].Item == control.PartStore && d.Parts[0].State == vocab.PartLost
}

// Severity is the severity of an item as a word.
func Severity(p *terminal.Page, severity vocab.Severity) string {
	switch severity {
	case vocab.SeverityCritical:
		return p.Paint(terminal.Critical, "CRITICAL")
	case vocab.SeverityHigh:
		return p.Paint(terminal.Yellow, "HIGH")
	default:
		return p.Paint(terminal.Cyan, "REVIEW")
	}
}

// Before says that the entry of this name ran something else until now, word by word.
func Before(p *terminal.Page, d control.ItemDetail) {
	if d.Before == nil {
		return
	}
	p.Prose("  ", "The entry "+terminal.Text(d.Server)+" started a different server until now. What you allowed there doesn't count for this one:")
	had, has := d.Before.Command, d.Command
	if d.Before.URL != "" || d.URL != "" {
		had, has = append(slices.Clone(had), d.Before.URL), append(slices.Clone(has), d.URL)
	}
	first := 0
	for first < min(len(had), len(has)) && had[first] == has[first] {
		first++
	}
	end := 0
	for end < min(len(had), len(has))-first && had[len(had)-1-end] == has[len(has)-1-end] {
		end++
	}
	for _, side := range []struct {
		sign  string
		words []string
		style terminal.Style
	}{{"    - ", had[first : len(had)-end], terminal.Red}, {"    + ", has[first : len(has)-end], terminal.Green}} {
		if len(side.words) > 0 {
			p.Quote(side.sign, terminal.Piece{Text: legible.Escape(terminal.Command(side.words)), Style: side.style})
		}
	}
	if first == len(had) && first == len(has) {
		p.Prose("    ", "the only difference is in a masked value")
	}
}

func (p *page) facts(d control.ItemDetail, now time.Time) {
	switch {
	case AboutFile(d):
		p.fact("client", d.Server)
		p.fact("file", d.Path)
	case AboutExtension(d):
		p.fact("client", d.Server)
		p.fact("folder", d.Path)
	case d.Server != "": // settings, and a problem of Sallyport's own, are about no server
		p.Named("  ", fmt.Sprintf("%-13s", "server"), d.Server)
		p.fact("shown as", d.Shown)
	}
	p.fact("runs", terminal.Command(d.Command))
	p.fact("address", d.URL)
	Before(p.Page, d)
	p.made(d.Made)
	p.fact("sandbox", lookedUnder(d))
	p.fact("calls itself", serverInfo(d.Info))
	if !AboutHeld(d) && inspect.SuspectServer(d.Findings) {
		p.fact("", "has a warning in its name or version: see below")
	}
	p.fact("warnings", warned(d))
	p.fact("waiting", waiting(d.Created, now))
	p.fact("digest", d.Digest)
	if AboutHeld(d) {
		p.fact("state", string(d.Held.State))
	} else {
		p.fact("decided", string(d.Decided))
	}
	if d.Asked {
		p.fact("asked for", "by the model, through a Sallyport tool; that's no reason to allow it")
	}
	if d.Noisy {
		p.fact("noisy", "it keeps changing, so it stays here until you decide")
	}
}

// serverInfo is the name and version a server gives itself. It is recorded and shown, but a change is no drift.
func serverInfo(raw json.RawMessage) string {
	var info struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	if json.Unmarshal(raw, &info) != nil {
		return ""
	}
	return strings.TrimSpace(info.Name + " " + info.Version)
}

func waiting(since, now time.Time) string {
	if since.IsZero() {
		return ""
	}
	at := terminal.Clock(since)
	if d := now.Sub(since).Round(time.Minute); d >= time.Minute {
		return fmt.Sprintf("since %s (%s)", at, strings.TrimSuffix(d.String(), "0s"))
	}
	return "since " + at
}

// meaning is what an item means for the person, in our words only.
func meaning(d control.ItemDetail) string {
	running := "Sallyport started the server to see what it declares, so its program has\nalready run with your permissions."
	if d.URL != "" {
		running = "Sallyport asked the server at its address what it declares. It runs on another\ncomputer, or was started by somebody else: Sallyport can't see its program."
	} else if d.LookedIn == vocab.SandboxShield || d.LookedIn == vocab.SandboxStrict {
		running = "Sallyport started the server to see what it declares. Its program ran in a\nsandbox (" + string(d.LookedIn) + "), not with all your permissions."
	}
	switch {
	case AboutHeld(d):
		return heldMeaning(d)
	case d.Kind == vocab.ItemNewServer:
		return "This server is new. Until you allow what is shown here, the client sees none of\nit: tools are not listed, and calls to them are blocked.\n" + running
	case cameBack(d):
		return "It changed and changed back. The server declares what you last allowed, and it\nworks. It stays here because this happened more than once.\n" + running
	case d.Kind == vocab.ItemChanged && d.Severity == vocab.SeverityCritical:
		return "The server changed since you last allowed it, and the change has a Critical\nwarning. The whole server is blocked until you decide.\n" + running
	case d.Kind == vocab.ItemChanged:
		return "The server changed since you last allowed it. Only what is shown here is\nblocked; the rest of the server still works.\n" + running
	case AboutFile(d):
		return fileMeaning(d)
	case AboutExtension(d):
		return extensionMeaning(d)
	case d.Kind == vocab.ItemLaunch:
		return launchMeaning(d)
	case AboutCall(d):
		return meaningOf(d)
	case AboutLogin(d):
		return loginMeaning(d)
	case d.Kind == vocab.ItemInteraction:
		return "The server asked the client, or you, for something, and Sallyport blocked it.\nIf you allow it, exactly the same request passes the next time."
	case AboutSettings(d):
		return "Someone made a setting less safe. The stricter value applies until you decide."
	case AboutLostStore(d):
		return "Sallyport can't use its store, which holds what you allowed and what happened.\nEverything is blocked. You can start over with an empty store: the old one is\nkept aside, every server is new again, riskier values in settings.json wait\nfor your review, and the activity log starts with this decision."
	case d.Kind == vocab.ItemProblem:
		return "Sallyport couldn't check something. What it couldn't check stays blocked."
	}
	return "This stays blocked until you decide."
}

// cameBack reports whether everything pending is back to the approved version.
func cameBack(d control.ItemDetail) bool {
	return d.Kind == vocab.ItemChanged && d.Decided == "" && len(d.Details) > 0 && !slices.ContainsFunc(d.Details, func(p control.PartDetail) bool { return p.State != vocab.PartApproved && p.State != vocab.PartRemoved })
}

// consequence says what happens if nothing is done, and where a decision is made.
func consequence(d control.ItemDetail, decides control.Welcome, now time.Time) []string {
	switch {
	case AboutCall(d):
		return callConsequence(d, decides, now)
	case AboutHeld(d):
		return append(heldConsequence(d, decides), heldBeside(d)...)
	case d.Decided != "" && d.Next != "":
		return []string{fmt.Sprintf("This item is decided. What is left of it is item %s: sallyport show %[1]s", terminal.Text(d.Next))}
	case d.Decided != "":
		return []string{"This item is decided."}
	}
	switch {
	case AboutFile(d):
		return fileConsequence(d, decides)
	case AboutExtension(d):
		return extensionConsequence(d, decides)
	case AboutSettings(d):
		return settingsConsequence(d, decides)
	}
	if AboutLogin(d) {
		return loginConsequence(d, decides)
	}
	idle, rejecting := "If you do nothing, all of it stays blocked.", "keeps it blocked"
	switch {
	case d.Kind == vocab.ItemLaunch && d.Runs:
		idle, rejecting = "If you do nothing, the server keeps running as it is.", "blocks it"
	case d.Kind == vocab.ItemLaunch:
		idle = "If you do nothing, the server stays blocked."
	case cameBack(d):
		idle, rejecting = "If you do nothing, it keeps working as you allowed it.", "blocks it"
	}
	code := terminal.Text(d.Code)
	if decides.CLIApproval && AboutLostStore(d) {
		return []string{idle, fmt.Sprintf("sallyport approve %s          starts over with an empty store", code),
			"Or put a good copy of the store in its place and restart the hub."}
	}
	return append([]string{idle}, whereToDecide(decides,
		fmt.Sprintf("sallyport approve %s          allows what has no warning of Medium or above", code),
		fmt.Sprintf("sallyport approve %s --all    allows everything shown here", code),
		fmt.Sprintf("sallyport reject %s           %s and takes it off the list", code, rejecting))...)
}

// whereToDecide says where an item is decided; commands are for a hub that takes decisions from a terminal.
func whereToDecide(decides control.Welcome, commands ...string) []string {
	switch {
	case decides.Window:
		return []string{"Decide in the window."}
	case !decides.CLIApproval:
		return []string{"This hub takes no decisions: open the Sallyport window to decide."}
	}
	return commands
}

func (p *page) part(n, of int, part control.PartDetail) {
	p.Printf("\n")
	p.Line("", p.Paint(terminal.Bold, fmt.Sprintf("%d of %d   %s   ", n, of, stateWords(part.State))), part.Item)
	p.era(part)
	p.does(part)
	p.draws(part)
	instructions := part.Item == string(pin.Instructions)
	if !instructions && part.Page == nil || part.State != vocab.PartNew { // the text of new instructions says everything, as do the words for a new page
		p.changes(withoutText(part))
	}
	p.warnings("  ", part.Findings)
	if slices.ContainsFunc(part.Findings, func(f inspect.Finding) bool { return f.Rule == inspect.NoReading }) {
		p.Printf("  programs could read its text in two different ways, so it can't be allowed\n")
	}
	if slices.ContainsFunc(part.Findings, func(f inspect.Finding) bool { return f.Rule == inspect.HeaderArgument }) {
		p.Printf("  no call of it could be sent, so it can't be allowed\n")
	}
	p.skill(part)
	switch {
	case len(part.Definition) == 0 && len(part.Approved) > 0:
		if part.State == vocab.PartRemoved {
			p.Printf("  what you allowed, now gone:\n")
		} else {
			p.Printf("  what you last allowed:\n")
		}
		p.QuoteJSON("  ", part.Approved)
	case instructions:
		p.Printf("  the whole text, as declared now:\n")
		p.Quote("  ", terminal.Piece{Text: declaredText(part.Definition)})
	case part.Item == string(pin.Launch):
		p.launched(part)
	case len(part.Definition) > 0:
		p.Printf("  all of it, as declared now:\n")
		p.QuoteJSON("  ", part.Definition)
	}
	if part.Digest != "" {
		p.Printf("  digest %s\n", p.Paint(terminal.Dim, terminal.Text(string(part.Digest))))
	}
}

// era says for which clients the server declares this form, and with which it is compared.
func (p *page) era(part control.PartDetail) {
	words := control.EraWords(part.Era)
	if words == "" {
		return
	}
	p.Prose("  ", "as declared to "+words)
	if before := control.EraWords(part.ApprovedEra); before != words && before != "" {
		p.Prose("  ", "compared with what you allowed for "+before)
	}
}

func stateWords(state vocab.PartState) string {
	switch state {
	case vocab.PartNew:
		return "new"
	case vocab.PartChanged:
		return "changed since you allowed it"
	case vocab.PartRemoved:
		return "removed by the server"
	case vocab.PartLost:
		return "lost"
	case vocab.PartRejected:
		return "blocked by you"
	case vocab.PartApproved:
		return "allowed"
	default:
		return terminal.Text(string(state))
	}
}

// change prints one difference: where, what in our words, and for texts the words that went and came.
func (p *page) change(c pin.Change) {
	at := ""
	if strings.Contains(c.Path, ".") { // the words already name a member of the item itself
		at = "at " + c.Path
	}
	whole := c.Words + "   " + at
	switch room := p.Columns - len("  + "); {
	case at == "":
		p.Line("  ", p.mark(c.Op)+" ", c.Words)
	case terminal.Width(terminal.Text(whole)) <= room || terminal.Width(terminal.Text(c.Words)) > room:
		p.Line("  ", p.mark(c.Op)+" ", whole)
	default:
		p.Line("  ", p.mark(c.Op)+" ", c.Words)
		p.Line("    ", "", at)
	}
	if len(c.Text) > 0 {
		p.Quote("    ", segments(c.Text)...)
	} else {
		p.beforeAfter("-", terminal.Red, c.Before, c.Words)
		p.beforeAfter("+", terminal.Green, c.After, c.Words)
	}
}

// beforeAfter prints a value that is not in the words already.
func (p *page) beforeAfter(sign string, s terminal.Style, value, words string) {
	if value != "" && !strings.Contains(words, "`"+value+"`") {
		p.Quote("    "+p.Paint(s, sign)+" ", terminal.Piece{Text: marked(value), Style: s})
	}
}

func (p *page) mark(op pin.Op) string {
	switch op {
	case pin.Added:
		return p.Paint(terminal.Green, "+")
	case pin.Removed:
		return p.Paint(terminal.Red, "-")
	default:
		return p.Paint(terminal.Yellow, "~")
	}
}

// segments shows a word-level difference as [-removed-]{+added+}; the meaning never depends on colour.
func segments(all []pin.Segment) []terminal.Piece {
	pieces := make([]terminal.Piece, 0, len(all))
	for _, s := range all {
		switch s.Op {
		case pin.Deleted:
			pieces = append(pieces, terminal.Piece{Text: "[-" + marked(s.Text) + "-]", Style: terminal.Red})
		case pin.Inserted:
			pieces = append(pieces, terminal.Piece{Text: "{+" + marked(s.Text) + "+}", Style: terminal.Green})
		default:
			pieces = append(pieces, terminal.Piece{Text: marked(s.Text)})
		}
	}
	return pieces
}

// marked escapes server text, and puts a backslash before anything that looks like one of our marks: otherwise a server could write "[-"
// and "-]" around words so that they look removed.
func marked(s string) string {
	return strings.NewReplacer("[-", `\[-`, "-]", `\-]`, "{+", `\{+`, "+}", `\+}`).Replace(legible.Escape(s))
}

func (p *page) level(l inspect.Level) string {
	switch l {
	case inspect.Critical:
		return p.Paint(terminal.Critical, "CRITICAL")
	case inspect.High:
		return p.Paint(terminal.Yellow, "HIGH")
	case inspect.Medium:
		return p.Paint(terminal.Cyan, "MEDIUM")
	default:
		return p.Paint(terminal.Cyan, "LOW")
	}
}

// declaredText is a JSON string as text.
func declaredText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return terminal.Indented(raw)
	}
	return legible.Escape(s)
}

// page is a page with what a review adds to it.
type page struct{ *terminal.Page }

// fact prints a named value; one that is empty is left out.
func (p *page) fact(name, value string) {
	if value != "" {
		p.Line("  ", fmt.Sprintf("%-13s", name), value)
	}
}
