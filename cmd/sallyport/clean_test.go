package main

import (
	"context"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/sallyport/sallyport/proxy/control"
)

// storyListed lists the new servers without warnings and keeps the digest of the list: listed VAR.
func storyListed(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: listed VAR")
	}
	home, err := control.HomeAt(ts.Getenv("SALLYPORT_HOME"))
	ts.Check(err)
	hub, err := control.Dial(context.Background(), home, control.RoleCLI)
	ts.Check(err)
	defer hub.Close()
	set, err := control.AskClean(context.Background(), hub, control.CleanQuery{})
	ts.Check(err)
	ts.Setenv(args[0], set.Digest)
}
