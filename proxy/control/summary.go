package control

import "time"

// What the rows of a Summary are.
const (
	ByServer = "server"
	ByTool   = "tool"
	ByKind   = "kind"
)

// SummaryQuery asks for the records that Query matches, counted. By is one of ByServer, ByTool and ByKind; of Query only the filters count.
type SummaryQuery struct {
	ActivityQuery
	By string `json:"by"`
}

// Summary counts part of the timeline. From and To are the times of its oldest and its newest record.
type Summary struct {
	By      string       `json:"by"`
	Records int          `json:"records"`
	From    time.Time    `json:"from,omitzero"`
	To      time.Time    `json:"to,omitzero"`
	Items   []SummaryRow `json:"items"` // those with most records first
}

// SummaryRow counts the records of one server, one tool of a server, or one kind. Server is the name it is shown under now, "" for records
// of no server.
type SummaryRow struct {
	Server  string         `json:"server,omitempty"`
	Tool    string         `json:"tool,omitempty"`
	Kind    string         `json:"kind,omitempty"`
	Records int            `json:"records"`
	Status  map[string]int `json:"status"` // records by their status
	// Half of the requests took at most MedianUS microseconds, 95 of a hundred at most P95US. 0 if no record has a duration.
	MedianUS int64     `json:"median_us,omitempty"`
	P95US    int64     `json:"p95_us,omitempty"`
	Bytes    int64     `json:"bytes,omitempty"` // of all responses
	Last     time.Time `json:"last"`            // when the newest record was made
}
