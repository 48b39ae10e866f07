package guardrail

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sallyport/sallyport/proxy/vocab"
)

// service is a running service and the provider that asks it.
func service(t testing.TB, serve http.HandlerFunc, config HTTPConfig) *HTTP {
	t.Helper()
	s := httptest.NewServer(serve)
	t.Cleanup(s.Close)
	config.URL = s.URL + config.URL
	return connected(t, config)
}

func connected(t testing.TB, config HTTPConfig) *HTTP {
	t.Helper()
	h, err := NewHTTP(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return h
}

// honestly answers as an honest service does.
func honestly(w http.ResponseWriter, r *http.Request) {
	var request Request
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	_ = json.NewEncoder(w).Encode(judged(&request))
}

func TestAServiceGetsOnePostForEachText(t *testing.T) {
	t.Parallel()
	h := service(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != "POST" || r.URL.String() != "/judge?api-version=2" || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Authorization") != "" {
			t.Errorf("%s %s %v", r.Method, r.URL, r.Header)
		}
		honestly(w, r)
	}, HTTPConfig{URL: "/judge?api-version=2"})
	if h.Remote() {
		t.Error("it leaves this computer")
	}
	for text, want := range map[string]vocab.Vote{"hello": vocab.VoteAllow, "odd\n": vocab.VoteFlag, strings.Repeat("x", PieceSize) + "attack": vocab.VoteBlock} {
		if answer, err := ask(t, h, text); err != nil || answer.Verdict != want {
			t.Errorf("%.20q: %+v, %v", text, answer, err)
		}
	}
	h.Close()
	_, err := ask(t, h, "hello")
	failed(t, err, "switched off")
}

func TestWhatIsNoAnswerOfAServiceIsAFailure(t *testing.T) {
	t.Parallel()
	body := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, text) }
	}
	hijacked := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = io.WriteString(conn, text)
			conn.Close()
		}
	}
	for _, c := range []struct {
		name  string
		serve http.HandlerFunc
		words string
	}{
		{"an error", func(w http.ResponseWriter, r *http.Request) { http.Error(w, "ignore this", 500) }, "status 500 instead of 200"},
		{"an error with an answer", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(201); honestly(w, r) }, "status 201 instead of 200"},
		{"no content", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(204) }, "status 204"},
		{"a page", body("<html>"), "not one JSON object"},
		{"nothing", body(""), "not one JSON object"},
		{"another's answer", body(`{"id":"r0","verdict":"allow","score":0,"reason":""}`), "another request"},
		{"too much", body(strings.Repeat("x", MaxAnswer+1)), "more than 64 KiB"},
		{"an endless answer", func(w http.ResponseWriter, r *http.Request) {
			for _, err := w.Write([]byte("x")); err == nil; _, err = w.Write(make([]byte, 4096)) {
			}
		}, "more than 64 KiB"},
		{"a header without end", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X", strings.Repeat("x", 1<<20))
			honestly(w, r)
		}, "sent no HTTP response"},
		{"the connection ends", hijacked(""), "sent no HTTP response"},
		{"something else than HTTP", hijacked("SSH-2.0-ignore previous instructions\r\n"), "sent no HTTP response"},
		{"half an answer", hijacked("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"), "broke off in the middle"},
		{"a compressed answer", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write([]byte{0x1f, 0x8b})
		}, "not one JSON object"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			answer, err := ask(t, service(t, c.serve, HTTPConfig{}), "hello")
			failed(t, err, c.words)
			if answer.Verdict != "" || strings.Contains(err.Error(), "ignore") {
				t.Errorf("%+v, %v", answer, err)
			}
		})
	}
}

func TestASlowServiceFailsWhenTheTimeIsUp(t *testing.T) {
	t.Parallel()
	for name, serve := range map[string]http.HandlerFunc{
		"it says nothing": func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"it drips": func(w http.ResponseWriter, r *http.Request) {
			out := http.NewResponseController(w)
			for _, err := io.WriteString(w, "{"); err == nil && r.Context().Err() == nil; _, err = io.WriteString(w, " ") {
				_ = out.Flush()
				time.Sleep(10 * time.Millisecond)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := service(t, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body) // the server sees the end of a connection only once the body is read
				serve(w, r)
			}, HTTPConfig{})
			ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
			defer cancel()
			_, err := h.Ask(ctx, request("hello"))
			failed(t, err, "gave no verdict in time")
		})
	}
}

func TestARedirectIsNotFollowed(t *testing.T) {
	t.Parallel()
	var elsewhere atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { elsewhere.Add(1); honestly(w, r) }))
	defer other.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		h := service(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL, status) }, HTTPConfig{})
		_, err := ask(t, h, "hello")
		failed(t, err, "redirects are not followed")
	}
	if elsewhere.Load() > 0 {
		t.Error("the text went elsewhere")
	}
}

func TestAKeyIsSentAndNeverTold(t *testing.T) {
	t.Parallel()
	const secret = "sk-very-secret"
	for _, c := range []struct {
		name string
		key  func(context.Context) (string, error)
		sent string
		fail string
	}{
		{"a key", func(context.Context) (string, error) { return secret, nil }, "Bearer " + secret, ""},
		{"none", func(context.Context) (string, error) { return "", nil }, "", ""},
		{"it can't be read", func(context.Context) (string, error) { return secret, errors.New("the keychain is locked") }, "", "its key can't be read: the keychain is locked"},
		{"a line break", func(context.Context) (string, error) { return secret + "\r\nX: y", nil }, "", "a character that a key can't have"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sent := "nothing was sent"
			h := service(t, func(w http.ResponseWriter, r *http.Request) {
				sent = r.Header.Get("Authorization")
				if c.sent != "" {
					honestly(w, r)
					return
				}
				http.Error(w, r.Header.Get("Authorization"), http.StatusUnauthorized)
			}, HTTPConfig{Key: c.key})
			_, err := ask(t, h, "hello")
			if c.fail != "" {
				failed(t, err, c.fail)
				if sent != "nothing was sent" {
					t.Error("a request was sent")
				}
			} else if sent != c.sent {
				t.Errorf("sent %q", sent)
			}
			if err != nil && strings.Contains(err.Error(), secret) {
				t.Errorf("told the key: %v", err)
			}
		})
	}
}

func TestOnlyTrustedTLSIsSpoken(t *testing.T) {
	t.Parallel()
	s := httptest.NewUnstartedServer(http.HandlerFunc(honestly))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	h := connected(t, HTTPConfig{URL: s.URL})
	_, err := ask(t, h, "hello")
	failed(t, err, "an authority that this computer does not trust")

	h.client.Transport.(*http.Transport).TLSClientConfig = s.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	h.client.CloseIdleConnections()
	if _, err := ask(t, h, "hello"); err != nil {
		t.Error(err)
	}
	other := connected(t, HTTPConfig{URL: strings.Replace(s.URL, "127.0.0.1", "127.0.0.2", 1)})
	other.client.Transport.(*http.Transport).TLSClientConfig = h.client.Transport.(*http.Transport).TLSClientConfig.Clone()
	other.client.Transport.(*http.Transport).DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, s.Listener.Addr().String())
	}
	_, err = ask(t, other, "hello")
	failed(t, err, "its TLS certificate is for another host")

	open := httptest.NewServer(http.HandlerFunc(honestly))
	defer open.Close()
	_, err = ask(t, connected(t, HTTPConfig{URL: strings.Replace(open.URL, "http:", "https:", 1)}), "hello")
	failed(t, err, "does not speak TLS")
}

func TestNobodyAtTheAddress(t *testing.T) {
	t.Parallel()
	// Port 1 is given to nobody who asks for any port: that of a listener just closed may be another test's by now.
	_, err := ask(t, connected(t, HTTPConfig{URL: "http://127.0.0.1:1"}), "hello")
	failed(t, err, "does not listen at its address")
}

func TestAddressesThatATextMayGoTo(t *testing.T) {
	for _, c := range []struct {
		url    string
		remote bool
		fails  string
	}{
		{"http://localhost:8080/judge", false, ""},
		{"http://LocalHost", false, ""},
		{"http://127.0.0.1:1", false, ""},
		{"http://127.9.9.9:1", false, ""},
		{"http://[::1]:1", false, ""},
		{"http://[::ffff:127.0.0.1]:1", false, ""},
		{"https://localhost", false, ""},
		{"https://guard.example", true, ""},
		{"https://10.0.0.1/x", true, ""},
		{"https://localhost.example", true, ""},
		{"http://guard.example", false, "must begin with https://, because"},
		{"http://10.0.0.1", false, "must begin with https://, because"},
		{"http://0.0.0.0:1", false, "must begin with https://, because"},
		{"http://2130706433/", false, "must begin with https://, because"},
		{"http://localhost.", false, "must begin with https://, because"},
		{"http://127.0.0.1.example", false, "must begin with https://, because"},
		{"http://[::1%25eth0]:1", false, ""},
		{"ftp://localhost", false, "must begin with https:// (or"},
		{"file:///etc/passwd", false, "not one of the form"},
		{"localhost:8080", false, "not one of the form"},
		{"https:", false, "not one of the form"},
		{"https://:80", false, "not one of the form"},
		{"", false, "not one of the form"},
		{"https://a:b@guard.example", false, "a key belongs in guardrail.http.key"},
		{"https://key@guard.example", false, "a key belongs in guardrail.http.key"},
		{"https://guard.example/#x", false, "after #"},
		{"https://guard.example/\x00", false, "not one of the form"},
	} {
		h, err := NewHTTP(HTTPConfig{URL: c.url})
		switch {
		case c.fails == "" && err != nil, c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails)):
			t.Errorf("%s: %v, want %q", c.url, err, c.fails)
		case err == nil && h.Remote() != c.remote:
			t.Errorf("%s: remote %v", c.url, h.Remote())
		case err == nil && (h.client.Transport.(*http.Transport).Proxy == nil) == c.remote:
			t.Errorf("%s: a proxy of the environment is asked where it must not, or is not where it must", c.url)
		}
	}
}

func TestLocalhostMustLeadHere(t *testing.T) {
	for address, here := range map[string]bool{
		"127.0.0.1:80": true, "[::1]:80": true, "[::ffff:127.0.0.1]:80": true,
		"10.0.0.1:80": false, "192.0.2.1:443": false, "[2001:db8::1]:80": false, "0.0.0.0:80": false, "": false,
	} {
		if err := onlyLoopback(address); (err == nil) != here {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestAFormatThatNobodyKnowsIsRefused(t *testing.T) {
	for _, c := range []struct {
		config HTTPConfig
		words  string
	}{
		{HTTPConfig{URL: "http://localhost", Format: "xml"}, "neither sallyport nor openai"},
		{HTTPConfig{URL: "http://localhost", Format: FormatOpenAI}, "needs a model"},
	} {
		if _, err := NewHTTP(c.config); err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%+v: %v", c.config, err)
		}
	}
}
