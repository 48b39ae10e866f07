package frame

// Source gives the messages that arrive on a stream, one at a time, whatever delimits them there. A session reads through it, so another
// framing is another Source. Reader is the only one so far: MCP over stdio has one message a line in every revision.
type Source interface {
	// Next returns the next message, with a newline after it, valid until the next call. The error is *TooLong for a message over the limit,
	// after which the next call continues; any other error is final, and io.EOF means the regular end.
	Next() ([]byte, error)
	// More reports whether Next has another message without blocking.
	More() bool
	// SetMax changes the limit from the next message on. 0 is DefaultMax.
	SetMax(maxBytes int)
}

var _ Source = (*Reader)(nil)

// Undelivered is a Source's error for a request that gets no response, such as one that could not be sent. The next call goes on.
type Undelivered struct {
	ID  []byte // of the request, raw
	Why string // in our words
	// Line is set if the request was not run, because the server has forgotten the session, and may be sent once more: the request as it was
	// sent. What the server declares must be looked at before.
	Line []byte
	// SignIn is set if the server refused the request because the person has not signed in, or not for what it needs; Line is set then too. Code is
	// the item of the inbox about it, "" if there is none.
	SignIn bool
	Code   string
}

func (e *Undelivered) Error() string { return e.Why }
