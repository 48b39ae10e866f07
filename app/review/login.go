package review

import (
	"encoding/json"
	"slices"

	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// LoginOf is what an item is about that asks for a sign-in.
func LoginOf(it store.Item) (login store.Login) {
	_ = json.Unmarshal(it.Detail, &login)
	return login
}

// LoginContent is the inbox content of a server that wants a sign-in.
func LoginContent(server store.Server, login store.Login) *Content {
	c := &Content{Kind: vocab.ItemLogin, ServerID: server.ID, Severity: vocab.SeverityReview, Clients: server.Clients}
	c.Detail, _ = json.Marshal(login)
	// What binds a decision: another issuer, page or scope is another item.
	c.Parts = []store.Part{{Item: "login:" + login.Issuer, State: vocab.PartNew, Digest: login.Digest}}
	switch {
	case login.Before != "" && login.Before != login.Issuer:
		c.Severity, c.Title = vocab.SeverityHigh, identity.ShortName(server)+" wants you to sign in somewhere else than before"
	case len(login.Had) > 0:
		c.Title = identity.ShortName(server) + " wants you to allow more"
	default:
		c.Title = identity.ShortName(server) + " wants you to sign in"
	}
	return c
}

// tellLogin fills in what a list says of a sign-in.
func tellLogin(out *control.InboxItem, it store.Item) {
	login := LoginOf(it)
	out.Login = &control.WantedLogin{Plan: LoginPlan(login), Before: login.Before, Had: login.Had}
	out.Login.Plan.Server, out.Login.Plan.Identity = out.Server, out.Identity
}

// LoginPlan is what a sign-in binds, for people; without the server's names.
func LoginPlan(login store.Login) control.LoginPlan {
	return control.LoginPlan{
		Issuer: login.Issuer, Page: login.Page, Scopes: slices.Concat([]string{}, login.Scopes), Registered: login.Registered, Issuers: login.Issuers, Digest: login.Digest,
	}
}
