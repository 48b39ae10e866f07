package main

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/sallyport/sallyport/proxy/address"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/transport/remote"
)

// reached has the hub judge how a remote server is reached, before anything is sent to a class of addresses that it has not judged yet.
type reached struct {
	link *hubLink
	how  pin.LaunchAddress

	mu sync.Mutex
	ok map[address.Class]bool
}

// reachPatience is how long a connection waits for the hub: as long as the start of a program does.
const reachPatience = 5 * time.Second

func newReached(link *hubLink, transport string, headers []address.Header) *reached {
	r := &reached{link: link, ok: map[address.Class]bool{}}
	if transport != string(remote.Auto) {
		r.how.Transport = transport
	}
	for _, h := range headers {
		r.how.Headers = append(r.how.Headers, h.Name+": "+h.Source())
	}
	slices.Sort(r.how.Headers)
	return r
}

// judge is remote.Options.Reaches.
func (r *reached) judge(host string, class address.Class) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ok[class] {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), reachPatience)
	defer cancel()
	if r.link.WaitState(ctx) != nil {
		return address.Refused("Sallyport isn't responding, so nothing was sent to %s; open Sallyport, then try again", host)
	}
	how := r.how
	how.Class = class
	form := pin.LaunchForm{Address: &how}
	state, err := r.link.Launch(ctx, control.LaunchReport{Form: form, Final: true})
	if err != nil { // the hub is away: what it allowed before still is
		state = r.link.State()
		if state.Launch == nil || len(state.Launch.Allowed) == 0 || form.Against(state.Launch.Allowed).Grave {
			return address.Refused("Sallyport isn't responding, so nothing was sent to %s; open Sallyport, then try again", host)
		}
		return nil
	}
	if state.Launch != nil && state.Launch.Verdict == control.LaunchHold {
		code := ""
		if state.Launch.Code != "" {
			code = ", inbox item " + state.Launch.Code
		}
		return address.Refused("%s leads to another kind of address than the user allowed, so nothing was sent; tell the user: open Sallyport%s", host, code)
	}
	r.ok[class] = true
	return nil
}
