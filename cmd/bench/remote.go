package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/sallyport/sallyport/cmd/bench/echo"
)

// The case of a remote server: a call of ten kilobytes over streamable HTTP on this computer, as a bare POST, through a bare bridge and through a
// wrapper. Each is a process of its own: client, bridge or wrapper, and server.
const (
	onlyRemote = "remote"
	remoteSize = 10_000
)

// remote are its results.
type remote struct{ bare, bridged, wrapped series }

// serveRemote says its address, and responds to everything at once, with the same text, until its input ends.
func serveRemote(in io.Reader, out io.Writer) error {
	server := remoteServer()
	defer server.Close()
	if _, err := fmt.Fprintln(out, server.URL); err != nil {
		return err
	}
	_, err := io.Copy(io.Discard, in)
	return err
}

// bridge is the least that a client of stdin and stdout needs to reach a server at an address: each line is one POST.
func bridge(args []string, in io.Reader, out io.Writer) error {
	if len(args) != 1 {
		return errors.New("bridge: one address is needed")
	}
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		got, err := http.Post(args[0], "application/json", bytes.NewReader(line))
		if err != nil {
			return err
		}
		body, err := io.ReadAll(got.Body)
		got.Body.Close()
		if err != nil {
			return err
		}
		if len(body) > 0 {
			if _, err := out.Write(append(body, '\n')); err != nil {
				return err
			}
		}
	}
}

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

// startRemote starts the server, and returns its address.
func (b *bench) startRemote() (address string, stop func(), err error) {
	cmd := exec.CommandContext(b.ctx, b.self, "remote")
	cmd.Stderr = os.Stderr
	alone(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		in.Close()
		_ = cmd.Wait()
	}
	address, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
	}
	return strings.TrimSpace(address), stop, err
}

func (b *bench) remote(r *results) error {
	fmt.Fprintln(b.progress, "a remote server")
	address, stop, err := b.startRemote()
	if err != nil {
		return err
	}
	defer stop()
	h, err := b.homeOf("sallyport")
	if err != nil {
		return err
	}
	c, err := b.remoteChain("sallyport", []string{h.binary, "wrap", "--url", address}, h.env)
	if err != nil {
		return err
	}
	defer c.close()
	if err := h.allowAll(b.ctx); err != nil {
		return err
	}
	by, err := b.remoteChain("bridge", []string{b.self, "bridge", address}, os.Environ())
	if err != nil {
		return err
	}
	defer by.close()
	client, id := &http.Client{}, firstID
	bare := func() error {
		id++
		got, err := client.Post(address, "application/json", strings.NewReader(remoteCall(id)))
		if err != nil {
			return err
		}
		defer got.Body.Close()
		_, err = io.Copy(new(bytes.Buffer), got.Body)
		return err
	}
	through := func(c *lean) func() error {
		return func() error {
			id++
			return c.exchange(remoteCall(id)+"\n", fmt.Sprint(id))
		}
	}
	of := new(remote)
	for round := range b.rounds + 1 {
		for _, w := range []struct {
			into *series
			call func() error
		}{{&of.bare, bare}, {&of.bridged, through(by)}, {&of.wrapped, through(c)}} {
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

// remoteChain starts what stands between a client and the server.
func (b *bench) remoteChain(name string, argv, env []string) (*lean, error) {
	c, err := start(chain{way: way{name, echo.Legacy}, argv: argv, env: env})
	if err != nil {
		return nil, err
	}
	if err := c.shake(); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// markdown prints what the wrapper adds to a bare POST.
func (of *remote) markdown(out *strings.Builder) {
	bare, bridged, wrapped := of.bare.p50(), of.bridged.p50(), of.wrapped.p50()
	adds, bridge := float64(wrapped-bare)/float64(bare), float64(bridged-bare)/float64(bare)
	fmt.Fprintf(out, "A call of %s to a remote server on this computer, inspected: %s as a bare POST of Go's http.Client (p50), %s through a bridge that only makes a POST of each line, %s through the wrapper. The bridge adds %s of the POST, the wrapper %s: at most 1.3 × is %s.\n\n",
		bytesOf(remoteSize), span(bare), span(bridged), span(wrapped), ratio(bridge), ratio(adds), verdict(adds, 1.3, false))
}
