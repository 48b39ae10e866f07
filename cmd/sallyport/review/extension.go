package review

import (
	"fmt"

	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// AboutExtension reports whether an item is about a desktop extension, which is accepted whole and can't be blocked.
func AboutExtension(d control.ItemDetail) bool { return d.Kind == vocab.ItemExtension }

// SwitchOff says how to keep a client from starting an extension.
const SwitchOff = "To switch it off, open the client's settings, then Extensions."

func extensionMeaning(d control.ItemDetail) string {
	if len(d.Details) > 0 && d.Details[0].State == vocab.PartNew {
		return "The client starts this extension itself, not through Sallyport, so nothing it\nsends is checked. Accept it if you installed it."
	}
	return "This extension is not what you accepted: its manifest or its files changed. The\nclient starts it all the same, and nothing it sends is checked."
}

func extensionConsequence(d control.ItemDetail, decides control.Welcome) []string {
	code := terminal.Text(d.Code)
	idle := []string{"If you do nothing, the client keeps starting it: Sallyport can't block it.", SwitchOff}
	return append(idle, whereToDecide(decides,
		fmt.Sprintf("sallyport approve %s   accepts it as it is now", code),
		fmt.Sprintf("sallyport reject %s    keeps this item", code),
		"sallyport protect --convert ID   runs it through Sallyport; ID is the last part of its folder")...)
}
