//go:build ui

package uitest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/scripted"
)

// server is a scripted server that changes what it declares on command.
type server struct {
	t      testing.TB
	dir    string
	starts string // a shell script that starts it, "" where its command does
}

// newServer writes the script. Each of faces is put on, and announced, by a call of put.
func newServer(t testing.TB, first scripted.Face, faces map[string]scripted.Face) *server {
	t.Helper()
	s := &server{t: t, dir: t.TempDir()}
	if err := writeScript(s.dir, first, faces); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *server) script() string { return filepath.Join(s.dir, "script.json") }

func (s *server) command() []string {
	self, err := os.Executable()
	if err != nil {
		s.t.Fatal(err)
	}
	if s.starts != "" {
		return []string{"sh", s.starts, self, s.script()}
	}
	return []string{self, "scripted", s.script()}
}

// behind puts a shell script before the server, with this line in it.
func (s *server) behind(line string) {
	s.t.Helper()
	s.starts = filepath.Join(s.dir, "start.sh")
	if err := os.WriteFile(s.starts, []byte(line+"\nexec \"$1\" scripted \"$2\"\n"), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func (s *server) put(face string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, face), nil, 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// ran says whether a call of this tool ever reached the server.
func (s *server) ran(tool string) bool { return s.count(tool) > 0 }

// count is how many calls of this tool reached the server.
func (s *server) count(tool string) (n int) {
	raw, _ := os.ReadFile(filepath.Join(s.dir, "log"))
	for line := range strings.Lines(string(raw)) {
		if strings.Contains(line, `"tools/call"`) && strings.Contains(line, strconv.Quote(tool)) {
			n++
		}
	}
	return n
}

// client is a client that talks to a server through the real wrapper.
type client struct {
	t     testing.TB
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan string
	said  *tail
	next  int
	close func() // ends the session, and waits until the wrapper is gone
}

// wrapped starts a client before a wrapper before the server, and says hello.
func (h *house) wrapped(name string, s *server, env []string) *client {
	h.t.Helper()
	return h.client(name, append([]string{program(h.t, "sallyport"), "wrap", "--name", name, "--client", "claude-desktop", "--"}, s.command()...), env)
}

// client starts a client before this command, whatever it is, and says hello. timeout(1) stands for the client's own process: it stays the
// parent of what it starts, and its environment is that of the desktop.
func (h *house) client(name string, argv, env []string) *client {
	h.t.Helper()
	return h.clientOf(name, append([]string{"timeout", "--foreground", "3600"}, argv...), env)
}

// clientOf is a client whose own process is this test: all that it starts so is of one client process.
func (h *house) clientOf(name string, argv, env []string) *client {
	h.t.Helper()
	c := &client{t: h.t, lines: make(chan string, 1024), said: new(tail)}
	c.cmd = exec.Command(argv[0], argv[1:]...)
	c.cmd.Env, c.cmd.Stderr, c.cmd.WaitDelay = env, c.said, time.Second
	in, err := c.cmd.StdinPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	c.in = in
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer close(c.lines)
		lines := bufio.NewReaderSize(out, 1<<16)
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				break
			}
			c.lines <- line
		}
		_ = c.cmd.Wait()
	}()
	c.close = sync.OnceFunc(func() {
		in.Close()
		go func() {
			for range c.lines { // lets the reader go
			}
		}()
		select {
		case <-ended:
		case <-time.After(patience):
			_ = c.cmd.Process.Kill()
			<-ended
			h.t.Errorf("the wrapper of %s did not end with its input", name)
		}
		if h.t.Failed() && c.said.String() != "" {
			h.t.Logf("the wrapper of %s said: %s", name, c.said)
		}
	})
	h.t.Cleanup(c.close)
	c.request("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"claude-ai","version":"1.0"}}`)
	c.write(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

func (c *client) write(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatalf("write to the wrapper: %v: %s", err, c.said)
	}
}

// request asks and waits for the answer. What the server asks or says meanwhile is nobody's concern here.
func (c *client) request(method, params string) string {
	c.t.Helper()
	c.next++
	id := strconv.Itoa(c.next)
	c.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params))
	deadline := time.After(patience)
	for {
		select {
		case line, ok := <-c.lines:
			if !ok {
				c.t.Fatalf("the wrapper ended before it answered %s: %s", method, c.said)
			}
			var answer struct {
				ID     json.RawMessage `json:"id"`
				Method string          `json:"method"`
			}
			if json.Unmarshal([]byte(line), &answer) == nil && answer.Method == "" && string(answer.ID) == id {
				return line
			}
		case <-deadline:
			c.t.Fatalf("%s was not answered within %s", method, patience)
		}
	}
}

func (c *client) call(tool, arguments string) string {
	c.t.Helper()
	return c.request("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, arguments))
}

// tools are the names in the client's listing, without the wrapper's own two.
func (c *client) tools() (names []string) {
	c.t.Helper()
	var listing struct {
		Result struct {
			Tools []struct {
				Name string `json:"name"`
			} `json:"tools"`
		} `json:"result"`
	}
	raw := c.request("tools/list", `{}`)
	if err := json.Unmarshal([]byte(raw), &listing); err != nil {
		c.t.Fatalf("no listing: %.300s", raw)
	}
	for _, tool := range listing.Result.Tools {
		if tool.Name != "approve_server_config" && tool.Name != "quarantine_release" {
			names = append(names, tool.Name)
		}
	}
	slices.Sort(names)
	return names
}

// refused calls a tool and wants our refusal with the item's code, at once.
func (c *client) refused(tool, arguments, code string) {
	c.t.Helper()
	answer := c.call(tool, arguments)
	if !strings.Contains(answer, `"isError":true`) || !strings.Contains(answer, "[Sallyport]") || !strings.Contains(answer, code) {
		c.t.Fatalf("a call of %s was not refused with %s: %.400s", tool, code, answer)
	}
}

// runs waits until a call goes through with this in its answer.
func (c *client) runs(tool, arguments, want string) {
	c.t.Helper()
	var answer string
	wait(c.t, "a call of "+tool+" runs", func() bool {
		answer = c.call(tool, arguments)
		return !strings.Contains(answer, `"isError":true`) && strings.Contains(answer, want)
	})
}
