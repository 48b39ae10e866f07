package proxy

import (
	"sync"

	"github.com/sallyport/sallyport/proxy/pin"
)

// pageWalk counts the pages a client reads of each listing, so that it gets no further than a snapshot does.
type pageWalk struct {
	mu      sync.Mutex
	cursors map[method]map[string]int // cursor → its page
}

// pageOf returns the page of a cursor: 1 without one, and 1 for an unknown one (whose page is checked item by item like any other).
func (p *pageWalk) pageOf(m method, cursor string) int {
	if cursor == "" {
		return 1
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if page := p.cursors[m][cursor]; page > 0 {
		return page
	}
	return 2
}

// follows reports whether the page that answers r may lead to next: not beyond the last page of a snapshot, and not back to an earlier
// cursor (an endless listing). An empty cursor means that there is no further page: servers that write one mean that.
func (p *pageWalk) follows(r *request, next string) bool {
	if r.page >= pin.MaxPages || next == r.cursor || next == "" {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cursors == nil {
		p.cursors = map[method]map[string]int{}
	}
	known := p.cursors[r.method]
	if r.page == 1 && r.cursor == "" || known == nil {
		known = map[string]int{}
		p.cursors[r.method] = known
	}
	if page := known[next]; page > 0 && page <= r.page {
		return false
	}
	known[next] = r.page + 1
	return true
}
