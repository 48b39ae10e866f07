package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

const generated = "<!-- Written by `go test ./cmd/sallyport -run Reference -update` from the code. -->\n"

// compareReference holds a page of docs/reference to what the code says, or writes it with -update.
func compareReference(t *testing.T, page, want string) {
	t.Helper()
	path := filepath.Join("../../docs/reference", page)
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the code says: go test ./cmd/sallyport -run Reference -update", path)
	}
}

func TestTheReferenceOfCommandsSaysWhatTheCommandsTake(t *testing.T) {
	parser, err := newParser(&commandLine{}, streams{strings.NewReader(""), io.Discard, io.Discard}, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString(generated + `
# Commands

Every command has ` + "`--help`" + `, and ` + "`make man`" + ` writes the manual pages from the same source as this page. An error is one line on standard error,
` + "`sallyport: WHAT: WHY`" + `, with what to do where that helps. ` + "`--json`" + ` prints what [json.md](json.md) describes.

` + "`scan`, `secret`, `unprotect`, `doctor`, `demo`, `completion` and `--help`" + ` work without a hub; ` + "`wrap`, `protect`, `probe`" + ` and the window start one. Every other command
needs one, and exits with 1 where none runs. Which terminal can decide is in [Who decides](decisions.md).

Exit codes of every command but ` + "`wrap`" + `:

| code | means |
|---|---|
`)
	for _, line := range exitMeanings(parser.Model.Node) {
		code, means, _ := strings.Cut(line, "  ")
		fmt.Fprintf(&b, "| %s | %s |\n", code, means)
	}
	b.WriteString("\n`wrap` exits with 0 after the client closed the session, 1 if the server could not be started, 2 on wrong usage, and else with the server's own code.\n")
	for _, node := range visible(parser.Model.Node) {
		commandSection(&b, node)
	}
	compareReference(t, "commands.md", b.String())
}

func commandSection(b *strings.Builder, node *kong.Node) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n", strings.TrimPrefix(node.FullPath(), "sallyport "), node.Help)
	if len(node.Children) > 0 {
		return
	}
	usage := strings.TrimSpace(node.FullPath() + strings.TrimPrefix(node.Summary(), node.Path()))
	fmt.Fprintf(b, "\n```\n%s\n```\n", usage)
	if node.Tag != nil && node.Tag.Get("three") != "" {
		fmt.Fprintf(b, "\nExit code 3: %s.\n", node.Tag.Get("three"))
	}
	var rows strings.Builder
	for _, argument := range node.Positional {
		fmt.Fprintf(&rows, "| `%s` | %s |\n", argument.Summary(), tableCell(argument.Help))
	}
	for _, flag := range node.Flags {
		if flag.Name == "help" || flag.Hidden {
			continue
		}
		name := "--" + flag.Name
		if flag.Short != 0 {
			name = "-" + string(flag.Short) + ", " + name
		}
		if !flag.IsBool() {
			name += "=" + flag.FormatPlaceHolder()
		}
		fmt.Fprintf(&rows, "| `%s` | %s |\n", name, tableCell(flag.Help))
	}
	if rows.Len() > 0 {
		fmt.Fprintf(b, "\n| | |\n|---|---|\n%s", rows.String())
	}
}

func tableCell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
