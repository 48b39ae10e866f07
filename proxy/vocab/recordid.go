package vocab

import (
	"math/rand/v2"
	"time"
)

// NewRecordID names an activity record: 13 characters of time (nanoseconds, so ids sort by time) and 10 random ones, in lower-case
// Crockford base 32. Unique, not secret.
func NewRecordID(t time.Time) string {
	const digits = "0123456789abcdefghjkmnpqrstvwxyz"
	var id [23]byte
	ns, chance := uint64(t.UnixNano()), rand.Uint64()
	for i := 12; i >= 0; i-- {
		id[i], ns = digits[ns&31], ns>>5
	}
	for i := 22; i >= 13; i-- {
		id[i], chance = digits[chance&31], chance>>5
	}
	return string(id[:])
}
