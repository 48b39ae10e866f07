package proxy

import (
	"context"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/declared"
	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/inspect"
	"github.com/sallyport/sallyport/proxy/refusal"
)

// checked is a session as its checker sees it.
type checked struct{ *Session }

func (s checked) State() *control.State { return s.state() }

func (s checked) Report(ctx context.Context, report control.Report) error {
	if s.cfg.Launch != nil {
		s.cfg.Launch.Settle(ctx)
	}
	report.Era, report.Client, report.Apart = s.era().String(), s.clientName(), s.eras.apart()
	s.life.toldApart.Store(report.Apart)
	_, err := s.cfg.Gate.Report(ctx, report)
	return err
}

func (s checked) Ask(ctx context.Context, l *declared.List, cursor string) (answer []byte, unread [][]byte, err error) {
	r := s.ownRequest(methodOf([]byte(l.Method)))
	params := ""
	if cursor != "" {
		params = `"cursor":` + string(frame.AppendString(nil, cursor))
	}
	answer, err = s.ask(ctx, r, s.ownLine(r, l.Method, params))
	if err != nil {
		return nil, nil, err // r may still change
	}
	return answer, r.unread, nil
}

func (s checked) Read(ctx context.Context, uri string) (answer []byte, err error) {
	r := s.ownRequest(methodResource)
	answer, err = s.ask(ctx, r, s.ownLine(r, "resources/read", `"uri":`+string(frame.AppendString(nil, uri))))
	if err != nil {
		return nil, err
	}
	return cutOurs(answer), nil // as a client gets it
}

func (s checked) Begun() bool {
	if s.era() == eraModern {
		return s.life.discovered.Load()
	}
	return s.life.answered.Load() && !s.life.apart.Load() && (s.life.initialized.Load() || s.entrance.pending())
}

func (s checked) Ready() bool {
	if s.era() == eraModern {
		return s.listens.any()
	}
	return s.life.ready()
}

func (s checked) Tell(notification string) {
	if s.era() == eraModern {
		s.listens.tell(notification)
		return
	}
	s.client.Enqueue([]byte(`{"jsonrpc":"2.0","method":"` + notification + "\"}\n"))
}

func (s checked) Apart() bool { return s.life.apart.Load() }

func (s checked) Rules() *inspect.RuleFile { return s.rules.file.Load() }

func (s checked) Uncallable() func(definition []byte) string {
	if s.era() != eraModern {
		return nil
	}
	return s.cfg.Uncallable
}

func (s checked) OwnToolsTurned(v *declared.View) bool { return s.listings.own.turned(v) }

func (s checked) Judged(check uint64) { s.entrance.open(check) }

func (s checked) Deliver(waited declared.Request, line []byte) {
	r := waited.(*request)
	switch { // the client's own reader notices that it is gone
	case r.method.listing():
		_ = s.listings.deliverListing(r, line)
		return
	case r.method.skill():
		_ = s.skills.deliver(r, line)
		return
	}
	_ = s.deliver(r, line)
}

func (s checked) Admit(waited declared.Request, line []byte) {
	r := waited.(*request)
	r.awaited = true
	s.admit(r, line, time.Now())
}

func (s checked) Refuse(waited declared.Request) {
	s.refuseResponse(waited.(*request), refusal.Unverified)
}

func (s checked) Unverified(err error) { s.journal.unverified(err) }

func (s checked) Equivocated(key string) { s.journal.equivocated(key) }

func (s checked) Unseen(unseen control.Unseen) { s.cfg.Gate.Unseen(unseen) }
