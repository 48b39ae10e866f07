package proxy

import (
	"sync"

	"github.com/sallyport/sallyport/proxy/pin"
)

// pageWalk counts the pages a client walks through each listing, so that it is led no further than a snapshot goes.
type pageWalk struct {
	mu      sync.Mutex
	cursors map[method]map[string]int // cursor → the page it leads to
}

// pageOf says which page a cursor asks for: 1 without one, and 1 for a cursor no page has named (it is served like any
// page, item by item).
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

// follows says whether the page that answers r may lead the client on to next: not beyond the last page a snapshot looks
// at, and not to a cursor that leads back (an endless listing). An empty cursor asks for the first page: servers that write
// one mean that there is no other.
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
