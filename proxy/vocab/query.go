package vocab

import (
	"strings"
	"time"
)

// Query asks for part of the timeline, newest last. After is a record id: only later ones, the first Limit of them (for
// --follow). Oldest begins at the old end instead of the new one (for an export, which goes on with After). Before is a record
// id too: the newest Limit of the older ones (for the window, which pages backwards). Text is looked for in server, tool, code and summary.
type Query struct {
	Server string `json:"server,omitempty"`
	// ServerID is the one server that Server names, "" where several have the name: the hub finds it, nobody sends it.
	ServerID string `json:"-"`

	Tool   string    `json:"tool,omitempty"`
	Kind   string    `json:"kind,omitempty"`   // several with commas between
	Status string    `json:"status,omitempty"` // likewise
	Since  time.Time `json:"since,omitzero" ts_type:"string | undefined"`
	Limit  int       `json:"limit,omitempty"`
	After  string    `json:"after,omitempty"`
	Oldest bool      `json:"oldest,omitempty"`
	Before string    `json:"before,omitempty"`
	Text   string    `json:"text,omitempty"`
}

// Matches reports whether a record is one of those asked for.
func (q Query) Matches(r *Record) bool {
	return q.of(r) && (q.Tool == "" || q.Tool == r.Tool) &&
		among(q.Kind, r.Kind) && among(q.Status, r.Status) &&
		(q.Since.IsZero() || !r.Time.Before(q.Since)) && q.says(r)
}

// of reports whether a record is of the requested server: by id if both have one, else by name.
func (q Query) of(r *Record) bool {
	if q.ServerID != "" && r.ServerID != "" {
		return q.ServerID == r.ServerID
	}
	return q.Server == "" || q.Server == r.Server
}

// among reports whether a word is in a comma-separated list; an empty list matches all.
func among[Word ~string](asked string, word Word) bool {
	if asked == "" || asked == string(word) {
		return true
	}
	for one := range strings.SplitSeq(asked, ",") {
		if one == string(word) {
			return true
		}
	}
	return false
}

func (q Query) says(r *Record) bool {
	if q.Text == "" {
		return true
	}
	sought := strings.ToLower(q.Text)
	for _, text := range [...]string{r.Summary, r.Server, r.Tool, r.Code} {
		if strings.Contains(strings.ToLower(text), sought) {
			return true
		}
	}
	return strings.Contains(strings.ToLower(r.Named()), sought)
}

// Verified is what a walk over the whole chain of records found. Bad is the first record that is not as it was written ("#N" where it
// has no id), "" when the chain holds. Unsealed says why there was no second copy to compare.
type Verified struct {
	Records int    `json:"records"`
	Head    string `json:"head"` // hash of the newest record
	Bad     string `json:"bad,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Sealed  bool   `json:"sealed"` // the head is also one that was kept in a second place: without that, an older copy of the whole file would do

	Unsealed string `json:"unsealed,omitempty"`
}
