// Package providers asks guardrail providers: programs and services, chosen by a person, that judge a text beside the built-in detector. The
// hub runs each once for all wrappers. Guard answers a wrapper about a response; List and Test serve the command line and the window; Chosen
// and Try check a setting before it is stored; Reset follows a change of the settings.
//
// A provider is foreign. Its verdict can only make ours graver, and its reason is text for the person alone: nothing here puts it into a
// record, a log or an error. How a single provider is asked, and what counts as a failure, is known to proxy/guardrail.
//
// The department has its own lock, taken inside the office's and never around it. Nothing is asked while either is held. Callers hold the
// office's lock for Reset alone.
package providers

import (
	"sync"
	"time"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/policy"
	"github.com/sallyport/sallyport/store"
)

// Hub is what the providers need from the hub. All of it is called with the office's lock held, except Stderr.
type Hub struct {
	Wrapper  func(w control.Wrapper, call string) (*office.Wrapper, error) // of a connection, for a call that needs the store
	NameOf   func(*office.Wrapper) string                                  // its server's name
	Settings func(store.Server) policy.Values                              // in force for a server
	InForce  func() []policy.Values                                        // everywhere, the general ones first
	Home     control.Home                                                  // in the keychain, a person's secrets belong to it
	// Stderr keeps what a provider prints. It must not block.
	Stderr func(provider string, chunk []byte)
}

// Providers is the department. mu guards its fields.
type Providers struct {
	office *office.Office
	hub    Hub
	news   *news

	mu      sync.Mutex
	runners map[spec]*runner
	tried   map[spec]*runner           // answered a trial, and is kept until the settings name it
	servers map[control.Wrapper]server // what Guard needs of each connection
	general policy.Guardrail           // the settings without a server
	inForce []policy.Guardrail         // those everywhere, the general ones first
	bytes   int                        // of texts being judged
}

func New(o *office.Office, hub Hub) *Providers {
	return &Providers{
		office: o, hub: hub, news: newNews(o), runners: map[spec]*runner{}, tried: map[spec]*runner{}, servers: map[control.Wrapper]server{},
	}
}

// maxBytes limits the texts that are judged at one time. Beyond it a text fails at once.
const maxBytes = 16 << 20

// Reset takes up the settings in force, and ends the providers that they no longer name. afresh asks all of them anew, also those that are
// paused. The caller holds the office's lock.
func (p *Providers) Reset(afresh bool) {
	var all []policy.Guardrail
	for _, values := range p.hub.InForce() {
		all = append(all, policy.ForGuardrail(values))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.general, p.inForce = all[0], all
	clear(p.servers)
	failing := p.unable()
	for what, r := range p.runners {
		if afresh || !p.names(what) {
			r.retire()
			delete(p.runners, what)
		} else if state := r.breaker.State(); state.Paused {
			failing[what.name] = state.Reason
		}
	}
	for what, r := range p.tried {
		if p.names(what) && p.runners[what] == nil {
			p.runners[what] = r
		} else {
			r.retire()
		}
	}
	clear(p.tried)
	p.news.restart(failing)
}

// names reports whether the settings name this provider anywhere. The caller holds mu.
func (p *Providers) names(what spec) bool {
	for _, g := range p.inForce {
		for _, name := range g.Providers {
			if specOf(name, g) == what {
				return true
			}
		}
	}
	return false
}

// unable are the providers that can't work, and why. The caller holds mu.
func (p *Providers) unable() map[string]string {
	found := map[string]string{}
	for _, g := range p.inForce {
		for _, name := range g.Providers {
			if why := specOf(name, g).lacks(); why != "" {
				found[name] = why
			}
		}
	}
	return found
}

// runner is the one that runs a provider, made if there is none. It is not retired before done is called. One that the settings do not name
// ends then: it is asked for a test alone, or by somebody who read the settings before they changed.
func (p *Providers) runner(what spec) (r *runner, done func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r = p.runners[what]
	if r == nil {
		r = p.made(what)
		if r.retired = !p.names(what); !r.retired {
			p.runners[what] = r
		}
	}
	r.enter()
	return r, r.leave
}

// take reserves room for texts of n bytes.
func (p *Providers) take(n int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bytes+n > maxBytes {
		return false
	}
	p.bytes += n
	return true
}

func (p *Providers) give(n int) {
	p.mu.Lock()
	p.bytes -= n
	p.mu.Unlock()
}

// Close ends every provider.
func (p *Providers) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inForce = nil // one more question starts nothing that stays
	for _, all := range []map[spec]*runner{p.runners, p.tried} {
		for _, r := range all {
			r.retire()
		}
		clear(all)
	}
}

// Tell records what becomes of providers until closing is closed.
func (p *Providers) Tell(closing <-chan struct{}) { p.news.tell(closing) }

// trialTime is how long a provider may take for the two texts of a trial, and for a test.
const trialTime = 10 * time.Second
