package proxy

import (
	"slices"
	"testing"

	"github.com/sallyport/sallyport/proxy/inspect/legible"
)

func TestNoServersNameBeginsWithOneOfOurTools(t *testing.T) {
	for _, name := range OwnToolNames {
		if !slices.Contains(legible.OwnNames, name) || legible.PersonName(name+" x") != "x" {
			t.Errorf("%s may begin a server's name", name)
		}
	}
}
