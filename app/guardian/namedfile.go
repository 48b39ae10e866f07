package guardian

import (
	"slices"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/proxy/control"
)

// namedFile is a file that a person named, read as the client that they named it for reads its own.
func namedFile(system clientconfig.System, q control.CoverageQuery) clientconfig.Location {
	named := clientconfig.Location{Client: clientconfig.ClaudeDesktop, Name: "a file", Path: q.Config, Editable: true, State: clientconfig.Found}
	if q.Client == "" {
		return named
	}
	for _, l := range clientconfig.Places(system) {
		if l.Client == q.Client {
			named.Client, named.Name, named.Format, named.Editable = l.Client, l.Name, l.Format, l.Editable
			break
		}
	}
	return named
}

// EditsFilesOf says whether this version puts wrappers into files of a client: another one's it counts only.
func EditsFilesOf(client string) bool {
	return slices.ContainsFunc(clientconfig.Places(clientconfig.ThisSystem()), func(l clientconfig.Location) bool { return l.Client == client && l.Editable })
}
