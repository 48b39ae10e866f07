package review

import (
	"fmt"

	"github.com/sallyport/sallyport/cmd/sallyport/terminal"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// AboutSettings reports whether an item is about settings that settings.json makes less safe.
func AboutSettings(d control.ItemDetail) bool { return d.Kind == vocab.ItemSettingsChanged }

func settingsConsequence(d control.ItemDetail, decides control.Welcome) []string {
	code := terminal.Text(d.Code)
	idle := []string{"If you do nothing, the safer values stay in force."}
	return append(idle, whereToDecide(decides,
		fmt.Sprintf("sallyport approve %s   puts the less safe values in force", code),
		fmt.Sprintf("sallyport reject %s    writes the safer values back into settings.json", code),
		"Use --item setting:KEY with either to decide on one setting.")...)
}
