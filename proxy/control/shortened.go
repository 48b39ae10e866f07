package control

import "slices"

// Shortened names what a wrapper's client did not get of the server's greeting (its response to initialize or server/discover), although an
// approval would let it pass: "instructions", "serverInfo.title", "capabilities.experimental". A client reads a greeting once.
type Shortened struct {
	Members []string `json:"members,omitempty"`
}

// MaxShortened is how many are named.
const MaxShortened = 32

// CleanShortened keeps the names that can carry no message: what the protocol calls them, or one word.
func CleanShortened(members []string) []string {
	var clean []string
	for _, member := range members {
		if len(member) <= 64 && len(clean) < MaxShortened && !slices.ContainsFunc([]byte(member), notInName) && member != "" {
			clean = append(clean, member)
		}
	}
	return clean
}

func notInName(c byte) bool {
	return c != '.' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
}

// Shortened tells the hub what the client did not get, now or when the hub is back. It never waits.
func (l *Link) Shortened(s Shortened) {
	l.shortened.keep(func(Shortened) Shortened { return s })
}
