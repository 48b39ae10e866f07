package control

import (
	"strconv"
	"time"
)

// maxRecord bounds one record as it is kept and sent; a longer one loses its detail and the tails of its texts.
const maxRecord = 1 << 20

// encodeRecord is one line of at most maxRecord bytes, whatever the record holds: one that cannot be encoded would stand in
// the way of all that come after it.
func encodeRecord(r Record) []byte {
	if encoded := plainLine(&r); encoded != nil {
		return encoded
	}
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

// plainLine is encode for the records there are many of: short ones without a detail, whose texts are plain ASCII. nil for
// any other. It costs a fifth; a test compares the two.
func plainLine(r *Record) []byte {
	if len(r.Detail) > 0 || r.Time.Year() < 0 || r.Time.Year() > 9999 {
		return nil
	}
	line := append(make([]byte, 0, 320), `{"id":"`...)
	text := func(name, value string) {
		if line == nil || value == "" && name != "" {
			return
		}
		if name != "" {
			line = append(line, name...)
		}
		for i := range len(value) {
			if c := value[i]; c < 0x20 || c >= 0x7f || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
				line = nil
				return
			}
		}
		line = append(line, value...)
		line = append(line, '"')
	}
	number := func(name string, value int64) {
		if line != nil && value != 0 {
			line = strconv.AppendInt(append(line, name...), value, 10)
		}
	}
	text("", r.ID)
	if line == nil {
		return nil
	}
	line = append(line, `,"time":"`...)
	line = r.Time.AppendFormat(line, time.RFC3339Nano)
	line = append(line, `","kind":"`...)
	text("", r.Kind)
	if line == nil {
		return nil
	}
	line = append(line, `,"status":"`...)
	text("", r.Status)
	text(`,"server":"`, r.Server)
	text(`,"tool":"`, r.Tool)
	text(`,"code":"`, r.Code)
	text(`,"mode":"`, r.Mode)
	text(`,"summary":"`, r.Summary)
	text(`,"client":"`, r.Client)
	text(`,"session":"`, r.Session)
	text(`,"request":"`, r.Request)
	number(`,"duration_us":`, r.DurationUS)
	number(`,"bytes":`, r.Bytes)
	text(`,"prev":"`, r.Prev)
	text(`,"hash":"`, r.Hash)
	if line == nil || len(line) > maxRecord-2 {
		return nil
	}
	return append(line, "}\n"...)
}

// trimmed is r without what may be long or no JSON.
func trimmed(r Record) Record {
	if len(r.Detail) > 0 {
		r.Detail, _ = encodeRaw(map[string]int{"left_out_bytes": len(r.Detail)})
	}
	for _, text := range []*string{
		&r.ID, &r.Kind, &r.Status, &r.Server, &r.Tool, &r.Code, &r.Mode, &r.Client, &r.Session, &r.Request, &r.Prev, &r.Hash,
	} {
		*text = (*text)[:min(len(*text), 1024)]
	}
	r.Summary = r.Summary[:min(len(r.Summary), 4096)]
	return r
}
