package frame

import "testing"

func TestAnotherFramingIsKnownByItsFirstLine(t *testing.T) {
	for line, want := range map[string]Framing{
		"Content-Length: 86\r\n": LengthFraming, "content-length:86\n": LengthFraming, "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n": LengthFraming,
		"POST /mcp HTTP/1.1\r\n": HTTPFraming, "GET / HTTP/1.0\n": HTTPFraming, "PRI * HTTP/2.0\r\n": HTTPFraming, "HTTP/1.1 200 OK\r\n": HTTPFraming, "HTTP/1.1 202\r\n": HTTPFraming,
		"event: message\n": EventFraming, "data: {\"jsonrpc\":\"2.0\"}\n": EventFraming,
		"": "", "\n": "", "ready\n": "", "Content-Length\n": "", "the Content-Length: 5\n": "", "127.0.0.1 - - \"GET / HTTP/1.1\" 200\n": "",
		"listening for GET HTTP/1.1\n": "", "data: 5\n": "", `{"event":1}` + "\n": "", "HTTP/1.1\n": "", "Serving HTTP on 0.0.0.0\n": "",
	} {
		if got := Foreign([]byte(line)); got != want {
			t.Errorf("%q is %q, want %q", line, got, want)
		}
	}
}
