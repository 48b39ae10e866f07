package review

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// launchDetail is what a launch item stores besides its parts.
type launchDetail struct {
	About pin.LaunchAbout `json:"about"`
}

// launchAbout is the headline of a launch item, for its title and a notification.
func launchAbout(it store.Item) pin.LaunchAbout {
	var d launchDetail
	if it.Kind != vocab.ItemLaunch || json.Unmarshal(it.Detail, &d) != nil {
		return pin.AboutNothing
	}
	return d.About
}

// aboutLaunch gives a launch item its title, severity and headline, all in our words.
func aboutLaunch(c *Content, server string, d pin.LaunchDrift) {
	about := d.About()
	c.Findings = nil
	c.Detail, _ = json.Marshal(launchDetail{about})
	c.Title = launchTitle(server, about, d)
	if d.Grave {
		c.Severity = vocab.SeverityHigh
	}
}

func launchTitle(server string, about pin.LaunchAbout, d pin.LaunchDrift) string {
	said := map[pin.LaunchAbout]string{
		pin.AboutSurroundings: "Same program, other surroundings",
		pin.AboutProgram:      "Same command, another program",
		pin.AboutLoader:       "A variable that loads code",
	}[about]
	if said == "" {
		return server + ": what it runs is blocked"
	}
	words := map[string]string{
		"executable": "executable", "interpreter": "interpreter", "script": "script", "package": "package", "answers": "the program it starts", "loads": "a file loaded first",
		"dir": "folder", "home": "home", "loaders": "variables",
	}
	var parts []string
	for _, c := range d.Changes {
		if w := words[c.Path]; w != "" && !slices.Contains(parts, w) {
			parts = append(parts, w)
		}
	}
	if said += ": " + server; about == pin.AboutLoader || len(parts) == 0 {
		return said
	}
	return said + " (" + strings.Join(parts, ", ") + ")"
}
