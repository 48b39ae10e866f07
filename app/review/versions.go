package review

import (
	"fmt"
	"slices"

	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// problemVersions is a server without a common protocol version: nothing of it is ever listed, so there is nothing to decide.
const problemVersions = "SP-221"

func SameVersions(a, b *vocab.Versions) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Asked == b.Asked && a.Client == b.Client && slices.Equal(a.Offered, b.Offered)
}

// VersionProblems are those of the servers without a common version at their last start.
func VersionProblems(servers []store.Server) []control.Problem {
	var problems []control.Problem
	for _, server := range servers {
		if server.Versions != nil {
			problems = append(problems, *VersionProblem(server))
		}
	}
	return problems
}

func VersionProblem(server store.Server) *control.Problem {
	v := server.Versions
	if v == nil {
		return nil
	}
	who := "the client"
	if v.Client != "" {
		who = identity.ClientTitle(v.Client)
	}
	return &control.Problem{
		Code: problemVersions, What: fmt.Sprintf("the server %s %s, so it can't be used", server.Name, control.VersionWords(*v, who)), Next: VersionNext(*v),
	}
}

// VersionNext is the advice: the dates tell which side is behind.
func VersionNext(v control.Versions) string {
	newest := control.Spoken[len(control.Spoken)-1]
	switch {
	case len(v.Offered) == 0:
		return "Update the server or the client so that both speak the same version, then restart the client."
	case v.Offered[0] > newest:
		return fmt.Sprintf("Install a version of the server that speaks %s or earlier, or update Sallyport and the client. Then restart the client.", newest)
	case v.Asked > v.Offered[len(v.Offered)-1]:
		return "Update the server, then restart the client."
	}
	older := control.Legacy[len(control.Legacy)-1]
	if v.Offered[0] > older {
		return fmt.Sprintf("Update the client to a version that speaks %s, or install a version of the server that speaks %s or earlier. Then restart the client.", v.Offered[0], older)
	}
	return "Update the client, then restart it."
}
