package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/sallyport/sallyport/"

// A room is a package, and which packages of ours its non-test files may import; all may import proxy/vocab. A package that is no room is an
// error: add it here and in docs/architecture.md.
var rooms = map[string][]string{
	"cmd/sallyport":          {"cmd/sallyport/demo", "cmd/sallyport/review", "cmd/sallyport/terminal", "proxy", "proxy/address", "proxy/control", "proxy/disk", "proxy/frame", "proxy/inspect", "proxy/inspect/legible", "proxy/inspect/secrets", "proxy/keychain", "proxy/keychain/secretname", "proxy/launch", "proxy/peer", "proxy/pin", "proxy/policy", "proxy/powers", "proxy/sandbox", "proxy/scripted", "proxy/transport", "proxy/transport/remote", "app", "app/clientconfig", "app/clientedit", "app/display", "app/identity", "app/notify/bus", "app/removal", "app/reveal", "app/settings"},
	"cmd/sallyport/demo":     {"app/clientconfig", "cmd/sallyport/terminal", "proxy/control", "proxy/keychain", "proxy/transport"},
	"cmd/sallyport/review":   {"cmd/sallyport/terminal", "proxy/control", "proxy/cut", "proxy/inspect", "proxy/inspect/legible", "proxy/pin", "proxy/powers"},
	"cmd/sallyport/terminal": {"proxy/inspect/legible"},

	"cmd/sallyport-desktop":        {"app/desktop", "frontend", "proxy/control"},
	"cmd/sallyport-desktop/uitest": {},

	// The benchmark measures the program through its command line, and inspection, which has none for responses, by itself.
	"cmd/bench":      {"cmd/bench/echo", "proxy/inspect", "proxy/proc", "proxy/proc/table"},
	"cmd/bench/echo": {},
	"cmd/bench/peer": {"cmd/bench/echo"},
	"cmd/eval":       {"proxy/inspect", "proxy/inspect/secrets"},

	"proxy":                     {"proxy/control", "proxy/cut", "proxy/declared", "proxy/flow", "proxy/frame", "proxy/guardrail", "proxy/inspect", "proxy/inspect/legible", "proxy/inspect/secrets", "proxy/launch", "proxy/pin", "proxy/policy", "proxy/refusal", "proxy/sanitize", "proxy/schema", "proxy/transport"},
	"proxy/address":             {},
	"proxy/control":             {"proxy/disk", "proxy/frame", "proxy/inspect", "proxy/inspect/legible", "proxy/peer", "proxy/pin", "proxy/powers", "proxy/proc", "proxy/proc/table"},
	"proxy/declared":            {"proxy/control", "proxy/frame", "proxy/inspect", "proxy/pin", "proxy/policy", "proxy/powers", "proxy/refusal", "proxy/sanitize", "proxy/schema"},
	"proxy/disk":                {},
	"proxy/proc":                {},
	"proxy/proc/table":          {},
	"proxy/refusal":             {"proxy/control", "proxy/frame", "proxy/inspect/legible"},
	"proxy/cut":                 {},
	"proxy/frame":               {},
	"proxy/vocab":               {},
	"proxy/flow":                {"proxy/inspect", "proxy/inspect/decode"},
	"proxy/golden":              {}, // for tests
	"proxy/guardrail":           {"proxy/cut", "proxy/frame", "proxy/peer", "proxy/proc", "proxy/proc/table", "proxy/transport"},
	"proxy/inspect":             {"proxy/cut", "proxy/frame", "proxy/inspect/decode", "proxy/inspect/legible", "proxy/inspect/rules", "proxy/inspect/secrets"},
	"proxy/inspect/rules":       {"proxy/frame", "proxy/inspect/decode", "proxy/inspect/legible", "proxy/inspect/secrets"},
	"proxy/inspect/secrets":     {"proxy/inspect/decode", "proxy/inspect/legible"},
	"proxy/inspect/decode":      {"proxy/inspect/legible"},
	"proxy/inspect/legible":     {},
	"proxy/keychain":            {"proxy/keychain/sealed", "proxy/keychain/secretname"},
	"proxy/keychain/sealed":     {"proxy/disk"},
	"proxy/keychain/secretname": {},
	"proxy/keychain/ring":       {}, // the other end, for tests
	"proxy/launch":              {"proxy/keychain/secretname", "proxy/pin", "proxy/proc", "proxy/proc/table", "proxy/transport"},
	"proxy/peer":                {"proxy/proc", "proxy/proc/table"},
	"proxy/pin":                 {"proxy/address", "proxy/cut", "proxy/frame", "proxy/inspect", "proxy/inspect/legible", "proxy/keychain/secretname"},
	"proxy/policy":              {},
	"proxy/program":             {},
	"proxy/powers":              {"proxy/frame", "proxy/inspect/decode"},
	"proxy/sandbox":             {"proxy/program"},
	"proxy/sanitize":            {"proxy/frame", "proxy/inspect", "proxy/inspect/legible", "proxy/inspect/secrets", "proxy/pin"},
	"proxy/schema":              {},
	"proxy/scripted":            {},
	"proxy/transport":           {"proxy/proc", "proxy/proc/table", "proxy/program", "proxy/sandbox", "proxy/transport/guard"},
	"proxy/transport/guard":     {"proxy/proc/table"},
	"proxy/transport/remote":    {"proxy/address", "proxy/frame"},

	"app":              {"app/approvals", "app/calls", "app/clientconfig", "app/display", "app/extensions", "app/flow", "app/guardian", "app/ledger", "app/logs", "app/lost", "app/office", "app/providers", "app/quarantine", "app/review", "app/settings", "app/signin", "app/tasks", "app/witness", "app/wrappers", "proxy/control", "proxy/keychain", "proxy/policy", "store"},
	"app/approvals":    {"app/identity", "app/ledger", "app/office", "app/review", "proxy/control", "proxy/cut", "proxy/inspect", "proxy/inspect/legible", "proxy/pin", "proxy/policy", "proxy/powers", "store"},
	"app/calls":        {"app/flow", "app/ledger", "app/mask", "app/office", "app/review", "proxy/control", "proxy/cut", "proxy/inspect/legible", "proxy/pin", "store"},
	"app/clientconfig": {"app/markup", "proxy/address", "proxy/cut", "proxy/disk", "proxy/keychain/secretname"},
	"app/clientedit":   {"app/clientconfig", "app/identity", "app/mask", "proxy/control", "proxy/inspect/legible"},
	"app/display":      {"app/approvals", "app/guardian", "app/identity", "app/ledger", "app/logs", "app/lost", "app/office", "app/providers", "app/quarantine", "app/review", "app/settings", "app/witness", "app/wrappers", "proxy/control", "proxy/cut", "proxy/inspect", "proxy/inspect/legible", "proxy/policy", "store"},
	"app/extensions":   {"app/clientconfig", "app/follow", "app/identity", "app/office", "app/review", "proxy/control", "proxy/cut", "proxy/disk", "proxy/inspect/legible", "proxy/pin", "store"},
	"app/flow":         {"proxy/control", "proxy/cut", "proxy/flow", "proxy/inspect/legible", "proxy/pin", "proxy/powers", "store"},
	"app/follow":       {},
	"app/guardian":     {"app/clientconfig", "app/clientedit", "app/follow", "app/identity", "app/mask", "app/office", "app/review", "proxy/control", "proxy/cut", "proxy/disk", "proxy/inspect/legible", "store"},
	"app/identity":     {"app/clientconfig", "app/mask", "proxy/address", "proxy/control", "proxy/inspect/legible", "store"},
	"app/ledger":       {"app/review", "proxy/control", "proxy/inspect", "proxy/pin", "store"},
	"app/logs":         {"app/mask", "proxy/control", "proxy/disk", "proxy/inspect/legible"},
	"app/lost":         {"app/office", "app/review", "proxy/control", "proxy/cut", "proxy/inspect", "proxy/pin", "store"},
	"app/markup":       {},
	"app/mask":         {},
	"app/oauth":        {"proxy/address"},
	"app/oauth/issuer": {}, // the other end, for tests
	"app/office":       {"app/identity", "app/review", "proxy/control", "proxy/cut", "proxy/inspect", "proxy/inspect/legible", "store"},
	"app/providers":    {"app/office", "proxy/control", "proxy/cut", "proxy/guardrail", "proxy/inspect", "proxy/inspect/legible", "proxy/inspect/secrets", "proxy/keychain", "proxy/keychain/secretname", "proxy/policy", "proxy/sanitize", "store"},
	"app/quarantine":   {"app/identity", "app/mask", "app/office", "app/review", "proxy/control", "proxy/cut", "proxy/inspect", "proxy/inspect/legible", "proxy/inspect/rules", "proxy/inspect/secrets", "proxy/pin", "proxy/policy", "store"},
	"app/removal":      {"app/clientconfig", "proxy/control", "proxy/disk", "proxy/inspect/legible"},
	"app/review":       {"app/identity", "proxy/control", "proxy/inspect", "proxy/inspect/legible", "proxy/pin", "proxy/powers", "store"},
	"app/settings":     {"app/follow", "app/mask", "app/office", "app/review", "proxy/control", "proxy/cut", "proxy/disk", "proxy/inspect", "proxy/inspect/legible", "proxy/inspect/rules", "proxy/pin", "proxy/policy", "store"},
	"app/signin":       {"app/identity", "app/ledger", "app/oauth", "app/office", "app/review", "proxy/address", "proxy/control", "proxy/keychain", "proxy/policy", "store"},
	"app/stage":        {"app/clientconfig", "proxy/control", "proxy/inspect"}, // for tests
	"app/witness":      {"proxy/keychain", "store"},
	"app/tasks":        {"app/office", "proxy/control", "proxy/pin", "store"},
	"app/wrappers":     {"app/approvals", "app/flow", "app/identity", "app/ledger", "app/logs", "app/mask", "app/office", "app/providers", "app/quarantine", "app/review", "app/settings", "app/tasks", "proxy/control", "proxy/cut", "proxy/inspect", "proxy/inspect/legible", "proxy/pin", "proxy/policy", "store"},
	"app/notify":       {"proxy/inspect/legible"},
	"app/notify/bus":   {},
	"app/reveal":       {},
	"app/tray":         {"proxy/inspect/legible"},
	"app/tray/panel":   {}, // the other end of both, for tests
	"app/desktop":      {"app", "app/clientconfig", "app/display", "app/guardian", "app/identity", "app/notify", "app/reveal", "app/review", "app/tray", "proxy/control", "proxy/disk", "proxy/keychain", "proxy/inspect", "proxy/inspect/legible", "proxy/inspect/rules", "proxy/pin", "proxy/policy", "proxy/powers"},
	"frontend":         {},
	"store":            {"proxy/disk"},

	"cmd/sallyport/e2e": {},
}

type listed struct {
	ImportPath string
	Standard   bool
	Imports    []string
}

// goList is `go list -json` with these arguments, on every platform we build for.
func goList(t *testing.T, args ...string) map[string]listed {
	t.Helper()
	all := map[string]listed{}
	for _, system := range []string{"linux", "darwin", "windows"} {
		command := exec.Command("go", append([]string{"list", "-json=ImportPath,Standard,Imports"}, args...)...)
		command.Dir = "../.."
		command.Env = append(command.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		out, err := command.Output()
		if err != nil {
			t.Fatalf("go list for %s: %v", system, err)
		}
		for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
			var p listed
			if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			known := all[p.ImportPath]
			p.Imports = append(p.Imports, known.Imports...)
			all[p.ImportPath] = p
		}
	}
	return all
}

func TestARoomImportsOnlyWhatItMayKnow(t *testing.T) {
	for path, p := range goList(t, "./...") {
		room := strings.TrimPrefix(path, module)
		allowed, known := rooms[room]
		if !known {
			t.Errorf("%s is no room of docs/architecture.md", room)
			continue
		}
		for _, imported := range p.Imports {
			if ours, is := strings.CutPrefix(imported, module); is && ours != "proxy/vocab" && !slices.Contains(allowed, ours) {
				t.Errorf("%s imports %s", room, ours)
			}
		}
	}
}

// The libraries of the window and of the keychain, and who may import them. Everything else is built and tested without them.
var hosts = map[string][]string{
	"github.com/wailsapp/wails":  {"app/desktop", "cmd/sallyport-desktop"},
	"fyne.io/systray":            {"app/tray"},
	"github.com/gen2brain/beeep": {"app/notify"},
	"github.com/godbus/dbus":     {"app/notify", "app/notify/bus", "app/reveal", "app/tray", "app/tray/panel", "proxy/keychain", "proxy/keychain/ring", "cmd/sallyport-desktop/uitest"},
}

func TestOnlyTheRoomOfALibraryImportsIt(t *testing.T) {
	for path, p := range goList(t, "./...") {
		room := strings.TrimPrefix(path, module)
		for _, imported := range p.Imports {
			for library, allowed := range hosts {
				if strings.HasPrefix(imported, library) && !slices.Contains(allowed, room) {
					t.Errorf("%s imports %s", room, imported)
				}
			}
			if imported == module+"app/tray/panel" && room != "cmd/sallyport-desktop/uitest" || imported == module+"proxy/keychain/ring" {
				t.Errorf("%s imports what is for tests", room)
			}
		}
	}
}

func TestTheBinaryLinksNoWindowAndNoTypedMCP(t *testing.T) {
	linked := goList(t, "-deps", "./cmd/sallyport")
	for path, p := range linked {
		for _, barred := range []string{"wailsapp", "webview", "gtk", "systray", "beeep", "mark3labs/mcp-go"} {
			if strings.Contains(path, barred) {
				t.Errorf("cmd/sallyport links %s", path)
			}
		}
		if p.Standard || strings.HasPrefix(path, module) {
			continue
		}
		// A wrapper pays for them at every start, once per server, and each is other people's code among ours that decides.
		owner := slices.ContainsFunc([]string{"github.com/alecthomas/kong", "go.etcd.io/bbolt", "golang.org/x/sys", "golang.org/x/text", "github.com/fsnotify/fsnotify",
			"github.com/tailscale/hujson", "github.com/rogpeppe/go-internal/diff", "github.com/rivo/uniseg",
			"github.com/pelletier/go-toml/v2", "github.com/goccy/go-yaml", // for app/markup
			"golang.org/x/net/idna",          // for the hosts of links, in proxy/inspect
			"github.com/godbus/dbus/v5",      // for proxy/keychain
			"golang.org/x/crypto",            // for proxy/keychain/sealed: a cipher that is not in the standard library
			"github.com/dlclark/regexp2/v2"}, // for proxy/schema
			func(dependency string) bool { return path == dependency || strings.HasPrefix(path, dependency+"/") })
		if !owner {
			t.Errorf("cmd/sallyport links %s, which nobody has said yes to", path)
		}
	}
	if _, ok := linked["runtime/cgo"]; ok {
		t.Error("cmd/sallyport needs cgo")
	}
}
