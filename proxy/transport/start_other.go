//go:build !linux && !darwin && !windows

package transport

import (
	"context"
	"io"
	"time"
)

const (
	endGrace  = 2 * time.Second
	termGrace = 2 * time.Second
)

// GuardMain does nothing: this platform can't start servers.
func GuardMain() {}

// Prepared is empty on this platform.
type Prepared struct{}

// Prepare fails: nothing here would keep a server's processes from outliving us.
func Prepare() (*Prepared, error) {
	return nil, &StartError{Reason: "servers are started on Linux, macOS and Windows only"}
}

func (*Prepared) Close() {}

// Start fails as Prepare does.
func Start(context.Context, Command, io.Writer, func([]byte)) (*ServerProcess, error) {
	_, err := Prepare()
	return nil, err
}

// Start fails as Prepare does.
func (*Prepared) Start(ctx context.Context, c Command, stderr io.Writer, tee func([]byte)) (*ServerProcess, error) {
	return Start(ctx, c, stderr, tee)
}
