//go:build !unix

package scripted

import (
	"errors"
	"io"
	"os"
)

func daemonise(string, io.Writer) error { return errors.New("no sessions on this platform") }

func killSelf() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
	}
}
