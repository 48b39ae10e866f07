//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// probeRequest is the first line of a client that looks for the modern era.
const probeRequest = `{"jsonrpc":"2.0","id":"probe","method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"raw","version":"1.0"},"io.modelcontextprotocol/clientCapabilities":{}}}}`

// probed starts a wrapper, sends a probe, goes on in the legacy era as clients do, and returns what the probe was told and after how long.
func (h *installation) probed(t *testing.T, dir string, argv []string) (answer string, took time.Duration) {
	t.Helper()
	s := launch(t, dir, environment(h.env()...), append(h.wrap(), argv...))
	began := time.Now()
	s.open[`"probe"`] = "server/discover"
	s.write(probeRequest)
	answer = s.answer(`"probe"`)
	took = time.Since(began)
	if !strings.Contains(answer, "[Sallyport]") || !strings.Contains(answer, `"code":-32601`) {
		t.Errorf("the probe was told %s", answer)
	}
	if hello := s.handshake(newestLegacy); !strings.Contains(hello, `"protocolVersion":"`+newestLegacy+`"`) {
		t.Errorf("the legacy era after it: %s", hello)
	}
	s.request("tools/list", `{}`)
	s.hangUp(true)
	return answer, took
}

// A server of the legacy era may never respond to a request that it does not know. A client would wait for 10 s or 60 s at each start; we
// respond in the server's place, and once that is known, without asking it.
func TestAProbeOfAServerKnownToBeLegacyIsNotForwarded(t *testing.T) {
	t.Parallel()
	h, dir := install(t), folder(t)
	heard := filepath.Join(dir, "heard")
	argv := script(t, dir, "silent.json", `{"log":"`+heard+`","tools":[{"name":"echo","inputSchema":{"type":"object"}}],"rules":[{"on":"server/discover","steps":[]}]}`)
	asked := func() int {
		log, err := os.ReadFile(heard)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(log), `"server/discover"`)
	}
	_, took := h.probed(t, dir, argv)
	t.Logf("a server that nobody knows: answered for after %v", took.Round(time.Millisecond))
	if asked() != 1 {
		t.Fatalf("the server was asked %d times", asked())
	}
	_, took = h.probed(t, dir, argv)
	t.Logf("one that is known: after %v", took.Round(time.Millisecond))
	if err := h.process.Kill(); err != nil {
		t.Fatal(err)
	}
	_, took = h.probed(t, dir, argv) // the wrapper starts another hub
	t.Logf("after its hub was killed: after %v", took.Round(time.Millisecond))
	_, took = h.probed(t, dir, argv)
	t.Logf("with the next hub: after %v", took.Round(time.Millisecond))
	if asked() != 1 {
		t.Errorf("a server that is known was asked %d times", asked()-1)
	}
}

// Servers of some SDKs exit on any request before initialize. Their client starts the command again; it is not asked then.
func TestAServerThatExitsOnAProbeIsKnownFromThenOn(t *testing.T) {
	t.Parallel()
	h, dir := install(t), folder(t)
	argv := script(t, dir, "exits.json", `{"tools":[{"name":"echo","inputSchema":{"type":"object"}}],"rules":[{"on":"server/discover","steps":[{"exit":3}]}]}`)
	s := launch(t, dir, environment(h.env()...), append(h.wrap(), argv...))
	s.open[`"probe"`] = "server/discover"
	s.write(probeRequest)
	t.Logf("the first probe: %s", s.answer(`"probe"`))
	s.hangUp(false)
	_, took := h.probed(t, dir, argv) // it would exit again
	t.Logf("the next: after %v", took.Round(time.Millisecond))
}
