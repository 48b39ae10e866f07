package e2e

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sallyport/sallyport/app/oauth/issuer"
	"github.com/sallyport/sallyport/proxy/keychain/ring"
)

// No token, code, verifier or client secret of a sign-in is in a file, argument, environment, log, record or output; no refresh token is in a
// wrapper's memory. With a keychain they are there, without one in the sealed file.
func TestTheSecretsOfASignInStayWhereTheyBelong(t *testing.T) {
	for _, c := range []struct {
		name, kept string
		env        func(t *testing.T) []string
	}{
		{"with a gnome-keyring", "keychain", func(t *testing.T) []string {
			bus := ring.StartBus(t, "")
			bus.Keyring()
			return []string{"DBUS_SESSION_BUS_ADDRESS=" + bus.Address}
		}},
		{"without a keychain", "file", func(*testing.T) []string { return []string{"SALLYPORT_KEYCHAIN=off"} }},
	} {
		t.Run(c.name, func(t *testing.T) {
			clock := startChanging(t)
			to, _ := url.Parse(clock.URL)
			proxy := httputil.NewSingleHostReverseProxy(to)
			var echo atomic.Int32 // 1: in an error page, 2: in a response
			i := behind(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				r.Body = io.NopCloser(bytes.NewReader(body))
				token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
				_, id, _ := strings.Cut(string(body), `"id":`)
				switch calls := bytes.Contains(body, []byte(`"tools/call"`)); {
				case calls && echo.Load() == 1:
					http.Error(w, "you sent "+token, http.StatusInternalServerError)
				case calls && echo.Load() == 2:
					w.Header().Set("Content-Type", "application/json")
					fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%q}]}}`, id[:strings.IndexAny(id, ",}")], "you sent "+token)
				default:
					proxy.ServeHTTP(w, r)
				}
			}), issuer.Knobs{Scopes: []string{"time"}})
			i.Know("our-client", "hush-client-secret-0123456789", "")
			home, err := os.MkdirTemp(scratch, "h")
			if err != nil {
				t.Fatal(err)
			}
			h := installWith(t, "", filepath.Join(home, "home"), append(c.env(t), "OUR_CLIENT_SECRET=hush-client-secret-0123456789"))
			dir := emptyFolder(t)
			s := launch(t, dir, h.env(), h.wrapURL(i.Resource, "--name", "clock"))
			s.handshake("2025-11-25")
			for _, set := range [][]string{{"auth.client_id", "our-client"}, {"auth.client_secret", "env:OUR_CLIENT_SECRET"}} {
				if out, code := h.run("settings", "set", set[0], set[1], "--server", "clock", "--yes"); code != 0 {
					t.Fatalf("settings: status %d: %s", code, out)
				}
			}
			out, code := h.login(i, "clock")
			if code != 0 {
				t.Fatalf("auth login: status %d: %s", code, out)
			}
			wait(t, "the server is in the inbox", func() bool { items := h.inbox(); return len(items) == 1 && items[0].Kind == "new_server" })
			h.approve()
			pass := func() {
				t.Helper()
				wait(t, "a call passes", func() bool { return strings.Contains(s.call("now", `{}`), "noon") })
			}
			pass()
			for range 2 {
				i.Expire()
				pass()
			}
			if out, code := h.run("settings", "set", "activity.payloads", "on", "--yes"); code != 0 {
				t.Fatalf("settings: status %d: %s", code, out)
			}
			echo.Store(2)
			wait(t, "the client reads what it sent", func() bool { return strings.Contains(s.call("now", `{}`), "you sent") })
			echo.Store(1)
			s.call("now", `{}`)
			wait(t, "the log has what the server said", func() bool { out, _ := h.run("logs", "clock"); return strings.Contains(out, "you sent") })
			echo.Store(0)
			pass()
			if in := h.signIns(); len(in) != 1 || in[0].Kept != c.kept {
				t.Errorf("kept: %+v", in)
			}
			printed := out
			for _, args := range [][]string{{"auth", "status"}, {"auth", "status", "--json"}, {"activity", "list", "--json"}, {"activity", "export"}, {"status"}, {"servers", "--json"}, {"logs", "clock"}, {"doctor"}, {"settings", "list"}} {
				out, _ := h.run(args...)
				printed += out
			}
			secrets := secretsOf(i)
			for _, kind := range []string{"access token", "refresh token", "code", "code_verifier"} {
				if len(secrets[kind]) == 0 {
					t.Fatalf("the issuer saw no %s: the test looks for nothing", kind)
				}
			}
			secrets["client secret"] = []string{"hush-client-secret-0123456789"}
			for kind, values := range secrets {
				for _, value := range values {
					if found := spelled([]byte(printed), value); found != "" {
						t.Errorf("a %s is printed (%s)", kind, found)
					}
					for path, what := range everyFile(t, h.path) {
						if found := spelled(what, value); found != "" {
							t.Errorf("a %s is in %s (%s)", kind, path, found)
						}
					}
					for _, pid := range append([]int{h.process.Pid}, s.cmd.Process.Pid) {
						for _, file := range []string{"cmdline", "environ"} {
							if kind == "client secret" { // the test put it there
								continue
							}
							raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
							if found := spelled(raw, value); found != "" {
								t.Errorf("a %s is in %s (%s)", kind, file, found)
							}
						}
					}
				}
			}
			for _, kind := range []string{"refresh token", "code", "code_verifier"} {
				if n := inMemory(t, s.cmd.Process.Pid, secrets[kind]); n > 0 {
					t.Errorf("%d times a %s is in the wrapper's memory", n, kind)
				}
			}
			last := secrets["access token"][len(secrets["access token"])-1]
			if inMemory(t, s.cmd.Process.Pid, []string{last}) == 0 {
				t.Error("not even the access token is found in the wrapper's memory: the test looks at nothing")
			}
		})
	}
}

// secretsOf are the secrets that an issuer and its resource were shown, by kind.
func secretsOf(i *issuer.Issuer) map[string][]string {
	of := map[string][]string{}
	add := func(kind, value string) {
		if value != "" {
			of[kind] = append(of[kind], value)
		}
	}
	for _, r := range i.Seen() {
		add("code", r.Form.Get("code"))
		add("code_verifier", r.Form.Get("code_verifier"))
		add("refresh token", r.Form.Get("refresh_token"))
		if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
			add("access token", token)
		}
	}
	return of
}

// spelled says how a value is in a text: plain, in base64 at any offset, or in hex; "" if it is not.
func spelled(text []byte, value string) string {
	switch {
	case bytes.Contains(text, []byte(value)):
		return "plain"
	case bytes.Contains(bytes.ToLower(text), []byte(hex.EncodeToString([]byte(value)))):
		return "hex"
	}
	for shift := range 3 { // what comes before it decides where the groups of three bytes begin
		inner := value[(3-shift)%3:]
		inner = inner[:len(inner)-len(inner)%3]
		for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
			if bytes.Contains(text, []byte(encoding.EncodeToString([]byte(inner)))) {
				return "base64"
			}
		}
	}
	return ""
}

// everyFile is the content of each file of a folder.
func everyFile(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		files[path], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// inMemory counts how often values are in the writable memory of a process.
func inMemory(t *testing.T, pid int, values []string) (n int) {
	t.Helper()
	maps, err := os.Open(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		t.Fatal(err)
	}
	defer maps.Close()
	memory, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		t.Skipf("the memory of a process can't be read here: %v", err)
	}
	defer memory.Close()
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		var from, to int64
		var rights string
		if _, err := fmt.Sscanf(lines.Text(), "%x-%x %s", &from, &to, &rights); err != nil || !strings.HasPrefix(rights, "rw") || to-from > 1<<30 {
			continue
		}
		piece := make([]byte, to-from)
		if _, err := memory.ReadAt(piece, from); err != nil {
			continue
		}
		for _, value := range values {
			n += bytes.Count(piece, []byte(value))
		}
	}
	return n
}
