package e2e

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// A key that a person stored where there is no keychain is sent to its server, and is in no file that can be read.
func TestAStoredSecretReachesItsServerAndNoFile(t *testing.T) {
	t.Parallel()
	const value = "sk-sealed-4711-value"
	h, dir, clock := install(t), emptyFolder(t), startChanging(t)
	var mu sync.Mutex
	got := map[string]int{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		got[r.Header.Get("Authorization")]++
		mu.Unlock()
		clock.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	header := []string{"--header", "Authorization: Bearer keychain:clock-key"}

	const hello = `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`
	early := launch(t, dir, h.env(), h.wrapURL(server.URL, header...))
	if answer := early.request("initialize", hello); !strings.Contains(answer, "keychain:clock-key: it is not in secrets.sealed") || len(got) != 0 {
		t.Errorf("before it is stored: %s", answer)
	}
	early.hangUp(false)

	set := exec.Command(sallyport(t), "secret", "set", "clock-key")
	set.Env, set.Stdin = environment(h.env()...), strings.NewReader(value+"\n")
	if out, err := set.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s := launch(t, dir, h.env(), h.wrapURL(server.URL, header...))
	s.handshake("2025-11-25")
	s.request("tools/list", `{}`)
	wait(t, "the server is in the inbox", func() bool { return len(h.inbox()) == 1 })
	s.hangUp(true)
	mu.Lock()
	if len(got) != 1 || got["Bearer "+value] == 0 {
		t.Errorf("the server got %d other values", len(got))
	}
	mu.Unlock()

	forms := [][]byte{[]byte(value), []byte(hex.EncodeToString([]byte(value))), []byte(base64.StdEncoding.EncodeToString([]byte(value))[:20])}
	sealed := false
	err := filepath.WalkDir(h.path, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil // a file of the hub's that is gone again
		}
		raw, _ := os.ReadFile(path)
		for _, form := range forms {
			if bytes.Contains(raw, form) {
				t.Errorf("%s has it", path)
			}
		}
		sealed = sealed || d.Name() == "secrets.sealed"
		return nil
	})
	if err != nil || !sealed {
		t.Errorf("there is no sealed file: %v", err)
	}
}
