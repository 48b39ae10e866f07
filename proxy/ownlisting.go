package proxy

import (
	"bytes"
	"sync"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/declared"
)

// ownListing is where our own two tools stand in what the client was listed. One wrapper of a client process lists them (own_tools =
// once), and the hub says which; without a hub each does.
type ownListing struct {
	mu      sync.Mutex
	listed  bool // the client has a listing of tools
	with    bool // ours were in it, or it has been told that they are
	waiting []waitingRequest
	limit   *time.Timer
}

// ownChoiceLimit is how long a listing waits for the hub to say who lists our tools. The hub takes a second at most, and only while
// the server that listed them last has not come yet.
const ownChoiceLimit = 1200 * time.Millisecond

// listsOwn says whether our tools stand in this wrapper's listing.
func listsOwn(v *declared.View) bool {
	switch v.Policy.OwnTools {
	case "always":
		return true
	case "waiting":
		if v.State.Waiting == 0 {
			return false
		}
	}
	return v.State.OwnTools != control.OwnToolsThere
}

// ownTools are the definitions to add to the first page of a listing that goes out now.
func (s *listings) ownTools(v *declared.View) [][]byte {
	lists := listsOwn(v)
	s.own.mu.Lock()
	s.own.listed, s.own.with = true, lists
	s.own.mu.Unlock()
	if !lists {
		return nil
	}
	return ownToolDefinitions
}

// turned says, once, that the client's last listing is otherwise about our tools than it would be now.
func (o *ownListing) turned(v *declared.View) bool {
	lists := listsOwn(v)
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.listed || o.with == lists {
		return false
	}
	o.with = lists
	return true
}

// awaitsChoice keeps a first page of tools until the hub has said who lists ours, and says so. Nothing that comes later waits with it.
func (s *listings) awaitsChoice(v *declared.View, r *request, line []byte) bool {
	if r.method != methodListTools || r.cursor != "" || v.Policy.OwnTools == "always" || v.State.OwnTools != control.OwnToolsLater {
		return false
	}
	o := &s.own
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waiting = append(o.waiting, waitingRequest{r, bytes.Clone(line)})
	if o.limit == nil {
		o.limit = time.AfterFunc(ownChoiceLimit, s.ownChosen)
	}
	return true
}

// ownChosen lets the listings go that waited.
func (s *listings) ownChosen() {
	for _, w := range s.own.takeAll() {
		s.listPage(s.view(), w.r, w.line)
	}
}

func (o *ownListing) takeAll() []waitingRequest {
	o.mu.Lock()
	defer o.mu.Unlock()
	waiting := o.waiting
	o.waiting = nil
	if o.limit != nil {
		o.limit.Stop()
		o.limit = nil
	}
	return waiting
}

func (o *ownListing) pending() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.waiting) > 0
}
