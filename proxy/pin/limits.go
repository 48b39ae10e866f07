package pin

// Limits of what one connection may declare, over all pages of one listing. What lies
// beyond is never served or callable; the session says so with one Medium finding inspect.BeyondBounds.
const (
	MaxPages = 100
	MaxItems = 5_000
	MaxBytes = 32 << 20
)
