package pin

// Change is one difference between two definitions of an item, in words and in pieces.
type Change struct {
	Path   string    `json:"path"`             // "description", "inputSchema.properties.context"; "" is the item itself
	Op     string    `json:"op"`               // added, removed, changed
	Words  string    `json:"words"`            // ours: "added, required: `context` (text)"
	Before string    `json:"before,omitempty"` // server text as it was, not escaped: a text decoded, else JSON in canonical spelling
	After  string    `json:"after,omitempty"`
	Text   []Segment `json:"text,omitempty"` // word-level, for texts
}

// Segment is a run of words that is equal, deleted or inserted.
type Segment struct {
	Op   string `json:"op"` // "equal", "delete", "insert"
	Text string `json:"text"`
}
