package control

import (
	"context"
	"sync"
	"time"
)

// Unseen is what a wrapper's client was told of and did not list: it heard that listings changed and has not asked for them
// since. Items are what is approved and was in none of its listings; 0 says that there is nothing any more.
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
	Next     string    `json:"next"` // what has the client list again, such as "restart Claude Desktop"
	Code     string    `json:"code"` // SP-220
}

// Unseen passes on what the client has not seen, now or when the hub is back. It never waits.
func (l *Link) Unseen(u Unseen) { l.unseen.set(u) }

// unseenBox keeps the newest Unseen for the hub: every hub that comes is told, unless there is nothing to tell.
type unseenBox struct {
	mu      sync.Mutex
	newest  Unseen
	told    bool // the hub of client has newest
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

// start has a goroutine tell what was not. The caller holds mu.
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
