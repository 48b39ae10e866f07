package wrappers

import (
	"iter"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/app/identity"
	"github.com/sallyport/sallyport/app/office"
	"github.com/sallyport/sallyport/app/review"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// problemUnseen is what a person allowed and a client has not asked for since.
const problemUnseen = "SP-220"

// unseen is what is allowed and not yet seen by the clients: what their wrappers said last, and which of their processes a
// person was told of. The office's lock guards it.
type unseen struct {
	by   map[*liveWrapper]control.Unseen
	told map[clientProcess]bool
}

// clientProcess is one run of a client: all wrappers that it started. parent is empty where a wrapper could not tell.
type clientProcess struct {
	client string
	parent control.Parent
}

func newUnseen() unseen {
	return unseen{by: map[*liveWrapper]control.Unseen{}, told: map[clientProcess]bool{}}
}

func (s *liveWrapper) process() clientProcess { return clientProcess{s.Client, s.parent} }

// Unseen takes what the client of a wrapper has not listed since it was told that listings changed.
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

// forgetUnseen is for a wrapper that has gone; a client that starts again is told of anew.
func (w *Wrappers) forgetUnseen(gone *liveWrapper) {
	delete(w.unseen.by, gone)
	for _, s := range w.sessions {
		if s.process() == gone.process() {
			return
		}
	}
	delete(w.unseen.told, gone.process())
}

// begunAnew says that the client's process has started the server once more since, as Codex does for a new thread: what it lists there
// is what is allowed now, and the start before it is behind for good.
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

// tellUnseen notifies once for each run of a client, and only when nothing of that client waits for review any more: before
// that a restart would come too early.
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

// unseenKey names the notice of a client where codes of items name the others. No code has a colon in it.
func unseenKey(client string) string { return string(vocab.NoticeUnseen) + ":" + client }

// stillUnseen are the wrappers whose clients have not seen all that is allowed, with what they said last.
func (w *Wrappers) stillUnseen() iter.Seq2[*liveWrapper, control.Unseen] {
	return func(yield func(*liveWrapper, control.Unseen) bool) {
		for s, u := range w.unseen.by {
			if !w.begunAnew(s) && !yield(s, u) {
				return
			}
		}
	}
}

// Behind is the first client that has not seen all that is allowed of a server, by the server's id.
func (w *Wrappers) Behind() map[string]string {
	clients := map[string]string{}
	for s := range w.stillUnseen() {
		if clients[s.Server] == "" || s.Client < clients[s.Server] {
			clients[s.Server] = s.Client
		}
	}
	return clients
}

// UnseenServers lists what is not yet seen, by client and server.
func (w *Wrappers) UnseenServers() []control.UnseenServer {
	list := []control.UnseenServer{}
	for s, u := range w.stillUnseen() {
		list = append(list, control.UnseenServer{
			Client: s.Client, Server: w.NameOf(&s.Wrapper), ID: s.Server, Session: s.Session, Items: u.Items, Since: u.Since.UTC(), Next: identity.ClientOf(s.Client).Next, Code: problemUnseen,
		})
	}
	slices.SortFunc(list, func(a, b control.UnseenServer) int {
		return strings.Compare(a.Client+"\x00"+a.Server+"\x00"+a.Session, b.Client+"\x00"+b.Server+"\x00"+b.Session)
	})
	return list
}

// UnseenNotices are the keys of the notices that still hold: what was said of the others is taken back.
func (w *Wrappers) UnseenNotices() (keys []string) {
	w.office.Lock()
	defer w.office.Unlock()
	for s := range w.stillUnseen() {
		keys = append(keys, unseenKey(s.Client))
	}
	return keys
}
