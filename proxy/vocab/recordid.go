package vocab

import (
	"math/rand/v2"
	"time"
)

// NewRecordID names an activity record: 13 characters of time (nanoseconds, so ids sort by time) and 10 random ones, in lower-case
// Crockford base 32. Unique, not secret.
func NewRecordID(t time.Time) string { return RecordIDOf(t, rand.Uint64()) }

// RecordIDOf is NewRecordID with the last 50 bits of a number in place of chance: the same for the same time and number.
func RecordIDOf(t time.Time, number uint64) string {
	const digits = "0123456789abcdefghjkmnpqrstvwxyz"
	var id [23]byte
	ns := uint64(t.UnixNano())
	for i := 12; i >= 0; i-- {
		id[i], ns = digits[ns&31], ns>>5
	}
	for i := 22; i >= 13; i-- {
		id[i], number = digits[number&31], number>>5
	}
	return string(id[:])
}
