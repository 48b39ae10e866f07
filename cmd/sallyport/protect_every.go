package main

import (
	"errors"
	"fmt"

	"github.com/sallyport/sallyport/app/clientconfig"
)

// everyClient is the value of --client for all clients that have a file.
const everyClient = "all"

// forEvery does to the file of each client what one does to one client's. A file that can't be done is named, and does not stop the others.
func (c clientFileFlags) forEvery(s streams, command string, one func(clientFileFlags) (int, error)) (int, error) {
	if c.Config != "" || len(c.Name) > 0 {
		return exitUsage, fmt.Errorf("--client %s takes neither --config nor names of entries: name the client they belong to", everyClient)
	}
	code, found := exitFine, false
	for _, place := range clientconfig.Locate(clientconfig.ThisSystem()) {
		if !place.Preferred || place.State == clientconfig.Absent {
			continue
		}
		if found && !c.JSON && !c.DryRun {
			newPage(s).Printf("\n")
		}
		found = true
		c.Client = place.Client
		got, err := one(c)
		if err != nil {
			fail(s, got, command, fmt.Errorf("%s: %w", place.Name, err))
		}
		if code != exitFailed && got != exitFine {
			code = got
		}
	}
	if !found {
		return exitFailed, errors.New("no client's settings file found: start a client once, or name a file with --client and --config")
	}
	return code, nil
}
