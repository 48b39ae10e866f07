package tray

// nowhere is the tray of a session that has none.
type nowhere string

func (nowhere) Set(State)     {}
func (n nowhere) Why() string { return string(n) }
func (nowhere) Close()        {}
