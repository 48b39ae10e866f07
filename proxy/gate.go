package proxy

import (
	"github.com/sallyport/sallyport/proxy/declared"
	"github.com/sallyport/sallyport/proxy/refusal"
)

// judge decides on a client's request that is neither a listing nor plain: docs/relay.md, "What a client can ask for".
func judge(v *declared.View, r *request) refusal.Reason {
	switch {
	case v.State.Revision == 0:
		return refusal.NoHub
	case v.State.Blocked:
		return refusal.Blocked
	case !v.Open():
		return v.Shut()
	case !v.Verified:
		return refusal.Unverified
	}
	switch r.method {
	case methodCall, methodGetPrompt, methodComplete:
		if v.Allows(r.item) {
			return refusal.None
		}
		return v.WhyNot(r.item)
	case methodResource:
		if v.AllowsResource(r.name) {
			return refusal.None
		}
		return v.WhyNot(r.item)
	case methodTask:
		if r.item == "" {
			return refusal.Unknown
		}
		if v.Allows(r.item) {
			return refusal.None
		}
		return v.WhyNot(r.item)
	case methodListTasks, methodOther:
		return refusal.None
	}
	return refusal.Unknown
}

// stillAllowed asks the gate again before a response is delivered: an approval may have been taken back while the call ran.
func stillAllowed(v *declared.View, r *request) refusal.Reason {
	why := judge(v, r)
	if why == refusal.Changed || why == refusal.New {
		return refusal.Dropped
	}
	return why
}
