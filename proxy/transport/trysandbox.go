package transport

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/sallyport/sallyport/proxy/sandbox"
)

// TrySandbox starts a shell that does nothing under each level, with hold protected, and returns the bubblewrap that it used.
func TrySandbox(ctx context.Context, hold []string) (string, error) {
	bwrap, err := sandbox.Bubblewrap()
	if err != nil {
		return "", &sandbox.Error{Reason: err.Error()}
	}
	for _, strict := range []bool{false, true} {
		p, err := Start(ctx, Command{Argv: []string{"/bin/sh", "-c", ":"}, Dir: "/", Sandbox: &sandbox.Sandbox{Strict: strict, Hold: hold}}, io.Discard, nil)
		if refused, ok := errors.AsType[*sandbox.Error](err); ok {
			return "", &sandbox.Error{Reason: refused.Reason}
		}
		if err != nil {
			return "", err
		}
		p.Stop()
	}
	asked, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	said, err := exec.CommandContext(asked, bwrap, "--version").Output()
	if err != nil {
		return bwrap, nil
	}
	return bwrap + ", " + strings.TrimSpace(string(said)), nil
}
