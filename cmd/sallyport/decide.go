package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

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
	Item   []string `sep:"none" placeholder:"KIND:NAME" help:"Allow only this part, named as in show: instructions, tool:X, prompt:X, resource-template:X, resource:X, skill:X or launch; entry:X for a client's file, setting:KEY for settings. Can be repeated."`
	Tool   []string `sep:"none" placeholder:"NAME" help:"Short for --item tool:NAME."`
	All    bool     `help:"Approve everything, including parts with warnings."`
	Always bool     `help:"Allow a call for good. From now on the same call passes without a question, or any call of the tool with the value that you were asked about (sallyport flow)."`
	Digest narrow   `placeholder:"D" help:"Decide only if the item still has this digest."`
	Yes    bool     `help:"Answer yes to every question."`
}

func (c approveCommand) check() error {
	switch {
	case c.Clean && (c.Code != "" || c.All || c.Always || len(c.Item)+len(c.Tool) > 0):
		return errors.New("--clean allows whole servers: leave out the code, --item, --tool, --all and --always")
	case !c.Clean && c.Code == "":
		return errors.New("expected an item's code, or --clean; \"sallyport approve --help\" says how")
	case c.All && len(c.Item)+len(c.Tool) > 0:
		return errors.New("use --all, or --item and --tool, not both")
	}
	return nil
}

func (c approveCommand) ask(ctx context.Context, s streams, hub *control.Client) (int, error) {
	if c.Clean {
		return c.clean(ctx, s, hub)
	}
	keys := slices.Clone(c.Item)
	for _, name := range c.Tool {
		keys = append(keys, pin.Key(pin.Tool, name))
	}
	return decide(ctx, s, hub, control.Decide{Code: itemCode(c.Code), Digest: string(c.Digest), Items: keys, All: c.All, Always: c.Always}, c.jsonFlag, c.Yes)
}

type rejectCommand struct {
	jsonFlag
	Code   string   `arg:"" complete:"code" help:"Code of the inbox item, such as 4F2A."`
	Item   []string `sep:"none" placeholder:"KIND:NAME" help:"Only this part, named as in show. Can be repeated."`
	Digest narrow   `placeholder:"D" help:"Decide only if the item still has this digest."`
	Yes    bool     `help:"Answer yes to every question."`
}

func (c rejectCommand) ask(ctx context.Context, s streams, hub *control.Client) (int, error) {
	return decide(ctx, s, hub, control.Decide{Code: itemCode(c.Code), Digest: string(c.Digest), Items: c.Item, Reject: true}, c.jsonFlag, c.Yes)
}

// decide is one approve or reject.
func decide(ctx context.Context, s streams, hub *control.Client, ask control.Decide, asJSON jsonFlag, yes bool) (int, error) {
	item, err := control.AskItem(ctx, hub, ask.Code)
	if err != nil {
		return exitFailed, err
	}
	if err := undecidable(item, ask); err != nil {
		return exitFailed, err
	}
	ask.Digest = item.Digest
	chosen, left, err := choose(item, ask)
	if err != nil {
		return exitUsage, err
	}
	var decided control.Decided
	d := aboutItem(hub, item, asJSON, yes)
	d.question, d.want = question(item, ask.Reject, chosen)
	if ask.Always {
		d.question, d.want = "\nAllow this call for good, whichever client makes it? [y/N] ", "y"
	}
	d.do = func() (err error) { decided, err = control.AskDecide(ctx, hub, ask); return err }
	if hub.Welcome().CLIApproval && len(chosen) == 0 && len(item.Details) > 0 {
		if err := d.undecided(s); err != nil {
			return exitFailed, err
		}
		return exitPerson, errors.New("everything here has warnings; name what to allow with --item or --tool, or use --all")
	}
	if code, err := d.run(ctx, s); err != nil {
		return code, err
	}
	return reportDecided(s, asJSON, ask, item, decided, left)
}

// undecidable says why there is nothing to decide about an item, nil if there is.
func undecidable(item control.ItemDetail, ask control.Decide) error {
	// A rejected item is out of the inbox; its code is the way to reconsider it.
	reconsidered := item.Decided == vocab.DecidedRejected && !ask.Reject
	switch {
	case review.AboutHeld(item):
		return fmt.Errorf("%s is a held response: \"sallyport release %s\" releases it, \"sallyport discard %s\" deletes it", item.Code, item.Code, item.Code)
	case item.Next != "":
		return fmt.Errorf("%s changed since, see %s", item.Code, item.Next)
	case item.Decided == vocab.DecidedWithdrawn && review.AboutCall(item):
		return errors.New("nothing to decide: the call is over; when the client makes it again, it gets a new item")
	case item.Decided == vocab.DecidedWithdrawn:
		return errors.New("nothing to decide: the server went back to the approved version")
	case ask.Always && !review.AboutCall(item):
		return fmt.Errorf("%s is no call: --always is for the calls that you decide on one by one", item.Code)
	case item.Decided != "" && !reconsidered:
		return fmt.Errorf("nothing to decide: already %s", item.Decided)
	case ask.Digest != "" && ask.Digest != item.Digest:
		return fmt.Errorf("the item's digest is now %s; read it again with \"sallyport show %s\"", item.Digest, item.Code)
	}
	return nil
}

// reportDecided prints what came of a decision.
func reportDecided(s streams, asJSON jsonFlag, ask control.Decide, item control.ItemDetail, decided control.Decided, left []control.PartDetail) (int, error) {
	if review.AboutLostStore(item) && !asJSON.JSON {
		newPage(s).Printf("started over with an empty store: every server needs your review again\n")
		return exitFine, nil
	}
	err := asJSON.print(s, decided, func(p *page) {
		switch {
		case review.AboutFile(item):
			p.decidedFile(decided)
		case review.AboutExtension(item) && ask.Reject:
			p.Prose("", "The item stays in the inbox. "+review.SwitchOff)
		case review.AboutExtension(item):
			p.Hang("", "  ", "accepted as it is now: "+terminal.Names(decided.Approved))
		case ask.Always:
			p.Hang("", "  ", "allowed for good: "+review.ForGood(item)+" passes without a question. To end that: sallyport flow forget "+item.Code)
		case review.AboutCall(item) && len(decided.Approved) > 0:
			p.Hang("", "  ", "allowed once: the same call passes when the client makes it again, within ten minutes")
		case review.AboutCall(item):
			p.Hang("", "  ", "refused: the same call is refused for ten minutes")
		default:
			p.decided(decided, item, left)
		}
	})
	if err != nil {
		return exitFailed, err
	}
	if len(decided.Approved)+len(decided.Rejected) == 0 {
		return exitPerson, errors.New("none of it can be allowed: a name is used twice, a text can be read in two ways, or a skill is not what its entry says; reject it, or ask the server's maker to fix it")
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

// question asks a person to confirm a decision; want is the answer. Allowing something with a Critical finding takes more than one key.
func question(item control.ItemDetail, reject bool, chosen []control.PartDetail) (question, want string) {
	switch {
	case !reject && gravest(item, chosen) == inspect.Critical:
		want = typedName(item)
		return fmt.Sprintf("\nThis has a Critical warning: someone may be trying to make the model act against you.\nType %s to allow %s anyway: ", want, terminal.Counted(len(chosen), "item")), want
	case review.AboutLostStore(item):
		return "\nStart over with an empty store? [y/N] ", "y"
	case review.AboutFile(item) && reject:
		return fmt.Sprintf("\nKeep the file's version of %s? [y/N] ", entries(len(chosen))), "y"
	case review.AboutFile(item):
		return fmt.Sprintf("\nPut back %s as shown? [y/N] ", entries(len(chosen))), "y"
	case review.AboutExtension(item) && reject:
		return "\nNote that you don't accept this extension? [y/N] ", "y"
	case review.AboutExtension(item):
		return "\nAccept this extension as it is now? [y/N] ", "y"
	}
	if review.AboutCall(item) {
		verb := "Allow this call once"
		if reject {
			verb = "Refuse this call"
		}
		return "\n" + verb + "? [y/N] ", "y"
	}
	verb := "Allow"
	if reject {
		verb = "Keep blocked"
		if slices.ContainsFunc(chosen, func(part control.PartDetail) bool { return works(item, part.Item) }) {
			verb = "Block"
		}
	}
	return fmt.Sprintf("\n%s %s of %s? [y/N] ", verb, terminal.Counted(len(chosen), "item"), terminal.Server(item.Server, item.Shown)), "y"
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
		whose = " for " + terminal.Server(d.Server, item.Shown)
	}
	if len(d.Approved) > 0 {
		p.Hang("", "  ", "allowed"+whose+": "+terminal.Names(d.Approved))
	}
	p.restart(d.Cut, d.Restart)
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
		as := "kept blocked" + whose
		if review.AboutSettings(item) {
			as = "kept at the safer value, in settings.json too"
		}
		p.Hang("", "  ", as+": "+terminal.Names(kept))
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

// restart says what running clients get only after a restart.
func (p *page) restart(cut, restart []string) {
	if len(cut) > 0 {
		p.Hang("", "  ", terminal.Text(strings.Join(restart, ", "))+" for what was left out when it started: "+terminal.Names(cut))
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
	return exitFine, c.print(s, blocked, func(p *page) {
		server := terminal.Server(blocked.Server, blocked.Shown)
		if len(c.Item) == 0 {
			p.Printf("blocked: all of %s\n", server)
		} else if len(blocked.Items) > 0 {
			p.Printf("blocked for %s: %s\n", server, terminal.Names(blocked.Items))
		}
		before := slices.DeleteFunc(slices.Clone(c.Item), func(key string) bool { return slices.Contains(blocked.Items, key) })
		if len(before) > 0 {
			p.Printf("already blocked for %s: %s\n", server, terminal.Names(before))
		}
		if blocked.Code != "" {
			p.Printf("to allow it again, decide on item %s\n", terminal.Text(blocked.Code))
		}
	})
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
