package control

import "time"

// maxRecord bounds one record as it is kept and sent; a longer one loses its detail and the tails of its texts.
const maxRecord = 1 << 20

// encodeRecord is one line of at most maxRecord bytes, whatever the record holds: one that cannot be encoded would stand in
// the way of all that come after it.
func encodeRecord(r Record) []byte {
	encoded, err := encode(r)
	if err == nil && len(encoded) <= maxRecord {
		return encoded
	}
	r = trimmed(r)
	if encoded, err = encode(r); err != nil {
		r.Time = time.Time{} // a year beyond 9999 is all that is left to fail
		encoded, _ = encode(r)
	}
	return encoded
}

// trimmed is r without what may be long or no JSON.
func trimmed(r Record) Record {
	if len(r.Detail) > 0 {
		r.Detail, _ = encodeRaw(map[string]int{"left_out_bytes": len(r.Detail)})
	}
	for _, text := range []*string{
		&r.ID, (*string)(&r.Kind), (*string)(&r.Status), &r.Server, &r.Tool, &r.Code, &r.Mode, &r.Client, &r.Session, &r.Request, &r.Prev, &r.Hash,
	} {
		*text = (*text)[:min(len(*text), 1024)]
	}
	r.Summary = r.Summary[:min(len(r.Summary), 4096)]
	return r
}
