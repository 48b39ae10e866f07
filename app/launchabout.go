package app

import (
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/policy"
)

// runsOn says that a launch that waits does not keep its server from running.
func (h *Hub) runsOn(l *ledger) bool {
	drift := l.launchDrift()
	return !drift.Grave && !(drift.Strict && policy.ForWrapper(h.settings.forServer(l.server)).Launch == "block")
}

// launchDrift is how what waits differs from all that is allowed.
func (l *ledger) launchDrift() pin.LaunchDrift {
	now, err := pin.ReadLaunch(l.seen[review.KeyLaunch].Raw)
	if err != nil {
		return pin.LaunchDrift{}
	}
	return now.Against(l.launchForms())
}
