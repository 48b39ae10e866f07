package control

import (
	"context"
	"sync"
	"time"
)

// Unseen reports approved items that a wrapper's client has not seen: it heard that listings changed and has not asked for them since. Items
// is the number of approved items that were in none of its listings; 0 means that there are none any more.
type Unseen struct {
	Items int       `json:"items"`
	Since time.Time `json:"since"`
}

// UnseenServer is a server with something allowed that a client has not seen yet.
type UnseenServer struct {
	Client   string    `json:"client"`
	Server   string    `json:"server"`
	Shown    string    `json:"shown,omitempty"` // see Server
	ID       string    `json:"id"`              // of the server, as in Server
	Identity string    `json:"identity"`
	Session  string    `json:"session"`
	Items    int       `json:"items"`
	Since    time.Time `json:"since" ts_type:"string"`
	Next     string    `json:"next"` // what makes the client list again, such as "restart Claude Desktop"
	Code     string    `json:"code"` // SP-220
}

// Unseen tells the hub what the client has not seen, now or when the hub is back. It never waits.
func (l *Link) Unseen(u Unseen) { l.unseen.set(u) }

// unseenBox keeps the newest Unseen for the hub: every hub that connects gets it, unless it is empty.
type unseenBox struct {
	mu      sync.Mutex
	newest  Unseen
	told    bool // client's hub has newest
	client  *Client
	sending bool
}

func (b *unseenBox) set(u Unseen) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.newest, b.told = u, false
	b.start()
}

func (b *unseenBox) connected(c *Client) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.client, b.told = c, b.newest.Items == 0
	b.start()
}

// start starts a goroutine that sends what the hub doesn't have. The caller holds mu.
func (b *unseenBox) start() {
	if b.sending || b.told || b.client == nil {
		return
	}
	b.sending = true
	go b.send()
}

func (b *unseenBox) send() {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer func() { b.sending = false }()
	for !b.told && b.client != nil {
		c, u := b.client, b.newest
		b.mu.Unlock()
		_, err := askUnseen(context.Background(), c, u) // it ends with the connection
		b.mu.Lock()
		switch {
		case b.client != c: // another hub
		case err != nil:
			b.client = nil
		case b.newest == u:
			b.told = true
		}
	}
}
