package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/vocab"
)

type releaseCommand struct {
	jsonFlag
	Code          string `arg:"" complete:"held" help:"Code of the held response, such as 4F2A."`
	WithoutMarked bool   `name:"without-marked" help:"Leave out the sentences with warnings."`
	Digest        narrow `placeholder:"D" help:"Decide only if the item still has this digest."`
	Yes           bool   `help:"Answer yes to every question."`
}

func (c releaseCommand) ask(ctx context.Context, s streams, hub *control.Client) (int, error) {
	item, err := heldItem(ctx, hub, c.Code, string(c.Digest))
	if err != nil {
		return exitFailed, err
	}
	var answer control.ReleaseAnswer
	switch state := item.Held.State; {
	case state == vocab.HeldDelivered, state == vocab.HeldTaken, state == vocab.HeldReleased && item.Held.Without == c.WithoutMarked:
		// Decided before: there is nothing to decide or to ask.
		answer = control.ReleaseAnswer{Code: item.Code, Server: item.Server, State: state, Until: item.Held.Until, Already: true}
	case state == vocab.HeldDiscarded:
		return exitFailed, fmt.Errorf("%s was discarded", item.Code)
	case len(item.Held.Answer) == 0:
		return exitFailed, fmt.Errorf("the text of %s is no longer stored, so there is nothing to release", item.Code)
	default:
		d := aboutItem(hub, item, c.jsonFlag, c.Yes)
		server := terminal.Server(item.Server, item.Shown)
		switch {
		case c.WithoutMarked:
			d.question = fmt.Sprintf("\nRelease this response from %s, once, without the marked sentences? [y/N] ", server)
		case gravest(item, item.Details) == inspect.Critical: // it takes more than a key, because the warnings reach the model
			d.want = typedName(item)
			d.question = fmt.Sprintf("\nThis has a Critical warning: someone may be trying to make the model act against you.\nType %s to release it anyway: ", d.want)
		default:
			d.question = fmt.Sprintf("\nRelease this response from %s, once? [y/N] ", server)
		}
		d.do = func() (err error) {
			answer, err = control.AskRelease(ctx, hub, control.Release{Code: item.Code, Digest: item.Digest, WithoutMarked: c.WithoutMarked})
			return err
		}
		if code, err := d.run(ctx, s); err != nil {
			return code, err
		}
	}
	return exitFine, c.print(s, answer, func(p *page) { p.released(answer) })
}

func (p *page) released(answer control.ReleaseAnswer) {
	code := terminal.Text(answer.Code)
	switch {
	case answer.State == vocab.HeldDelivered:
		p.Printf("%s was already released and delivered\n", code)
	case answer.State == vocab.HeldTaken:
		p.Printf("%s was already released and is being delivered\n", code)
	case answer.Already:
		p.Printf("%s was already released; it can be collected until %s\n", code, terminal.Clock(answer.Until))
	default:
		p.Printf("released: %s; it can be collected once, until %s\n", code, terminal.Clock(answer.Until))
		p.Printf("Ask the client to repeat its request, or, for a tool's response, to call quarantine_release with this code.\n")
	}
}

type discardCommand struct {
	jsonFlag
	Code   string `arg:"" optional:"" complete:"held" help:"Code of the held response, such as 4F2A."`
	All    bool   `help:"Delete all responses that are held now."`
	Server narrow `placeholder:"S" complete:"server" help:"With --all: only those of this server."`
	Tool   narrow `placeholder:"T" help:"With --all: only those of this tool."`
	Digest narrow `placeholder:"D" help:"Decide only if the item still has this digest."`
	Yes    bool   `help:"Answer yes to every question."`
}

func (c discardCommand) check() error {
	switch {
	case c.All == (c.Code != ""):
		return errors.New("name one held response, or use --all")
	case !c.All && (c.Server != "" || c.Tool != ""):
		return errors.New("--server and --tool go with --all")
	case c.All && c.Digest != "":
		return errors.New("--digest goes with one held response, not with --all")
	}
	return nil
}

func (c discardCommand) ask(ctx context.Context, s streams, hub *control.Client) (int, error) {
	if c.All {
		return c.discardAll(ctx, s, hub)
	}
	item, err := heldItem(ctx, hub, c.Code, string(c.Digest))
	if err != nil {
		return exitFailed, err
	}
	var answer control.ReleaseAnswer
	if item.Held.State == vocab.HeldDiscarded {
		answer = control.ReleaseAnswer{Code: item.Code, Server: item.Server, State: item.Held.State, Already: true}
	} else {
		d := aboutItem(hub, item, c.jsonFlag, c.Yes)
		d.question = fmt.Sprintf("\nDelete this response from %s? [y/N] ", terminal.Server(item.Server, item.Shown))
		d.do = func() (err error) {
			answer, err = control.AskRelease(ctx, hub, control.Release{Code: item.Code, Digest: item.Digest, Discard: true})
			return err
		}
		if code, err := d.run(ctx, s); err != nil {
			return code, err
		}
	}
	return exitFine, c.print(s, answer, func(p *page) {
		already := ""
		if answer.Already {
			already = " already"
		}
		p.Printf("discarded%s: %s\n", already, terminal.Text(answer.Code))
	})
}

// heldItem reads the current state of a held response.
func heldItem(ctx context.Context, hub *control.Client, code, digest string) (control.ItemDetail, error) {
	item, err := control.AskItem(ctx, hub, itemCode(code))
	switch {
	case err != nil:
	case item.Held == nil:
		err = fmt.Errorf("%s is not a held response: decide on it with \"sallyport approve %s\" or \"sallyport reject %s\"", item.Code, item.Code, item.Code)
	case digest != "" && digest != item.Digest:
		err = fmt.Errorf("the response's digest is %s; read it again with \"sallyport show %s\"", item.Digest, item.Code)
	}
	return item, err
}

// discardReport is the output of `discard --all --json`: what was in the inbox, and what happened to it.
type discardReport struct {
	Items []control.InboxItem `json:"items"`
	control.DiscardedHeld
}

// discardAll discards the responses held at this moment, of one server or tool if named. Later ones stay, and are counted.
func (c discardCommand) discardAll(ctx context.Context, s streams, hub *control.Client) (int, error) {
	set, err := control.AskHeldSet(ctx, hub, control.HeldQuery{Server: string(c.Server), Tool: string(c.Tool)})
	if err != nil {
		return exitFailed, err
	}
	var done control.DiscardedHeld
	if len(set.Codes) > 0 {
		if hub.Welcome().CLIApproval {
			p := c.aside(s)
			for _, item := range set.Items {
				p.Line("", fmt.Sprintf("%s  %s  ", terminal.Text(item.Code), terminal.Counted(item.Count, "response")), terminal.Server(item.Server, item.Shown)+": "+item.Title)
			}
		}
		code, err := decision{
			jsonFlag: c.jsonFlag, hub: hub, yes: c.Yes, shown: listOf(set.Items), show: func(*page) {}, brief: func(*page) {},
			question: fmt.Sprintf("\nDiscard %s? [y/N] ", terminal.Counted(len(set.Codes), "held response")), want: "y",
			do: func() (err error) {
				done, err = control.AskDiscardHeld(ctx, hub, control.DiscardHeld{Codes: set.Codes, Server: string(c.Server), Tool: string(c.Tool)})
				return err
			},
		}.run(ctx, s)
		if err != nil {
			return code, err
		}
	}
	return exitFine, c.print(s, discardReport{listOf(set.Items).Items, done}, func(p *page) {
		switch {
		case len(set.Codes) > 0:
			p.Printf("discarded: %s\n", terminal.Counted(done.Discarded, "response"))
		case c.Tool != "" || c.Server != "":
			p.Printf("No held response matches --server and --tool.\n")
		default:
			p.Printf("No responses are held.\n")
		}
		if done.Meanwhile > 0 {
			p.Printf("already decided or expired: %d\n", done.Meanwhile)
		}
		if done.Came > 0 {
			p.Printf("new since you asked, not discarded: %s\n", terminal.Counted(done.Came, "response"))
		}
	})
}
