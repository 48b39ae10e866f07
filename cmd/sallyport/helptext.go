package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
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
	case node.Type == kong.CommandNode && node.Name == "wrap":
		return []string{"0  the client closed the session", "1  the server could not be started", "2  wrong usage", "any other: the server's own"}
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
	_, err := fmt.Fprint(ctx.Stdout, "\nExit codes:\n  "+strings.Join(exitMeanings(node), "\n  ")+"\n")
	return err
}

// manCommand writes the manual pages, one per command, from the command line model. `make man` calls it.
type manCommand struct {
	Dir string `arg:"" help:"Folder to write them to."`
}

func (c manCommand) run(_ context.Context, s streams) (int, error) {
	parser, err := newParser(&commandLine{}, s, func(int) {})
	if err != nil {
		return exitFailed, err
	}
	for name, page := range manPages(parser.Model.Node) {
		if err := os.WriteFile(filepath.Join(c.Dir, name), []byte(page), 0o644); err != nil {
			return exitFailed, err
		}
	}
	return exitFine, nil
}

// manPages are the pages of a program by file name: sallyport.1 and sallyport-COMMAND.1.
func manPages(app *kong.Node) map[string]string {
	pages := map[string]string{manName(app) + ".1": manPage(app)}
	for _, node := range visible(app) {
		pages[manName(node)+".1"] = manPage(node)
	}
	return pages
}

// visible are all visible commands below a node, including groups.
func visible(node *kong.Node) (all []*kong.Node) {
	for _, child := range node.Children {
		if child.Type == kong.CommandNode && !child.Hidden {
			all = append(append(all, child), visible(child)...)
		}
	}
	return all
}

func manName(node *kong.Node) string { return strings.ReplaceAll(node.FullPath(), " ", "-") }

func manPage(node *kong.Node) string {
	var b strings.Builder
	title := node.FullPath()
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"sallyport %s\" \"Sallyport\"\n.SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.B %s\n", roff(strings.ToUpper(manName(node))), roff(version), roff(manName(node)), roff(firstLine(node.Help)), roff(title))
	if rest := strings.TrimSpace(strings.TrimPrefix(node.Summary(), node.Path())); rest != "" && node.Type == kong.CommandNode {
		fmt.Fprintf(&b, "%s\n", roffLine(rest))
	} else if node.Type == kong.ApplicationNode {
		b.WriteString("COMMAND [ARGUMENT...]\n")
	}
	fmt.Fprintf(&b, ".SH DESCRIPTION\n%s\n", roffLine(node.Help))
	if commands := node.Children; len(commands) > 0 {
		b.WriteString(".SH COMMANDS\n")
		for _, child := range commands {
			if !child.Hidden {
				fmt.Fprintf(&b, ".TP\n.B %s\n%s See\n.BR %s (1).\n", roff(child.Name), roffLine(child.Help), roff(manName(child)))
			}
		}
	}
	if len(node.Positional) > 0 {
		b.WriteString(".SH ARGUMENTS\n")
		for _, arg := range node.Positional {
			fmt.Fprintf(&b, ".TP\n.I %s\n%s\n", roff(arg.Summary()), roffLine(arg.Help))
		}
	}
	b.WriteString(".SH OPTIONS\n")
	for _, group := range node.AllFlags(true) {
		for _, f := range group {
			name := "\\-\\-" + roff(f.Name)
			if f.Short != 0 {
				name = "\\-" + roff(string(f.Short)) + ", " + name
			}
			if !f.IsBool() {
				name += "=" + roff(f.FormatPlaceHolder())
			}
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", name, roffLine(f.Help))
		}
	}
	b.WriteString(".SH EXIT STATUS\n")
	for _, line := range exitMeanings(node) {
		code, means, found := strings.Cut(line, "  ")
		if !found {
			code, means, _ = strings.Cut(line, ": ")
		}
		fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", code, roffLine(means))
	}
	if node.Type == kong.CommandNode {
		fmt.Fprintf(&b, ".SH SEE ALSO\n.BR %s (1)\n", roff(manName(node.Parent)))
	}
	return b.String()
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return strings.TrimSuffix(s, ".")
}

// roff escapes text for the middle of a line; roffLine also at its start, where a dot or a quote begins a request.
func roff(s string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n", " ").Replace(s)
}

func roffLine(s string) string { return `\&` + roff(s) }
