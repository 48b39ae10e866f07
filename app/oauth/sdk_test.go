package oauth

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/address"
)

// installed is a path below .cache, where `make test` installs real servers.
func installed(t *testing.T, parts ...string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(append([]string{"..", "..", ".cache"}, parts...)...))
	if err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(path)
	if err != nil || len(found) == 0 || testing.Short() {
		t.Skip(filepath.Join(parts...) + " is not installed below .cache; `make test` installs it")
	}
	return found[0]
}

// freePort is a port that nothing listens on.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// started runs a server until the test ends, and waits until it responds.
func started(t *testing.T, server string, run *exec.Cmd) {
	t.Helper()
	var out strings.Builder
	run.Stdout, run.Stderr = &out, &out
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = run.Process.Kill()
		_ = run.Wait()
		if t.Failed() {
			t.Log(out.String())
		}
	})
	for over := time.Now().Add(60 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		if got, err := http.Get(server); err == nil {
			got.Body.Close()
			return
		}
		if time.Now().After(over) {
			t.Fatal("the server of the SDK did not start")
		}
	}
}

const initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`

// ask begins a session, with a token.
func ask(t *testing.T, server, token string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server, strings.NewReader(initialize))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	got.Body.Close()
	return got
}

// discovered is a client of a server that asks for a sign-in, and what it found about that.
func discovered(ctx context.Context, t *testing.T, server string) (*Client, Plan) {
	t.Helper()
	u, err := address.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	c := New(Options{Server: u})
	refused := ask(t, server, "")
	p, err := c.Discover(ctx, ParseChallenge(refused.Header.Values("WWW-Authenticate")), "")
	if err != nil || refused.StatusCode != http.StatusUnauthorized {
		t.Fatal(refused.StatusCode, err)
	}
	return c, p
}

func TestASignInToTheOfficialPythonSDK(t *testing.T) {
	port := freePort(t)
	server := "http://127.0.0.1:" + port + "/mcp"
	started(t, server, exec.Command(installed(t, "venv", "bin", "python"), filepath.Join("testdata", "sdk.py"), port))
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	c, p := discovered(ctx, t, server)
	if p.Resource != server || p.Issuer+"/mcp" != server || !slices.Equal(p.Scopes, []string{"notes", "offline_access"}) || p.RevocationEndpoint == "" {
		t.Errorf("%+v", p)
	}
	var before Registration
	for range 2 { // the second registers anew: the SDK compares the port of the redirect address
		a, err := c.Begin(ctx, p, Setup{})
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		if a.Registration().ClientID == before.ClientID {
			t.Error("the registration of another address was used")
		}
		before = a.Registration()
		got, err := http.Get(a.URL())
		if err != nil {
			t.Fatal(err)
		}
		page, _ := io.ReadAll(got.Body)
		got.Body.Close()
		if got.StatusCode != http.StatusOK || !strings.Contains(string(page), pageDone) {
			t.Fatalf("%d: %s", got.StatusCode, page)
		}
		tokens, err := a.Wait(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if got := ask(t, server, tokens.Access).StatusCode; got != http.StatusOK {
			t.Errorf("with a token: %d", got)
		}
		if left := time.Until(tokens.Expires); left < 30*time.Second || left > time.Minute {
			t.Errorf("it expires in %s", left)
		}
		for range 3 {
			next, err := c.Refresh(ctx, p, before, tokens.Refresh)
			if err != nil || next.Refresh == tokens.Refresh || ask(t, server, next.Access).StatusCode != http.StatusOK {
				t.Fatal(err)
			}
			tokens = next
		}
		if offered, err := c.Revoke(ctx, p, before, tokens); !offered || err != nil {
			t.Error(offered, err)
		}
		if got := ask(t, server, tokens.Access).StatusCode; got != http.StatusUnauthorized {
			t.Errorf("after the sign-out: %d", got)
		}
		if _, err := c.Refresh(ctx, p, before, tokens.Refresh); !errors.Is(err, ErrInvalidGrant) {
			t.Error(err)
		}
	}
}

// The TypeScript SDK's example names its issuer with a slash at the end, lives at localhost and refreshes nothing.
func TestASignInToTheExampleOfTheTypeScriptSDK(t *testing.T) {
	port, issuer := freePort(t), freePort(t)
	server := "http://localhost:" + port + "/mcp"
	run := exec.Command(installed(t, "npm", "node_modules", "node-*", "bin", "node"),
		installed(t, "npm", "node_modules", "@modelcontextprotocol", "sdk", "dist", "esm", "examples", "server", "simpleStreamableHttp.js"), "--oauth", "--oauth-strict")
	run.Env = append(os.Environ(), "MCP_PORT="+port, "MCP_AUTH_PORT="+issuer)
	started(t, server, run)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	c, p := discovered(ctx, t, server)
	if p.Issuer != "http://localhost:"+issuer+"/" || p.Resource != server {
		t.Errorf("%+v", p)
	}
	a, err := c.Begin(ctx, p, Setup{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	got, err := http.Get(a.URL())
	if err != nil {
		t.Fatal(err)
	}
	got.Body.Close()
	tokens, err := a.Wait(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if got := ask(t, server, tokens.Access).StatusCode; got != http.StatusOK {
		t.Errorf("with a token: %d", got)
	}
	if _, err := c.Refresh(ctx, p, a.Registration(), "unknown"); err == nil || errors.Is(err, ErrInvalidGrant) || tokens.Refresh != "" {
		t.Errorf("%q, %v", tokens.Refresh, err)
	}
}
