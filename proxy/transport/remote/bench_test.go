package remote

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/address"
)

// BenchmarkCall makes calls whose responses have 10 KB, one after the other: as a bare POST, and through a session.
func BenchmarkCall(b *testing.B) {
	text, err := json.Marshal(strings.Repeat("The quick brown fox jumps over the lazy dog. ", 222))
	if err != nil {
		b.Fatal(err)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		switch err := json.NewDecoder(r.Body).Decode(&m); {
		case err != nil:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case m.Method == "initialize":
			inJSON(w, greeting)
		case m.ID == nil:
			w.WriteHeader(http.StatusAccepted)
		default:
			inJSON(w, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%s}]}}`, m.ID, text))
		}
	}))
	b.Cleanup(s.Close)
	b.Run("bare", func(b *testing.B) {
		for b.Loop() {
			r, err := http.Post(s.URL, "application/json", strings.NewReader(call))
			if err != nil {
				b.Fatal(err)
			}
			_, err = io.Copy(new(bytes.Buffer), r.Body)
			r.Body.Close()
			if err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("session", func(b *testing.B) {
		b.ReportAllocs()
		u, err := address.Parse(s.URL)
		if err != nil {
			b.Fatal(err)
		}
		to := Open(Options{Address: u, Kind: Streamable, Plaintext: func() bool { return false }, Idle: func() time.Duration { return time.Minute }})
		b.Cleanup(func() { to.Close() })
		io.WriteString(to, initialize+"\n"+initialized+"\n")
		if _, err := to.Next(); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if _, err := io.WriteString(to, call+"\n"); err != nil {
				b.Fatal(err)
			}
			if _, err := to.Next(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
