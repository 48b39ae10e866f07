package pin

// Change is one difference between two definitions of an item, in words and as data.
type Change struct {
	Path   string    `json:"path"` // "description", "inputSchema.properties.context"; "" is the item itself
	Op     Op        `json:"op"`
	Words  string    `json:"words"`            // in our words: "added, required: `context` (text)"
	Before string    `json:"before,omitempty"` // server text as it was, not escaped: a decoded text, else JSON in canonical spelling
	After  string    `json:"after,omitempty"`
	Text   []Segment `json:"text,omitempty"` // word-level, for texts
}

// Op is what a change does to what was approved.
type Op string

const (
	Added   Op = "added"
	Removed Op = "removed"
	Changed Op = "changed"
)

type Segment struct {
	Op   string `json:"op" ts_type:"'equal' | 'delete' | 'insert'"` // equal, delete, insert
	Text string `json:"text"`                                       // server text
}
