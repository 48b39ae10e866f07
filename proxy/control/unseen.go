package control

import "time"

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
func (l *Link) Unseen(u Unseen) { l.unseen.keep(func(Unseen) Unseen { return u }) }
