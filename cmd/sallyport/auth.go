package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/sallyport/sallyport/app/reveal"
	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

type authCommand struct {
	Login  authLoginCommand  `cmd:"" three:"not decided here: decide in the window" help:"Sign in to a remote server. The page of the issuer opens in your browser."`
	Status authStatusCommand `cmd:"" help:"Show where you are signed in. Tokens are never shown."`
	Logout authLogoutCommand `cmd:"" help:"Sign out of a remote server."`
}

type authLoginCommand struct {
	jsonFlag
	Server    string `arg:"" complete:"server" help:"Name of the server, or its identity."`
	Issuer    string `placeholder:"URL" help:"Where to sign in, if the server names several places."`
	NoBrowser bool   `name:"no-browser" help:"Only print the address of the page."`
	Yes       bool   `help:"Answer yes to every question."`
}

func (c authLoginCommand) ask(ctx context.Context, s streams, hub *control.Client) (int, error) {
	looked, err := control.AskLogin(ctx, hub, control.Login{Server: c.Server, Issuer: c.Issuer})
	if err != nil {
		return codeOf(err), err
	}
	plan := looked.Plan
	if len(plan.Issuers) > 0 {
		return exitUsage, fmt.Errorf("%s can be signed in to at several places; name one with --issuer: %s", terminal.Text(plan.Server), terminal.Text(strings.Join(plan.Issuers, ", ")))
	}
	if plan.Registered == "" {
		return exitFailed, fmt.Errorf("%s takes no program by itself: register a client there, then \"sallyport settings set auth.client_id ID --server %s\"", terminal.Text(plan.Issuer), terminal.Text(plan.Server))
	}
	var begun control.LoginBegun
	d := decision{
		jsonFlag: c.jsonFlag, hub: hub, yes: c.Yes, shown: plan, want: "y",
		show:     func(p *page) { p.loginPlan(plan) },
		brief:    func(p *page) { p.loginPlan(plan) },
		question: fmt.Sprintf("\nSign in to %s there? [y/N] ", terminal.Server(plan.Server, "")),
		do: func() (err error) {
			begun, err = control.AskLogin(ctx, hub, control.Login{Server: c.Server, Issuer: c.Issuer, Digest: plan.Digest})
			return err
		},
	}
	if code, err := d.run(ctx, s); err != nil {
		return code, err
	}
	// The address goes where questions go: with --json, standard output is for the result.
	fmt.Fprintf(s.err, "Sign in on this page: %s\n", legible.Escape(begun.Address)) // whole: it is of no use cut
	if !c.NoBrowser {
		if err := reveal.Browse(begun.Address); err != nil {
			fmt.Fprintln(s.err, "Sallyport couldn't start a browser. Open the page yourself.")
		}
	}
	status, err := control.AskLoginEnd(ctx, hub, begun.ID)
	if errors.Is(err, context.Canceled) {
		return exitFailed, errors.New("you stopped waiting; if you sign in on the page within 5 minutes, it still counts")
	}
	if err != nil {
		return codeOf(err), err
	}
	s.did("you are signed in")
	return exitFine, c.print(s, status, func(p *page) {
		p.Printf("Signed in to %s at %s.\n", terminal.Server(status.Server, ""), terminal.Text(status.Issuer))
	})
}

// loginPlan says what a sign-in binds.
func (p *page) loginPlan(plan control.LoginPlan) {
	p.Printf("%s wants you to sign in.\n\n", terminal.Server(plan.Server, ""))
	p.Line("", "server: ", strings.TrimPrefix(plan.Identity, "url:"))
	p.Line("", "issuer: ", plan.Issuer)
	p.Line("", "page:   ", plan.Page)
	scopes := strings.Join(plan.Scopes, " ")
	if scopes == "" {
		scopes = "(the issuer decides)"
	}
	p.Line("", "asks for: ", scopes)
	p.Printf("%s\n", registeredWords[plan.Registered])
}

// registeredWords say how Sallyport is known to an issuer.
var registeredWords = map[string]string{
	"own":      "Sallyport uses the client id from your settings.",
	"document": "Sallyport names a document that says who it is.",
	"dynamic":  "Sallyport registers itself there first.",
}

type authStatusCommand struct {
	jsonFlag
	Server string `arg:"" optional:"" complete:"server" help:"Only this server."`
}

func (c authStatusCommand) ask(ctx context.Context, s streams, hub *control.Client) (int, error) {
	all, err := control.AskSignIns(ctx, hub, control.SignInQuery{Server: c.Server})
	if err != nil {
		return exitFailed, err
	}
	return exitFine, c.print(s, listOf(all), func(p *page) {
		if len(all) == 0 {
			p.Printf("No remote servers.\n")
			return
		}
		rows := make([][]string, len(all))
		for i, in := range all {
			rows[i] = []string{terminal.Server(in.Server, ""), signInWords(in), orDash(terminal.Text(in.Issuer)), orDash(terminal.Short(strings.Join(in.Scopes, " "), 40)), orDash(in.Kept), orDash(terminal.Text(in.Code))}
		}
		p.Table(strings.Fields("SERVER STATE ISSUER SCOPES KEPT ITEM"), rows)
		for _, in := range all {
			if in.Problem != "" {
				p.Line("", in.Server+": ", in.Problem)
			}
			if in.Said != "" {
				p.Line("", "the issuer says: ", in.Said)
			}
		}
	})
}

func signInWords(in control.SignInStatus) string {
	switch {
	case in.SignedIn:
		return "signed in"
	case in.Wanted:
		return "wants a sign-in"
	}
	return "not signed in"
}

type authLogoutCommand struct {
	jsonFlag
	Server string `arg:"" complete:"server" help:"Name of the server, or its identity."`
}

func (c authLogoutCommand) ask(ctx context.Context, s streams, hub *control.Client) (int, error) {
	status, err := control.AskLogout(ctx, hub, c.Server)
	if err != nil {
		return codeOf(err), err
	}
	s.did("you are signed out")
	return exitFine, c.print(s, status, func(p *page) {
		p.Printf("Signed out of %s.\n", terminal.Server(status.Server, ""))
		if status.Problem != "" {
			p.Line("", "", status.Problem)
		}
	})
}
