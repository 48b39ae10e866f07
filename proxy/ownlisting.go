package proxy

import (
	"bytes"
	"sync"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/declared"
	"github.com/sallyport/sallyport/proxy/pin"
	"github.com/sallyport/sallyport/proxy/sanitize"
)

// ownListing tracks whether the client's listing holds our own two tools. One wrapper of a client process lists them (own_tools = once),
// and the hub chooses it; without a hub each does.
type ownListing struct {
	mu      sync.Mutex
	listed  bool // the client has listed tools
	with    bool // ours were included, or the client was told about them
	waiting []waitingRequest
	limit   *time.Timer
}

// ownChoiceLimit is how long a listing waits for the hub's choice. The hub takes at most a second, and only while the server that listed
// them last is not connected yet.
const ownChoiceLimit = 1200 * time.Millisecond

// listsOwn reports whether this wrapper lists our tools.
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

// ownTools are the definitions to add to the first page of a listing now.
func (s *listings) ownTools(v *declared.View) [][]byte {
	lists := listsOwn(v)
	s.own.mu.Lock()
	s.own.listed, s.own.with = true, lists
	s.own.mu.Unlock()
	if !lists {
		return nil
	}
	tools := make([][]byte, len(ownToolDefinitions))
	for i, tool := range ownToolDefinitions {
		tools[i] = sanitize.Definition(pin.Tool, tool, OwnToolNames[i], v.Policy.Sanitizer)
	}
	return tools
}

// turned reports, once, that the client's last listing no longer matches whether our tools are listed.
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

// awaitsChoice holds a first page of tools until the hub has chosen who lists ours, and reports whether it does. Later requests don't wait
// with it.
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

// ownChosen releases the waiting listings.
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
