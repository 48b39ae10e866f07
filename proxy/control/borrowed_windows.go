package control

// Borrowed is false: no hub runs here yet.
func Borrowed() bool { return false }
