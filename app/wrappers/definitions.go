package wrappers

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sallyport/sallyport/app/approvals"
	"github.com/sallyport/sallyport/app/ledger"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/providers"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/policy"
	"github.com/sallyport/sallyport/store"
)

// definitions has the guardrail providers judge what servers declare and nobody has allowed yet. A person does not wait for them: what they
// find is added to the stored item, which then has another code. Only a server whose clean items are allowed at once (trust-clean) waits
// for its report, and what no provider could judge is not clean.
type definitions struct {
	w       *Wrappers
	guards  *providers.Providers // nil for none
	closing chan struct{}
	work    *sync.WaitGroup

	mu      sync.Mutex
	asking  map[string]bool // servers that are asked about; false: once more, because they have reported again
	settled map[string]bool // definitions that all providers have judged, with who judged them
}

const (
	// trustPatience is how long a report waits for the providers. What is left then needs a person.
	trustPatience = 8 * time.Second
	// maxSettled limits what is remembered. Beyond it everything is asked about once more.
	maxSettled = 20_000
)

// asked is a definition to be judged.
type asked struct {
	key, digest string
	raw         []byte
}

// first asks before a report is stored, if a clean item would be allowed by it. No lock may be held.
func (d *definitions) first(conn control.Wrapper, declared map[string]*review.Declaration) {
	if d.guards == nil {
		return
	}
	name, rail, fresh := d.trusted(conn, declared)
	ctx, cancel := context.WithTimeout(context.Background(), trustPatience)
	defer cancel()
	for _, one := range fresh {
		judged := d.guards.Definition(ctx, name, rail, nameIn(one.Key), pin.WithText(one.Raw, one.Text))
		more := judged.Findings
		if !judged.Whole {
			more = append(more, inspect.Finding{Rule: inspect.GuardrailFailed, Level: inspect.Medium, Category: "threat", Title: "An extra check could not judge it"})
		}
		declared[one.Key] = one.With(more)
	}
}

// trusted are the definitions that a report could allow without a person, if providers are on for its server.
func (d *definitions) trusted(conn control.Wrapper, declared map[string]*review.Declaration) (name string, rail policy.Guardrail, fresh []*review.Declaration) {
	d.w.office.Lock()
	defer d.w.office.Unlock()
	s, err := d.w.registered(conn, "report")
	st := d.w.servers
	if err != nil || st[s.Server] == nil {
		return "", rail, nil
	}
	base := st[s.Server].base
	rail = policy.ForGuardrail(base.Settings)
	if len(rail.Providers) == 0 || !policy.ForWrapper(base.Settings).TrustClean {
		return "", rail, nil
	}
	for key, one := range declared {
		if item := base.Items[key]; len(item.Approved) == 0 {
			fresh = append(fresh, one)
		}
	}
	return base.Name, rail, fresh
}

// later asks about what a server has declared, and adds what is found. The caller holds the lock.
func (d *definitions) later(server string) {
	st := d.w.servers[server]
	if d.guards == nil || st == nil || len(policy.ForGuardrail(st.base.Settings).Providers) == 0 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, on := d.asking[server]; on {
		d.asking[server] = false
		return
	}
	d.asking[server] = true
	d.work.Go(func() {
		ctx, cancel := office.Until(context.Background(), d.closing)
		defer cancel()
		for d.round(ctx, server) {
		}
	})
}

// round judges what is stored of a server, and reports whether it must be done again.
func (d *definitions) round(ctx context.Context, server string) (again bool) {
	name, rail, open := d.open(server)
	var found []approvals.Added
	for _, one := range open {
		judged := d.guards.Definition(ctx, name, rail, nameIn(one.key), one.raw)
		if ctx.Err() != nil {
			return false
		}
		if len(judged.Findings) > 0 {
			found = append(found, approvals.Added{Key: one.key, Digest: pin.Digest(one.digest), Findings: judged.Findings, Verdicts: judged.Verdicts})
		}
		if judged.Whole {
			d.settle(rail, one)
		}
	}
	d.add(server, found)
	d.mu.Lock()
	defer d.mu.Unlock()
	if again = !d.asking[server]; again {
		d.asking[server] = true
	} else {
		delete(d.asking, server)
	}
	return again
}

// open are the definitions of a server that nobody has allowed and no provider has judged.
func (d *definitions) open(server string) (name string, rail policy.Guardrail, open []asked) {
	d.w.office.Lock()
	defer d.w.office.Unlock()
	if d.w.office.Usable() != nil {
		return "", rail, nil
	}
	_ = d.w.office.Failed(d.w.office.Store.View(func(tx *store.Tx) error {
		l, err := ledger.Read(tx, server)
		if err != nil {
			return err
		}
		name, rail = l.Server.Name, policy.ForGuardrail(d.w.settings.ValuesFor(l.Server))
		for _, key := range slices.Sorted(maps.Keys(l.Seen)) {
			for _, seen := range l.Forms(key) {
				one := asked{key, seen.Digest, pin.WithText(seen.Raw, seen.Text)}
				again := len(open) > 0 && open[len(open)-1].key == key && open[len(open)-1].digest == seen.Digest // in the other era
				if !again && key != review.KeyLaunch && len(seen.Raw) > 0 && !l.Approves(key, pin.Digest(seen.Digest)) && !d.known(rail, one) {
					open = append(open, one)
				}
			}
		}
		return nil
	}))
	return name, rail, open
}

// add stores what was found and tells wrappers and the person.
func (d *definitions) add(server string, found []approvals.Added) {
	if len(found) == 0 {
		return
	}
	d.w.office.Lock()
	defer d.w.office.Unlock()
	if d.w.office.Usable() != nil {
		return
	}
	notices, err := d.w.approvals.Add(server, found)
	if err == nil {
		err = d.w.Refresh(server)
	}
	if err != nil {
		_ = d.w.office.Failed(err)
		return
	}
	d.w.PushChanged()
	d.w.office.Tell(notices...)
}

// mark identifies a definition and those who judge it.
func mark(rail policy.Guardrail, one asked) string {
	return one.digest + " " + providers.Judges(rail)
}

func (d *definitions) known(rail policy.Guardrail, one asked) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.settled[mark(rail, one)]
}

func (d *definitions) settle(rail policy.Guardrail, one asked) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.settled) >= maxSettled {
		clear(d.settled)
	}
	d.settled[mark(rail, one)] = true
}

// nameIn is the name in a pin key.
func nameIn(key string) string {
	if _, name, named := strings.Cut(key, ":"); named {
		return name
	}
	return key
}
