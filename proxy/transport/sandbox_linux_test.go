package transport

import (
	"context"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/sandbox"
)

func TestUnderStrictLaunchersAreToldThatThereIsNoNetwork(t *testing.T) {
	command := Command{Argv: []string{"/bin/sh", "-c", `echo "$npm_config_offline $UV_OFFLINE"`}, Env: []string{"UV_OFFLINE=0"}, Dir: "/", Sandbox: &sandbox.Sandbox{Strict: true}}
	if got := output(t, command); got != "true 0\n" {
		t.Errorf("%q", got)
	}
	command.Sandbox = &sandbox.Sandbox{}
	if got := output(t, command); got != " 0\n" {
		t.Errorf("under a shield: %q", got)
	}
}

func TestASandboxCanBeHadHere(t *testing.T) {
	said, err := TrySandbox(context.Background(), []string{t.TempDir()})
	if err != nil || !strings.Contains(said, "bubblewrap") {
		t.Fatal(said, err)
	}
}
