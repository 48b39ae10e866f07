package e2e

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// hostileMemory is what a wrapper may take at most, whatever a server sends.
const hostileMemory = 300 << 20

// Whatever a remote server sends without an end, its wrapper stops at the limit, stays small, and lets other calls go on.
func TestNoRemoteServerMakesItsWrapperLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("sends hundreds of megabytes")
	}
	const all = 100 << 20
	begins := `{"jsonrpc":"2.0","id":"%","result":{"content":[{"type":"text","text":"`
	piece := bytes.Repeat([]byte("all work and no play "), 50_000)
	endless := func(w io.Writer, request string) {
		id := request[strings.Index(request, `"id":`)+5:]
		id = id[:strings.IndexAny(id, ",}")]
		if _, err := io.WriteString(w, strings.Replace(begins, `"%"`, id, 1)); err != nil {
			return
		}
		for sent := 0; sent < all; sent += len(piece) {
			if _, err := w.Write(piece); err != nil {
				return
			}
		}
	}
	for name, send := range map[string]func(w http.ResponseWriter, request string){
		"a message of 100 MiB without an end": func(w http.ResponseWriter, request string) {
			w.Header().Set("Content-Type", "application/json")
			endless(w, request)
		},
		"an event of 100 MiB without an end": func(w http.ResponseWriter, request string) {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, "event: message\ndata: ")
			endless(w, request)
		},
		"a million events of one message": func(w http.ResponseWriter, request string) {
			w.Header().Set("Content-Type", "text/event-stream")
			for range 1_000_000 {
				if _, err := io.WriteString(w, "data: all work and no play, all work and no play, all work and no play, all work and no play, all work\n"); err != nil {
					return
				}
			}
		},
		"a bomb in gzip": func(w http.ResponseWriter, request string) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Encoding", "gzip")
			packed := gzip.NewWriter(w)
			endless(packed, request)
			packed.Close()
		},
		"an error of 100 MiB": func(w http.ResponseWriter, request string) {
			w.WriteHeader(http.StatusInternalServerError)
			endless(w, request)
		},
	} {
		t.Run(name, func(t *testing.T) {
			honest := startChanging(t)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				if request := string(body); strings.Contains(request, `"much":true`) {
					send(w, request)
					return
				}
				r.Body = io.NopCloser(bytes.NewReader(body))
				honest.ServeHTTP(w, r)
			}))
			t.Cleanup(server.Close)
			s := install(t).allowedAt(t, server.URL)
			wait(t, "the tool can be called", func() bool { return strings.Contains(s.call("now", `{}`), "noon") })
			for round := range 3 {
				s.start(`"much"`, "tools/call", `{"name":"now","arguments":{"much":true}}`)
				if got := s.call("now", `{}`); !strings.Contains(got, "noon") {
					t.Errorf("a call beside it: %s", short(got))
				}
				s.heard(`"id":"much"`)
				for _, e := range s.entries {
					if strings.Contains(e.line, `"id":"much"`) && !strings.Contains(e.line, "[Sallyport]") {
						t.Errorf("round %d: %s", round, short(e.line))
					}
				}
				s.entries = nil
			}
			peak := memoryOf(t, s.cmd.Process.Pid, "VmHWM")
			if peak > hostileMemory {
				t.Errorf("the wrapper took %d MiB", peak>>20)
			}
			t.Logf("%d MiB at most", peak>>20)
			s.hangUp(true)
		})
	}
}
