package proxy

import (
	"github.com/sallyport/sallyport/proxy/cut"
	"github.com/sallyport/sallyport/proxy/sanitize"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// Texts kept with the records of calls, reads and prompts (setting activity.payloads): what was asked for, and what the client got.

const (
	// maxPayload is how much of each text a record keeps.
	maxPayload = 64 << 10
	// maxMasked is the longest text that is searched for secrets; of a longer one only the size is kept.
	maxMasked = 256 << 10
)

// keeping makes a payload; profile says what counts as a secret. They are masked with the marks of redaction.
type keeping struct {
	vocab.Payload
	profile string
}

// masked is a JSON text without its secrets, as far as a record keeps it.
func (k *keeping) masked(what string, raw []byte) string {
	if len(raw) > maxMasked {
		k.leaveOut(what, len(raw))
		return ""
	}
	const before, behind = `{"payload":`, `}` // so that none of its members is taken for one of the message
	line := append(append(append(make([]byte, 0, len(raw)+len(before)+1), before...), raw...), behind...)
	line, _, _, err := sanitize.Redact(line, k.profile)
	if err != nil {
		k.leaveOut(what, len(raw))
		return ""
	}
	text := string(line[len(before) : len(line)-len(behind)])
	if len(text) > maxPayload {
		k.Cut = noted(k.Cut, what, len(text))
	}
	return cut.Bytes(text, maxPayload)
}

func (k *keeping) leaveOut(what string, size int) { k.LeftOut = noted(k.LeftOut, what, size) }

func noted(sizes map[string]int, what string, size int) map[string]int {
	if sizes == nil {
		sizes = map[string]int{}
	}
	sizes[what] = size
	return sizes
}
