package wrappers

import (
	"iter"

	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// problemUnseen is something allowed that a client has not listed since.
const problemUnseen = "SP-220"

// unseen is what clients have not seen yet of what is allowed: each wrapper's last message about it, and the runs of clients for which a
// person was notified. The office's lock guards it.
type unseen struct {
	by   map[*liveWrapper]control.Unseen
	told map[clientProcess]bool
}

// clientProcess is one run of a client, with all wrappers it started. parent is empty if unknown.
type clientProcess struct {
	client string
	parent control.Parent
}

func newUnseen() unseen {
	return unseen{by: map[*liveWrapper]control.Unseen{}, told: map[clientProcess]bool{}}
}

func (s *liveWrapper) process() clientProcess { return clientProcess{s.Client, s.parent} }

// Unseen takes how much a wrapper's client has not listed since it was notified of changed listings.
func (w *Wrappers) Unseen(conn control.Wrapper, u control.Unseen) error {
	w.office.Lock()
	defer w.office.Unlock()
	s := w.sessions[conn]
	if s == nil {
		return office.Answer(control.CodeBadRequest, "unseen before register")
	}
	if u.Items <= 0 {
		delete(w.unseen.by, s)
	} else {
		w.unseen.by[s] = u
	}
	w.office.Changed()
	w.tellUnseen()
	return nil
}

// forgetUnseen forgets a wrapper that has gone. If the client starts again, a person is notified again.
func (w *Wrappers) forgetUnseen(gone *liveWrapper) {
	delete(w.unseen.by, gone)
	for _, s := range w.sessions {
		if s.process() == gone.process() {
			return
		}
	}
	delete(w.unseen.told, gone.process())
}

// begunAnew reports whether the same run of the client has started the server again since, as Codex does for a new thread: that start lists
// what is allowed now, and the earlier one never will.
func (w *Wrappers) begunAnew(s *liveWrapper) bool {
	for _, other := range w.sessions {
		if s.parent.PID != 0 && other.Server == s.Server && other.process() == s.process() && other.since.After(w.unseen.by[s].Since) {
			if _, behind := w.unseen.by[other]; !behind {
				return true
			}
		}
	}
	return false
}

// tellUnseen notifies once for each run of a client, as soon as nothing of that client is pending: before that a restart would come too
// early.
func (w *Wrappers) tellUnseen() {
	for s := range w.stillUnseen() {
		way := identity.ClientOf(s.Client)
		if way.Own || w.unseen.told[s.process()] || w.waitingOf(s) > 0 {
			continue
		}
		w.unseen.told[s.process()] = true
		w.office.Tell(review.Notice{Kind: vocab.NoticeUnseen, Code: unseenKey(s.Client), Severity: vocab.SeverityReview, Client: way.Title, Next: way.Next})
	}
}

// unseenKey is the key of a client's notice; other notices use the code of an item, which never has a colon.
func unseenKey(client string) string { return string(vocab.NoticeUnseen) + ":" + client }

// stillUnseen are the wrappers whose clients have not seen all that is allowed, with their last message about it.
func (w *Wrappers) stillUnseen() iter.Seq2[*liveWrapper, control.Unseen] {
	return func(yield func(*liveWrapper, control.Unseen) bool) {
		for s, u := range w.unseen.by {
			if !w.begunAnew(s) && !yield(s, u) {
				return
			}
		}
	}
}
