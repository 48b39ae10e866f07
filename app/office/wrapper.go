package office

import "github.com/sallyport/sallyport/app/review"

// Wrapper is what one live wrapper has said about its server.
type Wrapper struct {
	Server   string // id
	Client   string
	Entry    string   // the client as its entry names it; pin.ProbeClient for a look
	Session  string   // of the session
	Name     string   // of its own entry, cleaned for people
	Secrets  []string // of its command, to mask them in its logs
	Declared map[string]*review.Declaration
	Launched *review.Launched // nil before the report
	Reported uint64           // order of its last report, 0 before the first
}
