package providers

import (
	"context"
	"sync"

	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/policy"
	"github.com/sallyport/sallyport/proxy/vocab"
	"github.com/sallyport/sallyport/store"
)

// server is what Guard needs to know of a connection's server. It is kept: a call must not wait for the office's lock, which is held
// while others write.
type server struct {
	name string
	rail policy.Guardrail
}

const (
	tooBusy    = "too many responses are being checked at once"
	notAllowed = "guardrail.remote is off for this server, so its text isn't sent to another computer"
)

// Guard asks the providers of a wrapper's server about a text: those on this computer, or those on others. It returns when all have
// answered, failed, or run out of time.
func (p *Providers) Guard(ctx context.Context, w control.Wrapper, g control.Guard) (control.Guarded, error) {
	of, err := p.server(ctx, w)
	if err != nil {
		return control.Guarded{}, err
	}
	size := 0
	for _, piece := range g.Text {
		size += len(piece)
	}
	if len(g.Text) > control.MaxGuardPieces || size > maxBytes || g.Within < 0 {
		return control.Guarded{}, office.Answer(control.CodeBadRequest, "a text that no wrapper of ours would send")
	}
	var asked []string
	for _, name := range of.rail.Providers {
		if of.rail.Away(name) == g.Away {
			asked = append(asked, name)
		}
	}
	out := control.Guarded{Verdicts: make([]control.GuardVerdict, len(asked))}
	free := p.take(size)
	if free {
		defer p.give(size)
	}
	within := of.rail.Timeout
	if g.Within > 0 {
		within = min(within, g.Within)
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	judged := func(i int, name string) {
		defer caught(&out.Verdicts[i], name)
		out.Verdicts[i] = p.judge(ctx, name, of, vocab.TextResponse, g.Tool, g.Text)
	}
	var all sync.WaitGroup
	for i, name := range asked {
		switch {
		case g.Away && !of.rail.Remote:
			out.Verdicts[i] = control.GuardVerdict{Provider: name, Unasked: notAllowed}
		case !free:
			out.Verdicts[i] = control.GuardVerdict{Provider: name, Failed: tooBusy}
		case i == len(asked)-1:
			judged(i, name) // most servers have one provider, and need no other goroutine
		default:
			all.Go(func() { judged(i, name) })
		}
	}
	all.Wait()
	return out, nil
}

// caught turns a bug of ours into a failure. It is deferred where nothing else would keep the hub alive.
func caught(v *control.GuardVerdict, name string) {
	if p := recover(); p != nil {
		*v = control.GuardVerdict{Provider: name, Failed: "a bug in Sallyport: " + inspect.Fault(p)}
	}
}

// judge asks one provider of a server.
func (p *Providers) judge(ctx context.Context, name string, of server, kind vocab.TextKind, tool string, text []string) control.GuardVerdict {
	r, done := p.runner(specOf(name, of.rail))
	defer done()
	return r.judge(ctx, r.breaker, request(kind, of.name, cut.Bytes(tool, office.MaxName)), text)
}

// server is what is known of a connection, which is read once, and again after a change of the settings.
func (p *Providers) server(ctx context.Context, w control.Wrapper) (server, error) {
	p.mu.Lock()
	of, known := p.servers[w]
	p.mu.Unlock()
	if known {
		return of, nil
	}
	p.office.Lock()
	defer p.office.Unlock()
	s, err := p.hub.Wrapper(w, "guard")
	if err != nil {
		return of, err
	}
	err = p.office.Store.View(func(tx *store.Tx) error {
		stored, err := tx.Server(s.Server)
		if err == nil {
			of = server{name: p.hub.NameOf(s), rail: policy.ForGuardrail(p.hub.Settings(stored))}
		}
		return err
	})
	if err != nil {
		return of, p.office.Failed(err)
	}
	p.mu.Lock() // inside the office's, so that no change of the settings comes between
	defer p.mu.Unlock()
	p.servers[w] = of
	context.AfterFunc(ctx, func() {
		p.mu.Lock()
		delete(p.servers, w)
		p.mu.Unlock()
	})
	return of, nil
}
