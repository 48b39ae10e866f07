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

// sdk starts a server of the official Python SDK that wants a sign-in.
func sdk(t *testing.T) (server string) {
	t.Helper()
	python, err := filepath.Abs(filepath.Join("..", "..", ".cache", "venv", "bin", "python"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(python); err != nil || testing.Short() {
		t.Skip("the Python SDK is not installed below .cache; `make test` installs it")
	}
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	l.Close()
	var out strings.Builder
	run := exec.Command(python, filepath.Join("testdata", "sdk.py"), port)
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
	server = "http://127.0.0.1:" + port + "/mcp"
	for over := time.Now().Add(60 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		if got, err := http.Get(server); err == nil {
			got.Body.Close()
			return server
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

func TestASignInToTheOfficialPythonSDK(t *testing.T) {
	server := sdk(t)
	u, err := address.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	c := New(Options{Server: u})
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	refused := ask(t, server, "")
	p, err := c.Discover(ctx, ParseChallenge(refused.Header.Values("WWW-Authenticate")), "")
	if err != nil || refused.StatusCode != http.StatusUnauthorized {
		t.Fatal(refused.StatusCode, err)
	}
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
