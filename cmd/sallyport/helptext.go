package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// helpCommand is `help COMMAND`, the same as `COMMAND --help`.
type helpCommand struct {
	Command []string `arg:"" optional:"" complete:"command" help:"The command to explain."`
}

// run is never called: runCommand turns `help COMMAND` into `COMMAND --help` before parsing.
func (helpCommand) run(context.Context, streams) (int, error) { return exitUsage, nil }

// asHelp turns `help`, `help COMMAND` and `help COMMAND SUBCOMMAND` into the help flag of that command.
func asHelp(args []string) []string {
	if len(args) == 0 || args[0] != "help" {
		return args
	}
	for _, arg := range args[1:] {
		if strings.HasPrefix(arg, "-") {
			return args // help's own flags
		}
	}
	return append(append([]string{}, args[1:]...), "--help")
}

// exitMeanings describe the program's exit codes. The tag `three` of a command describes its 3.
func exitMeanings(node *kong.Node) []string {
	lines := []string{"0  done", "1  failed", "2  wrong usage"}
	switch {
	case node.Type == kong.ApplicationNode:
		return append(lines, "3  something needs your review")
	case node.Tag != nil && node.Tag.Get("three") != "":
		return append(lines, "3  "+node.Tag.Get("three"))
	}
	return lines
}

// printHelp is kong's help with the exit codes after it.
func printHelp(options kong.HelpOptions, ctx *kong.Context) error {
	if err := kong.DefaultHelpPrinter(options, ctx); err != nil {
		return err
	}
	node := ctx.Selected()
	if node == nil {
		node = ctx.Model.Node
	}
	if node.Target.IsValid() && node.Type == kong.CommandNode && node.Name == "wrap" {
		_, err := fmt.Fprint(ctx.Stdout, "\nExit codes:\n  0  the client closed the session\n  1  the server could not be started\n  2  wrong usage\n  any other: the server's own\n")
		return err
	}
	_, err := fmt.Fprint(ctx.Stdout, "\nExit codes:\n  "+strings.Join(exitMeanings(node), "\n  ")+"\n")
	return err
}
