package review

import (
	"slices"

	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// AllClean reports whether a new server has no finding of Medium or above, so that a plain approval allows all of it.
func AllClean(it store.Item) bool {
	whole := ReadFindings(it.Findings)
	if it.Kind != vocab.ItemNewServer || len(it.Parts) == 0 || !Clean(whole) || inspect.SuspectServer(whole) {
		return false
	}
	return !slices.ContainsFunc(it.Parts, func(p store.Part) bool {
		findings := ReadFindings(p.Findings)
		return p.State != vocab.PartNew && p.State != vocab.PartApproved || !Clean(findings) || Withheld(findings)
	})
}

func InboxItem(it store.Item, server store.Server) control.InboxItem {
	out := control.InboxItem{
		Code: it.Code, Kind: it.Kind, Server: server.Name, Identity: server.Identity, Severity: it.Severity, Title: it.Title,
		Digest: it.Digest, Created: it.Created.UTC(), Asked: it.Asked, Noisy: it.Noisy, Launch: launchAbout(it), Clean: it.Decided == "" && AllClean(it), Parts: []control.Part{},
	}
	if FileItem(it.Kind) {
		d := ReadFileDetail(it)
		out.Server, out.Identity = identity.ClientTitle(d.Client), d.Path
	}
	for _, p := range ShownParts(it) {
		out.Parts = append(out.Parts, control.Part{Item: p.Item, State: p.State, Findings: Listed(ReadFindings(p.Findings))})
	}
	Fold(&out, ReadFindings(it.Findings))
	return out
}
