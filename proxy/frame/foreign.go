package frame

import "bytes"

// Framing is a way to delimit messages on a stream that is not ours, as a noun phrase of our own words.
type Framing string

const (
	LengthFraming Framing = "Content-Length headers"
	HTTPFraming   Framing = "HTTP"
	EventFraming  Framing = "server-sent events"
)

// Foreign names the framing to which a line belongs that is no message, "" for none that we know. A side that uses one from its first line
// on was started for another transport, or speaks the protocol of a language server.
func Foreign(line []byte) Framing {
	line = bytes.TrimRight(line, " \t\r\n")
	switch {
	case header(line, "Content-Length"), header(line, "Content-Type"):
		return LengthFraming
	case requestLine(line), statusLine(line):
		return HTTPFraming
	case header(line, "event"), header(line, "data") && bytes.IndexByte(line, '{') > 0:
		return EventFraming
	}
	return ""
}

// header reports whether a line is this header field; names have no case (RFC 9110, 5.1).
func header(line []byte, name string) bool {
	return len(line) > len(name) && line[len(name)] == ':' && bytes.EqualFold(line[:len(name)], []byte(name))
}

// requestLine reports whether a line begins a request of HTTP/1 or HTTP/2 (RFC 9112, 3; RFC 9113, 3.4).
func requestLine(line []byte) bool {
	words := bytes.Fields(line)
	if len(words) != 3 || !bytes.HasPrefix(words[2], []byte("HTTP/")) {
		return false
	}
	for _, c := range words[0] {
		if c < 'A' || c > 'Z' {
			return false
		}
	}
	return true
}

func statusLine(line []byte) bool {
	words := bytes.Fields(line)
	return len(words) >= 2 && bytes.HasPrefix(words[0], []byte("HTTP/")) && len(words[1]) == 3 && isDigit(words[1][0])
}
