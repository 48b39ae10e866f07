package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sallyport/sallyport/cmd/sallyport/review"
	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/vocab"
)

type releaseCommand struct {
	jsonFlag
	Code          string `arg:"" complete:"held" help:"Code of the held response, such as 4F2A."`
	WithoutMarked bool   `name:"without-marked" help:"Leave out the sentences with warnings."`
	Digest        string `placeholder:"D" help:"Decide only if the item still has this digest."`
	Yes           bool   `help:"Answer yes to every question."`
}

func (c releaseCommand) run(ctx context.Context, s streams) (int, error) {
	hub, item, err := heldItem(ctx, c.Code, c.Digest)
	if err != nil {
		return exitFailed, err
	}
	defer hub.Close()
	ask := control.Release{Code: item.Code, Digest: item.Digest, WithoutMarked: c.WithoutMarked}
	switch state := item.Held.State; {
	case state == vocab.HeldDelivered, state == vocab.HeldTaken, state == vocab.HeldReleased && item.Held.Without == c.WithoutMarked:
		// Decided before: there is nothing to decide or to ask.
		answer := control.ReleaseAnswer{Code: item.Code, Server: item.Server, State: state, Until: item.Held.Until, Already: true}
		return exitFine, c.say(s, answer)
	case state == vocab.HeldDiscarded:
		return exitFailed, fmt.Errorf("%s was discarded", item.Code)
	case len(item.Held.Answer) == 0:
		return exitFailed, fmt.Errorf("the text of %s is no longer stored, so there is nothing to release", item.Code)
	}
	question := fmt.Sprintf("\nRelease this response from %s, once? [y/N] ", terminal.Server(item.Server, item.Shown))
	if c.WithoutMarked {
		question = fmt.Sprintf("\nRelease this response from %s, once, without the marked sentences? [y/N] ", terminal.Server(item.Server, item.Shown))
	}
	var answer control.ReleaseAnswer
	code, err := heldDecision{
		hub: hub, item: item, yes: c.Yes, json: c.JSON, question: question, grave: !c.WithoutMarked,
		do: func() (err error) { answer, err = control.AskRelease(ctx, hub, ask); return err },
	}.run(ctx, s)
	if err != nil {
		return code, err
	}
	return exitFine, c.say(s, answer)
}

func (c releaseCommand) say(s streams, answer control.ReleaseAnswer) error {
	if c.JSON {
		return writeJSON(s.out, answer)
	}
	p := newPage(s)
	switch {
	case answer.State == vocab.HeldDelivered:
		p.Printf("%s was already released and delivered\n", terminal.Text(answer.Code))
	case answer.State == vocab.HeldTaken:
		p.Printf("%s was already released and is being delivered\n", terminal.Text(answer.Code))
	case answer.Already:
		p.Printf("%s was already released; it can be collected until %s\n", terminal.Text(answer.Code), terminal.Clock(answer.Until))
	default:
		p.Printf("released: %s; it can be collected once, until %s\n", terminal.Text(answer.Code), terminal.Clock(answer.Until))
		p.Printf("Ask the client to repeat its request, or, for a tool's response, to call quarantine_release with this code.\n")
	}
	return nil
}

type discardCommand struct {
	jsonFlag
	Code   string `arg:"" optional:"" complete:"held" help:"Code of the held response, such as 4F2A."`
	All    bool   `help:"Delete all responses that are held now."`
	Server string `placeholder:"S" complete:"server" help:"With --all: only those of this server."`
	Tool   string `placeholder:"T" help:"With --all: only those of this tool."`
	Digest string `placeholder:"D" help:"Decide only if the item still has this digest."`
	Yes    bool   `help:"Answer yes to every question."`
}

func (c discardCommand) run(ctx context.Context, s streams) (int, error) {
	if c.All == (c.Code != "") {
		return exitUsage, errors.New("name one held response, or use --all")
	}
	if c.All {
		return c.runAll(ctx, s)
	}
	if c.Server != "" || c.Tool != "" {
		return exitUsage, errors.New("--server and --tool go with --all")
	}
	hub, item, err := heldItem(ctx, c.Code, c.Digest)
	if err != nil {
		return exitFailed, err
	}
	defer hub.Close()
	var answer control.ReleaseAnswer
	if item.Held.State == vocab.HeldDiscarded {
		answer = control.ReleaseAnswer{Code: item.Code, Server: item.Server, State: item.Held.State, Already: true}
	} else {
		code, err := heldDecision{
			hub: hub, item: item, yes: c.Yes, json: c.JSON, question: fmt.Sprintf("\nDelete this response from %s? [y/N] ", terminal.Server(item.Server, item.Shown)),
			do: func() (err error) {
				answer, err = control.AskRelease(ctx, hub, control.Release{Code: item.Code, Digest: item.Digest, Discard: true})
				return err
			},
		}.run(ctx, s)
		if err != nil {
			return code, err
		}
	}
	if c.JSON {
		return exitFine, writeJSON(s.out, answer)
	}
	already := ""
	if answer.Already {
		already = " already"
	}
	newPage(s).Printf("discarded%s: %s\n", already, terminal.Text(answer.Code))
	return exitFine, nil
}

// heldItem reads the current state of a held response.
func heldItem(ctx context.Context, code, digest string) (*control.Client, control.ItemDetail, error) {
	hub, err := dial(ctx)
	if err != nil {
		return nil, control.ItemDetail{}, err
	}
	item, err := control.AskItem(ctx, hub, itemCode(code))
	switch {
	case err != nil:
	case item.Held == nil:
		err = fmt.Errorf("%s is not a held response: decide on it with \"sallyport approve %s\" or \"sallyport reject %s\"", item.Code, item.Code, item.Code)
	case digest != "" && digest != item.Digest:
		err = fmt.Errorf("the response's digest is %s; read it again with \"sallyport show %s\"", item.Digest, item.Code)
	}
	if err != nil {
		hub.Close()
		return nil, item, err
	}
	return hub, item, nil
}

// heldDecision is one decision on a held response: show, ask, do exactly what was asked.
type heldDecision struct {
	hub      *control.Client
	item     control.ItemDetail
	yes      bool
	json     bool
	question string
	grave    bool // the findings reach the model: a Critical one needs more than a key
	do       func() error
}

func (d heldDecision) run(ctx context.Context, s streams) (int, error) {
	shown := s
	if d.json {
		shown.out = s.err
	}
	if !d.hub.Welcome().CLIApproval {
		return decidedElsewhere(func() error { return showUndecided(s, d.json, d.item, d.hub.Welcome()) }, d.do)
	}
	switch {
	case !d.yes && !interactive(s):
		return exitUsage, errNoTerminal
	case !d.yes:
		review.Item(newPage(shown).Page, d.item, d.hub.Welcome(), time.Now())
	case !d.json:
		newPage(s).Printf("%s  %s\ndigest %s\n", terminal.Text(d.item.Code), terminal.Text(d.item.Title), terminal.Text(d.item.Digest))
	}
	want := "y"
	if d.grave && gravest(d.item, d.item.Details) == inspect.Critical {
		want = typedName(d.item)
		d.question = fmt.Sprintf("\nThis has a Critical warning: someone may be trying to make the model act against you.\nType %s to release it anyway: ", want)
	}
	if err := confirm(ctx, s, d.yes, d.question, want); err != nil {
		return exitFailed, err
	}
	if err := d.do(); err != nil {
		return exitFailed, err
	}
	s.did("it was decided")
	return exitFine, nil
}

// discardReport is the output of `discard --all --json`: what was in the inbox, and what happened to it.
type discardReport struct {
	Items []control.InboxItem `json:"items"`
	control.DiscardedHeld
}

// runAll discards the responses held at this moment, of one server or tool if named. Later ones stay, and are counted.
func (c discardCommand) runAll(ctx context.Context, s streams) (int, error) {
	if c.Digest != "" {
		return exitUsage, errors.New("--digest goes with one held response, not with --all")
	}
	hub, err := dial(ctx)
	if err != nil {
		return exitFailed, err
	}
	defer hub.Close()
	set, err := control.AskHeldSet(ctx, hub, control.HeldQuery{Server: c.Server, Tool: c.Tool})
	if err != nil {
		return exitFailed, err
	}
	shown := s
	if c.JSON {
		shown.out = s.err
	}
	p := newPage(shown)
	if len(set.Codes) > 0 && hub.Welcome().CLIApproval {
		for _, item := range set.Items {
			p.Line("", fmt.Sprintf("%s  %s  ", terminal.Text(item.Code), terminal.Counted(item.Count, "response")), item.Server+": "+item.Title)
		}
		if err := confirm(ctx, s, c.Yes, fmt.Sprintf("\nDiscard %s? [y/N] ", terminal.Counted(len(set.Codes), "held response")), "y"); err != nil {
			return codeOf(err), err
		}
	}
	var done control.DiscardedHeld
	if len(set.Codes) > 0 {
		done, err = control.AskDiscardHeld(ctx, hub, control.DiscardHeld{Codes: set.Codes, Server: c.Server, Tool: c.Tool})
	}
	switch {
	case hubError(err, control.CodeNotHere), hubError(err, control.CodeDescends):
		if c.JSON {
			err = errors.Join(writeJSON(s.out, listOf(set.Items)), err)
		}
		return exitPerson, err
	case err != nil:
		return exitFailed, err
	}
	if done.Discarded > 0 {
		s.did("it was decided")
	}
	if c.JSON {
		return exitFine, writeJSON(s.out, discardReport{listOf(set.Items).Items, done})
	}
	if len(set.Codes) == 0 {
		if c.Tool != "" || c.Server != "" {
			p.Printf("No held response matches --server and --tool.\n")
		} else {
			p.Printf("No responses are held.\n")
		}
		return exitFine, nil
	}
	p.Printf("discarded: %s\n", terminal.Counted(done.Discarded, "response"))
	if done.Meanwhile > 0 {
		p.Printf("already decided or expired: %d\n", done.Meanwhile)
	}
	if done.Came > 0 {
		p.Printf("new since you asked, not discarded: %s\n", terminal.Counted(done.Came, "response"))
	}
	return exitFine, nil
}
