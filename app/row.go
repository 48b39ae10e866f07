package app

import (
	"slices"

	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/store"
)

// allClean says that nothing of a new server has a finding of Medium or above, so that a plain yes allows all of it.
func allClean(it store.Item) bool {
	whole := readFindings(it.Findings)
	if it.Kind != kindNewServer || len(it.Parts) == 0 || !clean(whole) || inspect.SuspectServer(whole) {
		return false
	}
	return !slices.ContainsFunc(it.Parts, func(p store.Part) bool {
		findings := readFindings(p.Findings)
		return p.State != stateNew && p.State != stateApproved || !clean(findings) || withheld(findings)
	})
}

func inboxItem(it store.Item, server store.Server) control.InboxItem {
	out := control.InboxItem{
		Code: it.Code, Kind: it.Kind, Server: server.Name, Identity: server.Identity, Severity: it.Severity, Title: it.Title,
		Digest: it.Digest, Created: it.Created.UTC(), Asked: it.Asked, Noisy: it.Noisy, Launch: launchAbout(it), Clean: it.Decided == "" && allClean(it), Parts: []control.Part{},
	}
	if fileItem(it.Kind) {
		d := readFileDetail(it)
		out.Server, out.Identity = identity.ClientTitle(d.Client), d.Path
	}
	for _, p := range shownParts(it) {
		out.Parts = append(out.Parts, control.Part{Item: p.Item, State: p.State, Findings: listed(readFindings(p.Findings))})
	}
	fold(&out, readFindings(it.Findings))
	return out
}
