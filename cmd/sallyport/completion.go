package main

import (
	"context"
	"embed"
)

//go:embed completion/sallyport.bash completion/sallyport.zsh completion/sallyport.fish
var completionScripts embed.FS

// completionCommand prints a script that asks this program, at every Tab, what could stand there: the command line model and, where
// a hub runs, the names and codes it knows.
type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

func (c completionCommand) run(_ context.Context, s streams) (int, error) {
	script, err := completionScripts.ReadFile("completion/sallyport." + c.Shell)
	if err != nil {
		return exitFailed, err
	}
	if _, err := s.out.Write(script); err != nil {
		return exitFailed, err
	}
	return exitFine, nil
}
