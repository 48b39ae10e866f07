package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/sallyport/sallyport/cmd/bench/echo"
)

// The case of a remote server: a call of ten kilobytes over streamable HTTP on this computer, through a wrapper and as a bare POST.
const (
	onlyRemote = "remote"
	remoteSize = 10_000
)

// remote are its results.
type remote struct{ bare, wrapped series }

// remoteServer responds to everything at once, with the same text.
func remoteServer() *httptest.Server {
	text, _ := json.Marshal(prose(remoteSize)) // a string always can be
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if err != nil || r.Method != http.MethodPost || json.Unmarshal(body, &m) != nil {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		result := `{"content":[{"type":"text","text":` + string(text) + `}]}`
		switch m.Method {
		case "initialize":
			result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"remote","version":"1"}}`
		case "tools/list":
			result = `{"tools":[{"name":"echo","description":"Returns a text.","inputSchema":{"type":"object"}}]}`
		}
		if m.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
	}))
}

func remoteCall(id int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{}}}`, id)
}

func (b *bench) remote(r *results) error {
	fmt.Fprintln(b.progress, "a remote server")
	server := remoteServer()
	defer server.Close()
	h, err := b.homeOf("sallyport")
	if err != nil {
		return err
	}
	c, err := start(chain{way: way{"sallyport", echo.Legacy}, argv: []string{h.binary, "wrap", "--url", server.URL}, env: h.env})
	if err != nil {
		return err
	}
	defer c.close()
	if err := c.shake(); err != nil {
		return err
	}
	if err := h.allowAll(b.ctx); err != nil {
		return err
	}
	client, id := &http.Client{}, firstID
	bare := func() error {
		id++
		got, err := client.Post(server.URL, "application/json", strings.NewReader(remoteCall(id)))
		if err != nil {
			return err
		}
		defer got.Body.Close()
		_, err = io.Copy(new(bytes.Buffer), got.Body)
		return err
	}
	wrapped := func() error {
		id++
		return c.exchange(remoteCall(id)+"\n", fmt.Sprint(id))
	}
	of := new(remote)
	for round := range b.rounds + 1 {
		for _, w := range []struct {
			into *series
			call func() error
		}{{&of.bare, bare}, {&of.wrapped, wrapped}} {
			if round == 1 { // the first round only warms up
				*w.into = series{}
			}
			for end := time.Now().Add(2 * b.slice); time.Now().Before(end); {
				begin := time.Now()
				if err := errors.Join(w.call(), b.ctx.Err()); err != nil {
					return err
				}
				w.into.took = append(w.into.took, time.Since(begin))
			}
		}
	}
	r.remote = of
	return nil
}

// markdown prints what the wrapper adds to a bare POST.
func (of *remote) markdown(out *strings.Builder) {
	bare, wrapped := of.bare.p50(), of.wrapped.p50()
	adds := float64(wrapped-bare) / float64(bare)
	fmt.Fprintf(out, "A call of %s to a remote server on this computer, inspected: %s as a bare POST of Go's http.Client (p50), %s through the wrapper. It adds %s of the POST: at most 1.3 × is %s.\n\n",
		bytesOf(remoteSize), span(bare), span(wrapped), ratio(adds), verdict(adds, 1.3, false))
}
