package control

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestAShellForOneCommandIsNoClient(t *testing.T) {
	for name, c := range map[string]struct {
		argv []string
		one  bool
	}{
		"sh -c":                                {[]string{"sh", "-c", "x"}, true},
		"a path":                               {[]string{"/bin/bash", "-c", "x"}, true},
		"a login shell":                        {[]string{"-zsh", "-lc", "x"}, true},
		"with options before":                  {[]string{"bash", "--norc", "-o", "pipefail", "-c", "x"}, true},
		"busybox":                              {[]string{"busybox", "sh", "-c", "x"}, true},
		"a terminal's shell":                   {[]string{"bash"}, false},
		"a terminal's login shell":             {[]string{"-bash", "-l"}, false},
		"an option that only begins like that": {[]string{"bash", "--command", "x"}, false},
		"another program with -c":              {[]string{"claude", "-c"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if runsOneCommand(c.argv) != c.one {
				t.Error(!c.one)
			}
		})
	}
}

func TestTheScreenOfAProcessThatIsNotThereIsNobodys(t *testing.T) {
	if s := clientScreen(1 << 30); s != nil {
		t.Errorf("%q", s)
	}
	if s := clientScreen(1); s != nil { // nothing is above it
		t.Errorf("%q", s)
	}
}

// screenOfParent is what a wrapper gives to a hub that it starts.
func screenOfParent() []string { return screenFor(RoleWrapper) }

func TestAHubThatAWrapperStartsIsOnTheScreenOfItsClient(t *testing.T) {
	for name, c := range map[string]struct{ starts, want string }{
		"started by the client itself":                          {`"$@"; exit`, "DISPLAY=:client"},
		"by way of a shell":                                     {`sh -c '"$@"; exit' sh "$@"; exit`, "DISPLAY=:client"},
		"by way of two shells":                                  {`sh -c 'bash -ec '"'"'"$@"; exit'"'"' b "$@"; exit' sh "$@"; exit`, "DISPLAY=:client"},
		"by a program between, which has the entry's variables": {`bash "$BETWEEN" "$@"; exit`, "DISPLAY=:entry DBUS_SESSION_BUS_ADDRESS=entry"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			between := filepath.Join(dir, "between.sh")
			client := filepath.Join(dir, "client.sh")
			for path, text := range map[string]string{
				between: `"$@"; exit`,
				client:  "export DISPLAY=:entry DBUS_SESSION_BUS_ADDRESS=entry BETWEEN=" + between + "\n" + c.starts,
			} {
				if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.Command("bash", client, self(t), "screen")
			cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "DISPLAY=:client"}
			out, err := cmd.Output()
			if err != nil || strings.TrimSpace(string(out)) != c.want {
				t.Errorf("%q, %v", out, err)
			}
		})
	}
}
