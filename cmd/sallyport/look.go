package main

import (
	"context"
	"errors"
)

// looksAtOnce is how many servers of a file are looked at at a time: each may fetch a package and start an interpreter.
const looksAtOnce = 4

// lookAt looks at servers, some at a time, and says what was found of each in their order. One that does not start hides no
// other: its report has the reason.
func lookAt(ctx context.Context, servers []probeOptions, found func(probeReport)) error {
	slots := make(chan struct{}, looksAtOnce)
	reports := make([]chan probeReport, len(servers))
	for i, server := range servers {
		reports[i] = make(chan probeReport, 1)
		go func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			report, err := probe(ctx, server)
			if err != nil {
				report = probeReport{Server: server.name, State: notLookedAt, Error: err.Error()}
			}
			reports[i] <- report
		}()
	}
	for _, report := range reports {
		r := <-report // a probe ends with ctx, so nothing of it is left running
		if err := ctx.Err(); err != nil {
			continue
		}
		found(r)
	}
	if err := ctx.Err(); err != nil {
		return errors.Join(errLookCutShort, err)
	}
	return nil
}

const notLookedAt = "not looked at"

var errLookCutShort = errors.New("the look was cut short")
