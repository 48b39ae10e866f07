package main

import (
	"context"
	"os"
	"strings"
	"testing"
)

func TestADiskThatIsFullBehindARedirectFailsTheCommand(t *testing.T) {
	t.Setenv("SALLYPORT_HOME", t.TempDir()+"/home")
	for _, args := range [][]string{{"--help"}, {"servers", "--help"}, {"--version"}, {"doctor"}, {"doctor", "--json"}} {
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		var said strings.Builder
		code := run(context.Background(), args, streams{strings.NewReader(""), full, &said})
		full.Close()
		if code != exitFailed || strings.Count(said.String(), "\n") != 1 || !strings.Contains(said.String(), "no space left") {
			t.Errorf("%v: exit code %d, %q", args, code, said.String())
		}
	}
}
