package control

import (
	"cmp"
	"encoding/json"

	"github.com/sallyport/sallyport/proxy/vocab"
)

// Named is what a read names: the URI or the prompt's name as the record keeps it, "" for other records. It is the server's or the
// client's own text, cleaned and with secrets masked.
func (r *Record) Named() string {
	if r.Kind != vocab.RecordRead && r.Kind != vocab.RecordPrompt || len(r.Detail) == 0 {
		return ""
	}
	var detail struct{ URI, Prompt string }
	if json.Unmarshal(r.Detail, &detail) != nil {
		return ""
	}
	return cmp.Or(detail.URI, detail.Prompt)
}
