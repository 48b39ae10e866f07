package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sallyport/sallyport/cmd/sallyport/review"
	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
)

type approveCommand struct {
	jsonFlag
	Code   string   `arg:"" optional:"" complete:"code" help:"Code of the inbox item, such as 4F2A."`
	Clean  bool     `help:"Allow every new server without warnings, in one decision. Takes no CODE."`
	Item   []string `sep:"none" placeholder:"KIND:NAME" help:"Allow only this part, named as in show: instructions, tool:X, prompt:X, resource-template:X, resource:X or launch; entry:X for a client's file, setting:KEY for settings. Can be repeated."`
	Tool   []string `sep:"none" placeholder:"NAME" help:"Short for --item tool:NAME."`
	All    bool     `help:"Approve everything, including parts with warnings."`
	Digest string   `placeholder:"D" help:"Decide only if the item still has this digest."`
	Yes    bool     `help:"Answer yes to every question."`
}

func (c approveCommand) run(ctx context.Context, s streams) (int, error) {
	switch {
	case c.Clean && (c.Code != "" || c.All || len(c.Item)+len(c.Tool) > 0):
		return exitUsage, errors.New("--clean allows whole servers: leave out the code, --item, --tool and --all")
	case c.Clean:
		return cleanDecision{digest: c.Digest, yes: c.Yes, json: c.JSON}.run(ctx, s)
	case c.Code == "":
		return exitUsage, errors.New("expected an item's code, or --clean; \"sallyport approve --help\" says how")
	}
	keys := slices.Clone(c.Item)
	for _, name := range c.Tool {
		keys = append(keys, pin.Key(pin.Tool, name))
	}
	if c.All && len(keys) > 0 {
		return exitUsage, errors.New("use --all, or --item and --tool, not both")
	}
	return decision{decide: control.Decide{Code: itemCode(c.Code), Digest: c.Digest, Items: keys, All: c.All}, yes: c.Yes, json: c.JSON}.run(ctx, s)
}

type rejectCommand struct {
	jsonFlag
	Code   string   `arg:"" complete:"code" help:"Code of the inbox item, such as 4F2A."`
	Item   []string `sep:"none" placeholder:"KIND:NAME" help:"Only this part, named as in show. Can be repeated."`
	Digest string   `placeholder:"D" help:"Decide only if the item still has this digest."`
	Yes    bool     `help:"Answer yes to every question."`
}

func (c rejectCommand) run(ctx context.Context, s streams) (int, error) {
	return decision{decide: control.Decide{Code: itemCode(c.Code), Digest: c.Digest, Items: c.Item, Reject: true}, yes: c.Yes, json: c.JSON}.run(ctx, s)
}

// decision is one approve or reject: look, show, ask, decide on exactly what was shown, report the result.
type decision struct {
	decide control.Decide
	yes    bool
	json   bool
}

func (d decision) run(ctx context.Context, s streams) (int, error) {
	hub, err := dial(ctx)
	if err != nil {
		return exitFailed, err
	}
	defer hub.Close()
	item, err := control.AskItem(ctx, hub, d.decide.Code)
	if err != nil {
		return exitFailed, err
	}
	if err := d.open(item); err != nil {
		return exitFailed, err
	}
	d.decide.Digest = item.Digest
	chosen, left, err := choose(item, d.decide)
	if err != nil {
		return exitUsage, err
	}
	shown := s
	if d.json {
		shown.out = s.err
	}
	show := func() error { return showUndecided(s, d.json, item, hub.Welcome()) }
	if !hub.Welcome().CLIApproval {
		return decidedElsewhere(show, func() error {
			_, err := control.AskDecide(ctx, hub, d.decide)
			return err
		})
	}
	if len(chosen) == 0 && len(item.Details) > 0 {
		if err := show(); err != nil {
			return exitFailed, err
		}
		return exitPerson, errors.New("everything here has warnings; name what to allow with --item or --tool, or use --all")
	}
	if !d.yes {
		if !interactive(s) {
			return exitUsage, errNoTerminal
		}
		review.Item(newPage(shown).Page, item, hub.Welcome(), time.Now())
		if err := d.ask(ctx, shown, item, chosen); err != nil {
			return exitFailed, err
		}
	} else if !d.json {
		newPage(s).Printf("%s  %s\ndigest %s\n", terminal.Text(item.Code), terminal.Text(item.Title), terminal.Text(item.Digest))
	}
	decided, err := control.AskDecide(ctx, hub, d.decide)
	if hubError(err, control.CodeDescends) {
		return exitPerson, err
	}
	if err != nil {
		return exitFailed, err
	}
	s.did("it was decided")
	return d.say(s, item, decided, left)
}

// open says why there is nothing to decide about an item, nil if there is.
func (d decision) open(item control.ItemDetail) error {
	// A rejected item is out of the inbox; its code is the way to reconsider it.
	reconsidered := item.Decided == vocab.DecidedRejected && !d.decide.Reject
	switch {
	case review.AboutHeld(item):
		return fmt.Errorf("%s is a held response: \"sallyport release %s\" releases it, \"sallyport discard %s\" deletes it", item.Code, item.Code, item.Code)
	case item.Next != "":
		return fmt.Errorf("%s changed since, see %s", item.Code, item.Next)
	case item.Decided == vocab.DecidedWithdrawn:
		return errors.New("nothing to decide: the server went back to the approved version")
	case item.Decided != "" && !reconsidered:
		return fmt.Errorf("nothing to decide: already %s", item.Decided)
	case d.decide.Digest != "" && d.decide.Digest != item.Digest:
		return fmt.Errorf("the item's digest is now %s; read it again with \"sallyport show %s\"", item.Digest, item.Code)
	}
	return nil
}

// say prints what came of a decision.
func (d decision) say(s streams, item control.ItemDetail, decided control.Decided, left []control.PartDetail) (int, error) {
	if review.AboutLostStore(item) && !d.json {
		newPage(s).Printf("started over with an empty store: every server needs your review again\n")
		return exitFine, nil
	}
	switch {
	case d.json:
		if err := writeJSON(s.out, decided); err != nil {
			return exitFine, err
		}
	case review.AboutFile(item):
		newPage(s).decidedFile(decided)
	default:
		newPage(s).decided(decided, item, left)
	}
	if len(decided.Approved)+len(decided.Rejected) == 0 {
		return exitPerson, errors.New("none of it can be allowed: a name is used twice, or a text can be read in two ways; reject it, or ask the server's maker to fix it")
	}
	return exitFine, nil
}

// choose returns the parts of an item that a decision covers, and the others. Naming a missing part is an error: better than deciding on
// the rest.
func choose(item control.ItemDetail, d control.Decide) (chosen, left []control.PartDetail, err error) {
	for _, key := range d.Items {
		if !slices.ContainsFunc(item.Details, func(p control.PartDetail) bool { return p.Item == key }) {
			return nil, nil, fmt.Errorf("no %q in item %s; \"sallyport show %s\" lists its parts", key, item.Code, item.Code)
		}
	}
	suspect := item.Kind == vocab.ItemNewServer && inspect.SuspectServer(item.Findings)
	for _, part := range item.Details {
		if part.State == vocab.PartRemoved && !review.AboutFile(item) {
			continue // shown because it may be a rename; there is nothing to decide about it
		}
		var named bool
		switch {
		case len(d.Items) > 0:
			named = slices.Contains(d.Items, part.Item)
		case d.All || d.Reject || review.AboutFile(item):
			named = true
		default:
			named = inspect.Worst(part.Findings).Rank() < inspect.Medium.Rank() && !suspect
		}
		if named {
			chosen = append(chosen, part)
		} else {
			left = append(left, part)
		}
	}
	return chosen, left, nil
}

// ask gets a confirmation from the person at the terminal. Allowing something with a Critical finding takes more than one key.
func (d decision) ask(ctx context.Context, s streams, item control.ItemDetail, chosen []control.PartDetail) error {
	verb, want := "Allow", "y"
	if d.decide.Reject {
		verb = "Keep blocked"
		if slices.ContainsFunc(chosen, func(part control.PartDetail) bool { return works(item, part.Item) }) {
			verb = "Block"
		}
	}
	question := fmt.Sprintf("\n%s %s of %s? [y/N] ", verb, terminal.Counted(len(chosen), "item"), terminal.Server(item.Server, item.Shown))
	if review.AboutFile(item) {
		question = fileQuestion(d.decide.Reject, len(chosen))
	}
	if review.AboutLostStore(item) {
		question = "\nStart over with an empty store? [y/N] "
	}
	if !d.decide.Reject && gravest(item, chosen) == inspect.Critical {
		want = typedName(item)
		question = fmt.Sprintf("\nThis has a Critical warning: someone may be trying to make the model act against you.\nType %s to allow %s anyway: ", want, terminal.Counted(len(chosen), "item"))
	}
	return answered(ctx, s, question, want)
}

func gravest(item control.ItemDetail, chosen []control.PartDetail) inspect.Level {
	all := slices.Clone(item.Findings)
	for _, part := range chosen {
		all = append(all, part.Findings...)
	}
	return inspect.Worst(all)
}

// works reports whether a part of a pending item is in use: something that changed and changed back, or a launch that still runs.
func works(item control.ItemDetail, key string) bool {
	return slices.ContainsFunc(item.Details, func(p control.PartDetail) bool {
		return p.Item == key && (p.State == vocab.PartApproved || item.Kind == vocab.ItemLaunch && item.Runs)
	})
}

// decided reports what was allowed or blocked of an item, and what is still pending.
func (p *page) decided(d control.Decided, item control.ItemDetail, left []control.PartDetail) {
	whose := ""
	if d.Server != "" { // settings belong to no server
		whose = " for " + terminal.Server(d.Server, "")
	}
	if len(d.Approved) > 0 {
		p.Hang("", "  ", "allowed"+whose+": "+terminal.Names(d.Approved))
	}
	var blocked, kept []string
	for _, key := range d.Rejected {
		if works(item, key) {
			blocked = append(blocked, key)
		} else {
			kept = append(kept, key)
		}
	}
	if len(blocked) > 0 {
		p.Hang("", "  ", "blocked"+whose+": "+terminal.Names(blocked))
	}
	if len(kept) > 0 {
		p.Hang("", "  ", "kept blocked"+whose+": "+terminal.Names(kept))
	}
	if len(d.Left) == 0 {
		return
	}
	p.Hang("", "  ", "still needs review: "+terminal.Names(d.Left))
	for _, part := range left {
		if worst := inspect.Worst(part.Findings); worst.Rank() >= inspect.Medium.Rank() {
			p.Printf("  %s has a warning: %s\n", terminal.Text(part.Item), terminal.Text(string(worst)))
		}
	}
	if d.Next != "" {
		p.Printf("see item %s\n", terminal.Text(d.Next))
	}
}

type blockCommand struct {
	jsonFlag
	Server string   `arg:"" complete:"server" help:"Name or identity of the server."`
	Item   []string `sep:"none" placeholder:"KIND:NAME" help:"Only this part. Can be repeated."`
}

func (c blockCommand) ask(ctx context.Context, s streams, hub *control.Client) (int, error) {
	blocked, err := control.AskBlock(ctx, hub, control.Block{Server: c.Server, Items: c.Item})
	if err != nil {
		return exitFailed, err
	}
	s.did("it was blocked")
	if c.JSON {
		return exitFine, writeJSON(s.out, blocked)
	}
	p := newPage(s)
	if len(c.Item) == 0 {
		p.Printf("blocked: all of %s\n", terminal.Server(blocked.Server, ""))
	}
	if len(c.Item) > 0 && len(blocked.Items) > 0 {
		p.Printf("blocked for %s: %s\n", terminal.Server(blocked.Server, ""), terminal.Names(blocked.Items))
	}
	before := slices.DeleteFunc(slices.Clone(c.Item), func(key string) bool { return slices.Contains(blocked.Items, key) })
	if len(before) > 0 {
		p.Printf("already blocked for %s: %s\n", terminal.Server(blocked.Server, ""), terminal.Names(before))
	}
	if blocked.Code != "" {
		p.Printf("to allow it again, decide on item %s\n", terminal.Text(blocked.Code))
	}
	return exitFine, nil
}

func fileQuestion(reject bool, n int) string {
	if reject {
		return fmt.Sprintf("\nKeep the file's version of %s? [y/N] ", entries(n))
	}
	return fmt.Sprintf("\nPut back %s as shown? [y/N] ", entries(n))
}

// decidedFile reports what happened to a client's file.
func (p *page) decidedFile(d control.Decided) {
	if len(d.Approved) > 0 {
		p.Hang("", "  ", "put back: "+terminal.Names(d.Approved))
	}
	if len(d.Rejected) > 0 {
		p.Hang("", "  ", "kept as in the file: "+terminal.Names(d.Rejected))
	}
	if len(d.Left) > 0 {
		p.Hang("", "  ", "still needs review: "+terminal.Names(d.Left))
	}
	if d.Next != "" {
		p.Printf("see item %s\n", terminal.Text(d.Next))
	}
}
