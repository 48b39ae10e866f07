//go:build linux

package e2e

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sallyport/sallyport/app/oauth/issuer"
)

// behind starts an issuer with a real server behind the sign-in.
func behind(t *testing.T, to http.Handler, knobs issuer.Knobs) *issuer.Issuer {
	t.Helper()
	i, err := issuer.Start(issuer.Options{Resource: to, Knobs: knobs})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(i.Close)
	return i
}

// login signs in as a person does: `auth login` prints the page, and the person's browser visits it.
func (h *installation) login(i *issuer.Issuer, server string) (out string, code int) {
	h.t.Helper()
	return h.loginBy(server, func(page string) (string, int, error) { return i.Visit(context.Background(), page) })
}

// loginBy is login with a browser of the test's own.
func (h *installation) loginBy(server string, visit func(page string) (text string, status int, err error)) (out string, code int) {
	h.t.Helper()
	cmd := exec.Command(h.binary(), "auth", "login", server, "--no-browser", "--yes")
	cmd.Env = environment(h.env()...)
	said := new(tail)
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { cmd.Wait(); close(ended) }()
	page := ""
	wait(h.t, "the page is printed", func() bool {
		select {
		case <-ended:
			return true
		default:
		}
		_, after, found := strings.Cut(said.String(), "Sign in on this page: ")
		line, _, whole := strings.Cut(after, "\n")
		page = line
		return found && whole
	})
	if page != "" {
		if text, status, err := visit(page); err != nil || status != 200 && !strings.Contains(text, "Sallyport says why") {
			h.t.Errorf("the page: status %d, %v: %s", status, err, short(text))
		}
	}
	<-ended
	return said.String(), cmd.ProcessState.ExitCode()
}

// signIns is what `auth status --json` says.
func (h *installation) signIns() []signInStatus {
	h.t.Helper()
	out, _ := h.told("auth", "status", "--json")
	var all struct{ Items []signInStatus }
	if err := json.Unmarshal([]byte(out), &all); err != nil {
		h.t.Fatalf("auth status: %v: %s", err, out)
	}
	return all.Items
}

type signInStatus struct {
	Server   string `json:"server"`
	Identity string `json:"identity"`
	SignedIn bool   `json:"signed_in"`
	Wanted   bool   `json:"wanted"`
	Code     string `json:"code"`
	Kept     string `json:"kept"`
	Problem  string `json:"problem"`
}

// Ten wrappers started at once cause one item, one registration, one page, one code, then one refresh at each end of a token's life, and kill -9 of the
// hub loses no sign-in and uses no token twice.
func TestOneSignInServesTenWrappers(t *testing.T) {
	t.Parallel()
	clock := startChanging(t)
	to, _ := url.Parse(clock.URL)
	const lifetime = 6 * time.Second
	i := behind(t, httputil.NewSingleHostReverseProxy(to), issuer.Knobs{Lifetime: lifetime, Scopes: []string{"time"}})
	h, dir := install(t), emptyFolder(t)
	const wrappers = 10
	sessions := make([]*session, wrappers)
	var all sync.WaitGroup
	for n := range wrappers {
		sessions[n] = launch(t, dir, h.env(), h.wrapURL(i.Resource, "--name", "clock"))
		all.Go(func() { sessions[n].handshake("2025-11-25") })
	}
	all.Wait()
	if items := h.inbox(); len(items) != 1 || items[0].Kind != "login" {
		t.Fatalf("items: %+v", items)
	}
	for _, s := range sessions {
		if names := toolNames(t, s.request("tools/list", `{}`)); len(names) > 2 {
			t.Errorf("before the sign-in: %q", names)
		}
		if got := s.call("now", `{}`); !strings.Contains(got, "wants the user to sign in") || !strings.Contains(got, h.inbox()[0].Code) {
			t.Errorf("a call before the sign-in: %s", short(got))
		}
	}
	if n := i.Count(issuer.Metadata); n != 1 {
		t.Errorf("where to sign in was found out %d times", n)
	}
	if i.Count(issuer.Pages) != 0 || i.Count(issuer.Registrations) != 0 {
		t.Error("a server had us register or open a page without a person")
	}
	if out, code := h.login(i, "clock"); code != 0 || !strings.Contains(out, "Signed in to clock") {
		t.Fatalf("auth login: status %d: %s", code, out)
	}
	wait(t, "the server is in the inbox", func() bool { items := h.inbox(); return len(items) == 1 && items[0].Kind == "new_server" })
	h.approve()
	allWork := func(when string) {
		t.Helper()
		var all sync.WaitGroup
		for _, s := range sessions {
			all.Go(func() {
				wait(t, "a call passes "+when, func() bool { return strings.Contains(s.call("now", `{}`), "noon") })
			})
		}
		all.Wait()
	}
	allWork("after the sign-in")
	for what, want := range map[string]int{issuer.Registrations: 1, issuer.Pages: 1, issuer.Codes: 1, issuer.Exchanges: 1, issuer.Refreshes: 0} {
		if got := i.Count(what); got != want {
			t.Errorf("%s: %d, not %d", what, got, want)
		}
	}
	for n := range 3 {
		i.Expire()
		allWork("after a token ran out")
		if got := i.Count(issuer.Refreshes); got != n+1 {
			t.Errorf("after %d tokens there were %d refreshes", n+1, got)
		}
		if n == 1 {
			h.process.Kill()
			wait(t, "the hub is gone", func() bool { _, code := h.run("status"); return code == 1 })
			h.hub()
		}
	}
	if i.Count(issuer.Reused) != 0 || i.Count(issuer.Refused) != 0 {
		t.Errorf("refresh tokens were used again %d times, %d refused", i.Count(issuer.Reused), i.Count(issuer.Refused))
	}
	for _, in := range h.signIns() {
		if !in.SignedIn || in.Wanted {
			t.Errorf("auth status: %+v", in)
		}
	}
	if out, code := h.run("auth", "logout", "clock"); code != 0 {
		t.Errorf("auth logout: status %d: %s", code, out)
	}
	if i.Count(issuer.Revoked) == 0 {
		t.Error("the issuer was not told")
	}
	for _, s := range sessions {
		if got := s.call("now", `{}`); !strings.Contains(got, "sign in") {
			t.Errorf("after signing out: %s", short(got))
		}
	}
}

// signedIn is a session with a server behind a sign-in that a person has made.
func signedIn(t *testing.T, knobs issuer.Knobs) (h *installation, i *issuer.Issuer, s *session) {
	t.Helper()
	clock := startChanging(t)
	to, _ := url.Parse(clock.URL)
	i = behind(t, httputil.NewSingleHostReverseProxy(to), knobs)
	h = install(t)
	s = launch(t, emptyFolder(t), h.env(), h.wrapURL(i.Resource, "--name", "clock"))
	s.handshake("2025-11-25")
	if out, code := h.login(i, "clock"); code != 0 {
		t.Fatalf("auth login: status %d: %s", code, out)
	}
	wait(t, "the server is in the inbox", func() bool { items := h.inbox(); return len(items) == 1 && items[0].Kind == "new_server" })
	h.approve()
	wait(t, "a call passes", func() bool { return strings.Contains(s.call("now", `{}`), "noon") })
	return h, i, s
}

func TestAnIssuerThatDoesNotRespondChangesNothing(t *testing.T) {
	t.Parallel()
	h, i, s := signedIn(t, issuer.Knobs{Scopes: []string{"time"}})
	i.Set(func(k *issuer.Knobs) { k.Before = 15 * time.Second })
	if got := s.call("now", `{}`); !strings.Contains(got, "noon") {
		t.Errorf("a call with a token that still counts: %s", short(got))
	}
	i.Expire()
	if got := s.call("now", `{}`); !strings.Contains(got, "the sign-in can't be renewed") {
		t.Errorf("a call while the issuer is silent: %s", short(got))
	}
	if in, items := h.signIns(), h.inbox(); len(in) != 1 || !in[0].SignedIn || in[0].Wanted || len(items) != 0 {
		t.Errorf("while the issuer is silent: %+v, items %+v", in, items)
	}
	i.Set(func(k *issuer.Knobs) { k.Before = 0 })
	if got := s.call("now", `{}`); !strings.Contains(got, "noon") || i.Count(issuer.Refreshes) != 1 || i.Count(issuer.Reused) != 0 {
		t.Errorf("once it responds again: %s, %d refreshes", short(got), i.Count(issuer.Refreshes))
	}
}

func TestACallThatNeedsMoreIsRefusedUntilAPersonAllowsMore(t *testing.T) {
	t.Parallel()
	h, i, s := signedIn(t, issuer.Knobs{Scopes: []string{"time", "write"}, Needs: func(*http.Request) []string { return []string{"time"} }})
	i.Set(func(k *issuer.Knobs) { k.Needs = func(*http.Request) []string { return []string{"time", "write"} } })
	code := ""
	for range 3 {
		got := s.call("now", `{}`)
		items := h.inbox()
		if len(items) != 1 || items[0].Kind != "login" || !strings.Contains(got, items[0].Code) || code != "" && items[0].Code != code {
			t.Fatalf("a call that needs more: %s, items %+v", short(got), items)
		}
		code = items[0].Code
	}
	if out, _ := h.run("show", code); !strings.Contains(out, "time write") || !strings.Contains(out, "you allowed") {
		t.Errorf("show: %s", out)
	}
	if out, status := h.login(i, "clock"); status != 0 {
		t.Fatalf("auth login: status %d: %s", status, out)
	}
	if got := s.call("now", `{}`); !strings.Contains(got, "noon") || len(h.inbox()) != 0 {
		t.Errorf("after allowing more: %s, items %+v", short(got), h.inbox())
	}
}

func TestASignInThatIsRefusedOrRevokedIsAskedForOnce(t *testing.T) {
	t.Parallel()
	h, i, s := signedIn(t, issuer.Knobs{Scopes: []string{"time"}})
	if out, code := h.run("auth", "logout", "clock"); code != 0 {
		t.Fatalf("auth logout: status %d: %s", code, out)
	}
	if got := s.call("now", `{}`); !strings.Contains(got, "sign in") {
		t.Errorf("after signing out: %s", short(got))
	}
	items := h.inbox()
	if len(items) != 1 || items[0].Kind != "login" {
		t.Fatalf("items: %+v", items)
	}
	if out, code := h.run("approve", items[0].Code, "--yes"); code == 0 || !strings.Contains(out, "auth login") {
		t.Errorf("approve: status %d: %s", code, out)
	}
	if out, code := h.run("reject", items[0].Code, "--yes"); code != 0 {
		t.Fatalf("reject: status %d: %s", code, out)
	}
	other := launch(t, emptyFolder(t), h.env(), h.wrapURL(i.Resource, "--name", "clock"))
	other.handshake("2025-11-25")
	if got := other.call("now", `{}`); !strings.Contains(got, items[0].Code) {
		t.Errorf("a call after the person refused: %s", short(got))
	}
	if again := h.inbox(); len(again) != 0 {
		t.Errorf("asked again: %+v", again)
	}
	i.Set(func(k *issuer.Knobs) { k.Denies = true })
	if out, code := h.login(i, "clock"); code != 1 || !strings.Contains(out, "was declined") {
		t.Errorf("declined on the page: status %d: %s", code, out)
	}
	i.Set(func(k *issuer.Knobs) { k.Denies = false })
	if out, code := h.login(i, "clock"); code != 0 {
		t.Errorf("auth login: status %d: %s", code, out)
	}
	for _, s := range []*session{s, other} {
		wait(t, "a call passes", func() bool { return strings.Contains(s.call("now", `{}`), "noon") })
	}
}

// A second account at the same address is another server: a review, a sign-in and a token of its own.
func TestTwoAccountsAtOneAddressAreTwoServers(t *testing.T) {
	t.Parallel()
	clock := startChanging(t)
	to, _ := url.Parse(clock.URL)
	i := behind(t, httputil.NewSingleHostReverseProxy(to), issuer.Knobs{Scopes: []string{"time"}})
	h, dir := install(t), emptyFolder(t)
	accounts := []string{"work", "home"}
	sessions := map[string]*session{}
	for n, account := range accounts {
		s := launch(t, dir, h.env(), h.wrapURL(i.Resource, "--name", "clock", "--account", account))
		s.handshake("2025-11-25")
		sessions[account] = s
		if items := h.inbox(); len(items) != n+1 || items[n].Kind != "login" {
			t.Fatalf("items: %+v", items)
		}
	}
	if out, code := h.run("auth", "login", "clock", "--no-browser", "--yes"); code == 0 || !strings.Contains(out, "2 servers are called clock") {
		t.Errorf("a sign-in at either of the two: status %d: %s", code, out)
	}
	for _, item := range h.inbox() {
		out, _ := h.run("show", item.Code)
		_, words, _ := strings.Cut(out, "sallyport auth login '")
		name, _, _ := strings.Cut(words, "'")
		if said, _ := h.run("auth", "status", name); !strings.Contains(said, "wants a sign-in") {
			t.Errorf("the review names it %q: %s", name, said)
		}
	}
	identity := func(account string) string { return "url:" + i.Resource + " account:" + account }
	if out, code := h.login(i, identity("work")); code != 0 {
		t.Fatalf("auth login: status %d: %s", code, out)
	}
	review := func() {
		t.Helper()
		code := ""
		wait(t, "the server is in the inbox", func() bool {
			for _, item := range h.inbox() {
				if item.Kind == "new_server" {
					code = item.Code
				}
			}
			return code != ""
		})
		if out, status := h.run("approve", code, "--all", "--yes"); status != 0 {
			t.Fatalf("approve: status %d: %s", status, out)
		}
	}
	review()
	wait(t, "a call passes", func() bool { return strings.Contains(sessions["work"].call("now", `{}`), "noon") })
	if got := sessions["home"].call("now", `{}`); !strings.Contains(got, "wants the user to sign in") {
		t.Errorf("a call of the other account: %s", short(got))
	}
	if out, code := h.login(i, identity("home")); code != 0 {
		t.Fatalf("auth login: status %d: %s", code, out)
	}
	wait(t, "the other server is in the inbox", func() bool { items := h.inbox(); return len(items) == 1 && items[0].Kind == "new_server" })
	if out, _ := h.run("show", h.inbox()[0].Code); !strings.Contains(out, " account:home") {
		t.Errorf("the review does not say which account it is about: %s", out)
	}
	if got := sessions["home"].call("now", `{}`); strings.Contains(got, "noon") {
		t.Errorf("a call passed that was allowed to the other account: %s", short(got))
	}
	review()
	wait(t, "a call passes", func() bool { return strings.Contains(sessions["home"].call("now", `{}`), "noon") })
	if n := i.Count(issuer.Exchanges); n != 2 {
		t.Errorf("%d codes were exchanged", n)
	}
	if out, code := h.run("auth", "logout", identity("work")); code != 0 {
		t.Fatalf("auth logout: status %d: %s", code, out)
	}
	if got := sessions["work"].call("now", `{}`); !strings.Contains(got, "sign in") {
		t.Errorf("after signing out: %s", short(got))
	}
	if got := sessions["home"].call("now", `{}`); !strings.Contains(got, "noon") {
		t.Errorf("the other account was signed out too: %s", short(got))
	}
	for _, in := range h.signIns() {
		if in.SignedIn != strings.HasSuffix(in.Identity, " account:home") {
			t.Errorf("auth status: %+v", in)
		}
	}
}

// The authorization server of the official Python SDK: a sign-in through the real wrapper, tokens that run out, and a sign-out.
func TestASignInAtTheOfficialPythonSDKThroughTheWrapper(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a real server")
	}
	t.Parallel()
	program, err := filepath.Abs(filepath.Join("..", "..", "..", "app", "oauth", "testdata", "sdk.py"))
	if err != nil {
		t.Fatal(err)
	}
	const lifetime = 4 * time.Second
	server := "http://127.0.0.1:" + serve(t, append(os.Environ(), "SECONDS=4"), func(port string) []string {
		return []string{cache(t, "venv", "bin", "python"), "-W", "ignore", program, port}
	}) + "/mcp"
	h := install(t)
	sessions := []*session{launch(t, emptyFolder(t), h.env(), h.wrapURL(server, "--name", "notes")), launch(t, emptyFolder(t), h.env(), h.wrapURL(server, "--name", "notes"))}
	for _, s := range sessions {
		s.handshake("2025-11-25")
	}
	if items := h.inbox(); len(items) != 1 || items[0].Kind != "login" {
		t.Fatalf("items: %+v", items)
	}
	if got := sessions[0].call("note", `{}`); !strings.Contains(got, "wants the user to sign in") {
		t.Errorf("a call before the sign-in: %s", short(got))
	}
	out, code := h.loginBy("notes", func(page string) (string, int, error) {
		got, err := http.Get(page)
		if err != nil {
			return "", 0, err
		}
		defer got.Body.Close()
		text, err := io.ReadAll(got.Body)
		return string(text), got.StatusCode, err
	})
	if code != 0 || !strings.Contains(out, "Signed in to notes") {
		t.Fatalf("auth login: status %d: %s", code, out)
	}
	wait(t, "the server is in the inbox", func() bool { items := h.inbox(); return len(items) == 1 && items[0].Kind == "new_server" })
	h.approve()
	for _, s := range sessions {
		wait(t, "a call passes", func() bool { return strings.Contains(s.call("note", `{}`), "a note") })
	}
	for over := time.Now().Add(2*lifetime + time.Second); time.Now().Before(over); time.Sleep(200 * time.Millisecond) { // a refresh token that came twice would end everything
		for _, s := range sessions {
			if got := s.call("note", `{}`); !strings.Contains(got, "a note") {
				t.Fatalf("a call while tokens run out: %s", short(got))
			}
		}
	}
	if in := h.signIns(); len(in) != 1 || !in[0].SignedIn || len(h.inbox()) != 0 {
		t.Errorf("auth status: %+v", in)
	}
	if out, code := h.run("auth", "logout", "notes"); code != 0 {
		t.Fatalf("auth logout: status %d: %s", code, out)
	}
	for _, s := range sessions {
		if got := s.call("note", `{}`); !strings.Contains(got, "sign in") {
			t.Errorf("after signing out: %s", short(got))
		}
	}
}
