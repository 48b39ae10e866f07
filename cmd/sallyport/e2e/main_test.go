package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/sallyport/sallyport/proxy/scripted"
)

// scratch is removed after the last test. Its path is short, because sockets are below it.
var scratch string

// TestMain makes the test binary also the scripted server, the relays and a recorded LlamaFirewall.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "hostile" {
		os.Exit(hostile())
	}
	if len(os.Args) > 2 {
		switch os.Args[1] {
		case "scripted":
			os.Exit(scripted.Main(os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
		case "impostor":
			os.Exit(impostor(os.Args[2:]))
		case "relay":
			os.Exit(relay(os.Args[2], os.Args[3:]))
		case "betray":
			os.Exit(betray(os.Args[2]))
		case "conformance":
			os.Exit(goConformance(os.Args[2]))
		case "playback":
			os.Exit(playback(os.Args[2], os.Args[3], os.Stdin, os.Stdout))
		case "meddle":
			os.Exit(meddle(os.Args[2:]))
		case "-c": // as a Python that is told our program for LlamaFirewall
			os.Exit(recordedLlamaFirewall(os.Stdin, os.Stdout))
		}
	}
	dir, err := os.MkdirTemp("", "e2e")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Setenv("SALLYPORT_KEYCHAIN", "off") // hubs of tests leave nothing in the keychain of whoever runs them
	scratch = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// helper is the command line of the test binary as one of those.
func helper(t testing.TB, args ...string) []string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return append([]string{self}, args...)
}

var built = struct {
	once sync.Once
	path string
	err  error
}{}

// sallyport builds the binary under test once and returns its path.
func sallyport(t testing.TB) string {
	t.Helper()
	built.once.Do(func() {
		built.path = filepath.Join(scratch, "bin", "sallyport")
		build := exec.Command("go", "build", "-o", built.path, "github.com/sallyport/sallyport/cmd/sallyport")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			built.err = fmt.Errorf("build sallyport: %w\n%s", err, out)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.path
}
