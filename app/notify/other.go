//go:build !linux

package notify

import (
	"strings"

	"github.com/gen2brain/beeep"
)

func open(o Options) Notifier {
	beeep.AppName = "Sallyport"
	return newToasts(o, func(n Note) error {
		icon := "" // a theme's icon has no name here
		if strings.ContainsAny(o.AppIcon, `/\`) {
			icon = o.AppIcon
		}
		show := beeep.Notify
		if n.Urgency == Critical {
			show = beeep.Alert
		}
		return show(plain(n.Title, maxTitle), plain(n.Body, maxBody), icon)
	})
}
