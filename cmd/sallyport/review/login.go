package review

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect/legible"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// AboutLogin reports whether an item is about a sign-in that a server wants.
func AboutLogin(d control.ItemDetail) bool { return d.Kind == vocab.ItemLogin && d.Login != nil }

func loginMeaning(d control.ItemDetail) string {
	switch {
	case d.Login.Before != "" && d.Login.Before != d.Login.Plan.Issuer:
		return "The server wants you to sign in at another place than before. Sallyport deleted\nthe old sign-in. Sign in only if you know why the place changed."
	case len(d.Login.Had) > 0:
		return "You are signed in, but the server wants you to allow more than you did. The call\nthat needs it was not run; others still work."
	}
	return "The server wants you to sign in. Until you do, the client sees none of it."
}

// login prints what a sign-in would bind.
func (p *page) login(d control.ItemDetail) {
	if !AboutLogin(d) {
		return
	}
	plan := d.Login.Plan
	p.Printf("\n%s\n", p.Paint(terminal.Bold, "What you would sign in to"))
	if len(plan.Issuers) > 0 {
		p.fact("one of", strings.Join(plan.Issuers, "  "))
		return
	}
	p.fact("issuer", plan.Issuer)
	if d.Login.Before != plan.Issuer {
		p.fact("before", d.Login.Before)
	}
	p.fact("page", plan.Page)
	p.fact("asks for", strings.Join(plan.Scopes, " "))
	p.fact("you allowed", strings.Join(d.Login.Had, " "))
}

func loginConsequence(d control.ItemDetail, decides control.Welcome) []string {
	idle := "If you do nothing, the server stays unusable."
	if len(d.Login.Had) > 0 {
		idle = "If you do nothing, calls that need more stay blocked."
	}
	code := terminal.Text(d.Code)
	return append([]string{idle}, whereToDecide(decides,
		fmt.Sprintf("sallyport auth login %s    opens the page in your browser", legible.ShellWord(cmp.Or(d.Shown, d.Server))),
		fmt.Sprintf("sallyport reject %s           takes it off the list", code))...)
}
