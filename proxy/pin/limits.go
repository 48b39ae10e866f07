package pin

// Limits on what one connection can declare, over all pages of one listing. Anything beyond is never served or callable; the session
// reports it with one Medium finding inspect.BeyondBounds.
const (
	MaxPages = 100
	MaxItems = 5_000
	MaxBytes = 32 << 20
)
