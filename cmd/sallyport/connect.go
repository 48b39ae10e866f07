package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/sallyport/sallyport/proxy/control"
)

var errNoHub = errors.New(`no hub runs; open Sallyport, or start the hub with "sallyport hub"`)

// dialTimeout is how long a command waits for a hub's greeting. A healthy one answers in under a millisecond.
const dialTimeout = 10 * time.Second

// dial connects to the hub of this home, for a command that needs one, without starting one.
func dial(ctx context.Context) (*control.Client, error) {
	home, err := control.FindHome(os.Getenv)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	client, err := control.DialWith(ctx, home, control.DialOptions{Role: control.RoleCLI, Version: version})
	switch {
	case errors.Is(err, control.ErrNoHub):
		return nil, errNoHub
	case err != nil:
		return nil, fmt.Errorf("reach the hub: %w", err)
	}
	return client, nil
}
