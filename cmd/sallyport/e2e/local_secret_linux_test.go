package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What a person stored for a local server is in the environment of that server, and of no other process, argument, file or list. Also in a sandbox.
func TestASecretOfALocalServerIsInThatServerAlone(t *testing.T) {
	for _, sandbox := range []string{"off", "shield"} {
		t.Run("sandbox "+sandbox, func(t *testing.T) {
			value := "sk-local-4711-" + sandbox + fmt.Sprint(os.Getpid())
			h, dir := install(t), emptyFolder(t)
			set := exec.Command(sallyport(t), "secret", "set", "local-key")
			set.Env, set.Stdin = environment(h.env()...), strings.NewReader(value)
			if out, err := set.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if out, code := h.run("settings", "set", "sandbox", sandbox, "--yes"); code != 0 {
				t.Fatalf("settings: status %d: %s", code, out)
			}
			s := launch(t, dir, append(h.env(), "API_KEY=keychain:local-key"), append(h.wrap(), script(t, dir, "server.json", strings.Replace(plainServer, "DRIFT", filepath.Join(dir, "drift"), 1))...))
			s.handshake("2025-11-25")
			s.request("tools/list", `{}`)
			wait(t, "the server is in the inbox", func() bool { return len(h.inbox()) == 1 })
			h.approve()
			wait(t, "a call passes", func() bool { return strings.Contains(s.call("echo", `{}`), "again") })

			has, command := processesWith(value)
			if len(command) != 0 {
				t.Errorf("it is an argument of %q", command)
			}
			for pid, name := range has {
				if !strings.Contains(name, "scripted") {
					t.Errorf("process %s has it: %s", pid, name)
				}
			}
			if len(has) == 0 {
				t.Error("no server has it")
			}
			printed := ""
			for _, args := range [][]string{{"activity", "list", "--json"}, {"servers", "--json"}, {"secret", "list", "--json"}, {"status"}, {"doctor"}} {
				out, _ := h.run(args...)
				printed += out
			}
			if found := spelled([]byte(printed), value); found != "" {
				t.Errorf("it is printed (%s)", found)
			}
			for path, what := range everyFile(t, h.path) {
				if found := spelled(what, value); found != "" {
					t.Errorf("it is in %s (%s)", path, found)
				}
			}
			s.hangUp(true)
		})
	}
}

// processesWith are the processes that have a text in their environment, and those that have it in their arguments.
func processesWith(text string) (environs, arguments map[string]string) {
	environs, arguments = map[string]string{}, map[string]string{}
	folders, _ := filepath.Glob("/proc/[0-9]*")
	for _, folder := range folders {
		environ, _ := os.ReadFile(folder + "/environ")
		argv, _ := os.ReadFile(folder + "/cmdline")
		name := string(bytes.ReplaceAll(argv, []byte{0}, []byte(" ")))
		if bytes.Contains(environ, []byte(text)) {
			environs[filepath.Base(folder)] = name
		}
		if bytes.Contains(argv, []byte(text)) {
			arguments[filepath.Base(folder)] = name
		}
	}
	return environs, arguments
}
