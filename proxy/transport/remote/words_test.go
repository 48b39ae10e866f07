package remote

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestHeadersNameWhereTheirValueIs(t *testing.T) {
	for text, words := range map[string]string{
		"X-Key: env:KEY": "", "Authorization: Bearer env:TOKEN": "", "authorization:keychain:work": "",
		"X-Key: secret":               "can't be on the command line",
		"X-Key: Bearer secret":        "can't be on the command line",
		"X-Key: a b env:KEY":          "at most one word",
		"X-Key":                       "write it as",
		"X Key: env:KEY":              "write it as",
		": env:KEY":                   "write it as",
		"X-Key: env:":                 "can't be on the command line",
		"Host: env:H":                 "set by Sallyport itself",
		"content-length: env:H":       "set by Sallyport itself",
		"ACCEPT: env:H":               "set by Sallyport itself",
		"Cookie: env:H":               "set by Sallyport itself",
		"mcp-session-id: env:H":       "set by Sallyport itself",
		"Last-Event-ID: env:H":        "set by Sallyport itself",
		"Proxy: env:H":                "",
		"X-Key: B\u00e9arer env:KEY":  "at most one word",
		"Authorization: Bearer  env:": "can't be on the command line",
	} {
		_, err := ParseHeader(text)
		if (err == nil) != (words == "") || err != nil && !strings.Contains(err.Error(), words) {
			t.Errorf("%q: %v", text, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: the error has the value: %v", text, err)
		}
	}
}

func TestAValueWithALineBreakIsNeverSent(t *testing.T) {
	h, err := ParseHeader("Authorization: Bearer env:TOKEN")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := h.Value("abc"); got != "Bearer abc" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	for _, secret := range []string{"hush\r\nX: y", "hush\n", "hush\x00", ""} {
		if _, err := h.Value(secret); err == nil || strings.Contains(err.Error(), "hush") || !strings.Contains(err.Error(), "env:TOKEN") {
			t.Errorf("%q: %v", secret, err)
		}
	}
}

// However a stream is cut into reads, its events are the same.
func FuzzEvents(f *testing.F) {
	f.Add("event: message\nid: 1\ndata: {}\n\ndata: a\r\ndata: b\r\n\r\n", 3)
	f.Add("data\rdata: x\r\r\n:c\n\n\xef\xbb\xbfdata: y\n\nretry: 5\n\n", 1)
	f.Add("id: a\x00b\nid: c\n\n\n\n", 2)
	f.Fuzz(func(t *testing.T, stream string, most int) {
		limit := func() int { return max(1, most&0xffff) }
		read := func(r io.Reader) (all []string, err error) {
			err = readEvents(r, limit, func(e event) bool {
				all = append(all, e.name+"\x00"+e.id+"\x00"+e.retry.String()+"\x00"+string(e.data))
				return true
			})
			return all, err
		}
		whole, err := read(strings.NewReader(stream))
		for _, cut := range []io.Reader{iotest.OneByteReader(strings.NewReader(stream)), iotest.HalfReader(strings.NewReader(stream)), iotest.DataErrReader(strings.NewReader(stream))} {
			again, errAgain := read(cut)
			if strings.Join(whole, "|") != strings.Join(again, "|") || err != errAgain {
				t.Fatalf("%q: %q %v, cut %q %v", stream, whole, err, again, errAgain)
			}
		}
		for _, e := range whole {
			if len(e) > limit()+4*maxField {
				t.Fatalf("an event of %d bytes", len(e))
			}
		}
	})
}

// A message keeps its tokens, and is one line.
func FuzzOneLine(f *testing.F) {
	f.Add([]byte("{\n\"a\":\r\n\"b\\\"\\\\\"}\n"))
	f.Fuzz(func(t *testing.T, body []byte) {
		before := bytes.Clone(bytes.Trim(body, " \t\r\n"))
		line, ok := oneLine(bytes.Clone(body))
		if !ok {
			return
		}
		if len(line) != len(before) || bytes.ContainsAny(line, "\r\n") {
			t.Fatalf("%q: %q", body, line)
		}
		for i := range line {
			if line[i] != before[i] && !(line[i] == ' ' && (before[i] == '\n' || before[i] == '\r')) {
				t.Fatalf("%q: %q", body, line)
			}
		}
	})
}
