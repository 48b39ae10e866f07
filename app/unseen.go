package app

import (
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
// person was told of. The Hub's lock guards it.
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
func (h *Hub) Unseen(w control.Wrapper, u control.Unseen) error {
	h.office.Lock()
	defer h.office.Unlock()
	s := h.sessions[w]
	if s == nil {
		return office.Answer(control.CodeBadRequest, "unseen before register")
	}
	if u.Items <= 0 {
		delete(h.unseen.by, s)
	} else {
		h.unseen.by[s] = u
	}
	h.office.Changed()
	h.tellUnseen()
	return nil
}

// forgetUnseen is for a wrapper that has gone; a client that starts again is told of anew.
func (h *Hub) forgetUnseen(gone *liveWrapper) {
	delete(h.unseen.by, gone)
	for _, s := range h.sessions {
		if s.process() == gone.process() {
			return
		}
	}
	delete(h.unseen.told, gone.process())
}

// begunAnew says that the client's process has started the server once more since, as Codex does for a new thread: what it lists there
// is what is allowed now, and the start before it is behind for good.
func (h *Hub) begunAnew(s *liveWrapper) bool {
	for _, other := range h.sessions {
		if s.parent.PID != 0 && other.Server == s.Server && other.process() == s.process() && other.since.After(h.unseen.by[s].Since) {
			if _, behind := h.unseen.by[other]; !behind {
				return true
			}
		}
	}
	return false
}

// tellUnseen notifies once for each run of a client, and only when nothing of that client waits for review any more: before
// that a restart would come too early.
func (h *Hub) tellUnseen() {
	for s := range h.unseen.by {
		way := identity.ClientOf(s.Client)
		if h.begunAnew(s) || way.Own || h.unseen.told[s.process()] || h.waitingOf(s) > 0 {
			continue
		}
		h.unseen.told[s.process()] = true
		h.office.Tell(review.Notice{Kind: vocab.NoticeUnseen, Code: unseenKey(s.Client), Severity: vocab.SeverityReview, Client: way.Title, Next: way.Next})
	}
}

// unseenKey names the notice of a client where codes of items name the others. No code has a colon in it.
func unseenKey(client string) string { return vocab.NoticeUnseen + ":" + client }

// unseenServers lists what is not yet seen, by client and server.
func (h *Hub) unseenServers() []control.UnseenServer {
	list := []control.UnseenServer{}
	for s, u := range h.unseen.by {
		if h.begunAnew(s) {
			continue
		}
		list = append(list, control.UnseenServer{
			Client: s.Client, Server: h.nameOf(&s.Wrapper), ID: s.Server, Session: s.Session, Items: u.Items, Since: u.Since.UTC(), Next: identity.ClientOf(s.Client).Next, Code: problemUnseen,
		})
	}
	slices.SortFunc(list, func(a, b control.UnseenServer) int {
		return strings.Compare(a.Client+"\x00"+a.Server+"\x00"+a.Session, b.Client+"\x00"+b.Server+"\x00"+b.Session)
	})
	return list
}

// unseenBy are the clients that have not seen all that is allowed of a server.
func (h *Hub) unseenBy(server string) []string {
	clients := []string{}
	for s := range h.unseen.by {
		if s.Server == server && !h.begunAnew(s) {
			clients = append(clients, s.Client)
		}
	}
	slices.Sort(clients)
	return slices.Compact(clients)
}

// UnseenNotices are the keys of the notices that still hold: what was said of the others is taken back.
func (h *Hub) UnseenNotices() (keys []string) {
	h.office.Lock()
	defer h.office.Unlock()
	for s := range h.unseen.by {
		if h.begunAnew(s) {
			continue
		}
		keys = append(keys, unseenKey(s.Client))
	}
	return keys
}
