package main

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sallyport/sallyport/proxy/address"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/transport/remote"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// reached has the hub judge how a remote server is reached: before anything is sent to a class of addresses that it has not judged yet, and once it was
// found out how the server is spoken to.
type reached struct {
	link *hubLink
	host string

	isAway atomic.Bool

	mu  sync.Mutex
	how pin.LaunchAddress // with the class that was judged last; Transport is "" until it is known
	ok  map[way]bool
}

// way is a class of addresses, and the proxy in front of them.
type way struct {
	class address.Class
	proxy string
}

// reachPatience is how long a connection waits for the hub: as long as the start of a program does.
const reachPatience = 5 * time.Second

func newReached(link *hubLink, to *url.URL, transport string, headers []address.Header) *reached {
	r := &reached{link: link, host: to.Hostname(), ok: map[way]bool{}}
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
func (r *reached) judge(host string, class address.Class, proxy string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ok[way{class, proxy}] {
		return nil
	}
	how := r.how
	how.Class, how.Proxy = class, proxy
	if err := r.report(host, how, "leads to another kind of address than the user allowed, so nothing was sent"); err != nil {
		return err
	}
	r.how, r.ok[way{class, proxy}] = how, true
	return nil
}

// plaintext is remote.Options.Plaintext. The client's first message is faster than the hub's first one, so it waits for the settings.
func (r *reached) plaintext() bool {
	ctx, cancel := context.WithTimeout(context.Background(), reachPatience)
	defer cancel()
	return r.link.WaitState(ctx) == nil && r.link.inForce().Plaintext
}

// speaks is remote.Options.Speaks.
func (r *reached) speaks(kind remote.Kind) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	how := r.how
	how.Transport = string(kind)
	if err := r.report(r.host, how, "is spoken to in another way than the user allowed, so nothing more was sent"); err != nil {
		return err
	}
	r.how = how
	return nil
}

// away is remote.Options.Away: the hub learns when the server can no longer be reached, and when it can again.
func (r *reached) away(why string) {
	if !r.isAway.CompareAndSwap(why == "", why != "") {
		return
	}
	what := vocab.Record{Kind: vocab.RecordServerStart, Status: vocab.StatusOK, Summary: r.host + " is reached again"}
	if why != "" {
		what.Status, what.Summary = vocab.StatusError, why
	}
	what.Detail, _ = json.Marshal(map[string]string{"check": control.CheckRemote, "error": why}) // strings always can be
	r.link.note(what)
}

// report has the hub judge one way. What is not known yet counts as unchanged.
func (r *reached) report(host string, how pin.LaunchAddress, why string) error {
	ctx, cancel := context.WithTimeout(context.Background(), reachPatience)
	defer cancel()
	if r.link.WaitState(ctx) != nil {
		return address.Refused("Sallyport isn't responding, so nothing was sent to %s; open Sallyport, then try again", host)
	}
	form := pin.LaunchForm{Address: &how}
	state, err := r.link.Launch(ctx, control.LaunchReport{Form: form, Final: how.Transport != ""})
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
		return address.Refused("%s %s; tell the user: open Sallyport%s", host, why, code)
	}
	return nil
}
