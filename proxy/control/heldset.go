package control

// HeldQuery asks which held responses wait: of one server, of one tool, or all.
type HeldQuery struct {
	Server string `json:"server,omitempty"` // name, identity or id
	Tool   string `json:"tool,omitempty"`
}

// HeldSet is those that wait at one moment: the items they are in, and the code of each.
type HeldSet struct {
	Items []InboxItem `json:"items"`
	Codes []string    `json:"codes"`
}

// DiscardHeld discards the responses of a set, those and no others. Server and Tool are what the set was asked for.
type DiscardHeld struct {
	Codes  []string `json:"codes"`
	Server string   `json:"server,omitempty"`
	Tool   string   `json:"tool,omitempty"`
	Group  string   `json:"-"` // of the window, which discards one item
	Reason string   `json:"reason,omitempty"`
}

// DiscardedHeld says what became of a set: how many were discarded, how many of it were decided or gone meanwhile, and how many
// responses came since it was shown, which still wait.
type DiscardedHeld struct {
	Discarded int `json:"discarded"`
	Meanwhile int `json:"meanwhile"`
	Came      int `json:"came"`
}
