package main

import (
	"context"
	"embed"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/sallyport/sallyport/app/clientconfig"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/proxy/policy"
	"github.com/sallyport/sallyport/proxy/vocab"
)

// completeWord is the hidden command for completion scripts: `__complete SHELL WORD…`, where the last word is the one being typed. It
// prints one candidate per line, or filesAnswer if the shell should offer file names.
const completeWord = "__complete"

// filesAnswer tells a script to offer file names.
const filesAnswer = ":files"

// completePatience is how long a hub may take to respond: no one waits longer for a Tab.
const completePatience = 500 * time.Millisecond

// candidate is one word that could stand here.
type candidate struct{ word, about string }

// runComplete prints the candidates for the last word. It never starts a hub, and offers nothing on any error.
func runComplete(ctx context.Context, args []string, s streams) int {
	if len(args) < 2 {
		return exitUsage
	}
	shell, words := args[0], args[1:]
	parser, err := newParser(&commandLine{}, s, func(int) {})
	if err != nil {
		return exitFailed
	}
	ctx, stop := context.WithTimeout(ctx, completePatience)
	defer stop()
	found, files := complete(parser.Model.Node, words, func(source string) []candidate { return offered(ctx, parser.Model.Children, source) })
	var out strings.Builder
	if files {
		out.WriteString(filesAnswer + "\n")
	}
	for _, c := range found {
		about := map[string]string{"zsh": ":", "fish": "\t"}[shell] // what comes before it
		if shell == "zsh" {
			c.word = strings.ReplaceAll(c.word, ":", `\:`)
		}
		out.WriteString(c.word)
		if about != "" && c.about != "" {
			out.WriteString(about + c.about)
		}
		out.WriteByte('\n')
	}
	if _, err := io.WriteString(s.out, out.String()); err != nil {
		return exitFailed
	}
	return exitFine
}

// complete returns the candidates for the last of words, from the command line model. ask returns what only a hub or the system knows.
func complete(node *kong.Node, words []string, ask func(source string) []candidate) (found []candidate, files bool) {
	words = joinEquals(words)
	last, words := words[len(words)-1], words[:len(words)-1]
	var flag *kong.Flag // whose value comes next
	var positional int
	given := map[string]bool{}
	for _, word := range words {
		switch {
		case flag != nil:
			flag = nil
		case word == "--":
			return nil, true // a server's own command: probably a file
		case strings.HasPrefix(word, "-") && word != "-":
			name, _, joined := strings.Cut(word, "=")
			f := findFlag(node, name)
			if f == nil {
				return nil, false
			}
			given[f.Name] = true
			if !joined && !f.IsBool() {
				flag = f
			}
		default:
			if child := childOf(node, word); child != nil && positional == 0 {
				node = child
			} else {
				positional++
			}
		}
	}
	if flag != nil {
		return values(flag.Value, last, "", ask)
	}
	if name, value, joined := strings.Cut(last, "="); joined && strings.HasPrefix(last, "-") {
		if f := findFlag(node, name); f != nil && !f.IsBool() {
			return values(f.Value, value, name+"=", ask)
		}
		return nil, false
	}
	if strings.HasPrefix(last, "-") {
		for _, group := range node.AllFlags(true) {
			for _, f := range group {
				if word := "--" + f.Name; strings.HasPrefix(word, last) && (!given[f.Name] || f.IsCumulative()) {
					found = append(found, candidate{word, f.Help})
				}
			}
		}
		return found, false
	}
	if positional == 0 {
		for _, child := range node.Children {
			if !child.Hidden && strings.HasPrefix(child.Name, last) {
				found = append(found, candidate{child.Name, child.Help})
			}
		}
	}
	if node.DefaultCmd != nil {
		node = node.DefaultCmd
	}
	if n := len(node.Positional); n > 0 {
		more, offered := values(node.Positional[min(positional, n-1)], last, "", ask)
		if positional < n || node.Positional[n-1].IsCumulative() {
			found, files = append(found, more...), offered
		}
	}
	return found, files
}

// values are the possible values of a flag or argument: its enumeration, what the tag `complete` names, or files.
func values(v *kong.Value, typed, before string, ask func(string) []candidate) (found []candidate, files bool) {
	var all []candidate
	if v.Enum != "" {
		all = bare(v.EnumSlice())
	}
	source := v.Tag.Get("complete")
	switch {
	case source == "file", v.Target.Type() == typeOfPath:
		return nil, true
	case source != "":
		all = ask(source)
	}
	for _, c := range all {
		if c.word != "" && strings.HasPrefix(strings.ToUpper(c.word), strings.ToUpper(typed)) {
			found = append(found, candidate{before + c.word, c.about})
		}
	}
	return found, false
}

// joinEquals joins what bash splits at an equals sign: --format = json. If the last word is only the value, it is completed alone, because
// bash replaces only that word.
func joinEquals(words []string) []string {
	out := make([]string, 0, len(words))
	for i := 0; i < len(words); i++ {
		if words[i] == "=" && len(out) > 0 && strings.HasPrefix(out[len(out)-1], "--") {
			if i == len(words)-1 {
				out = append(out, "")
			}
			continue
		}
		out = append(out, words[i])
	}
	return out
}

func childOf(node *kong.Node, word string) *kong.Node {
	for _, child := range node.Children {
		if child.Name == word && !child.Hidden {
			return child
		}
	}
	return nil
}

func findFlag(node *kong.Node, word string) *kong.Flag {
	if node.DefaultCmd != nil {
		node = node.DefaultCmd
	}
	for _, group := range node.AllFlags(false) {
		for _, f := range group {
			if "--"+f.Name == word || f.Short != 0 && "-"+string(f.Short) == word {
				return f
			}
		}
	}
	return nil
}

// offered are the candidates of one kind. Names chosen by others are offered only if they are plain: a shell may interpret anything else.
func offered(ctx context.Context, commands []*kong.Node, source string) (found []candidate) {
	switch source {
	case "setting":
		for _, setting := range policy.All() {
			found = append(found, candidate{word: setting.Key})
		}
		return found
	case "provider":
		return bare(policy.Providers())
	case "kind":
		return bare(spelled(vocab.RecordKinds))
	case "status":
		return bare(spelled(vocab.Statuses))
	case "clients":
		return append(offered(ctx, commands, "client"), candidate{everyClient, "every client that has a file"})
	case "client":
		for _, place := range clientconfig.Places(clientconfig.ThisSystem()) {
			if !slices.Contains(found, candidate{place.Client, place.Name}) {
				found = append(found, candidate{place.Client, place.Name})
			}
		}
		return append(found, bare(clientconfig.ByFileOnly())...)
	case "command":
		for _, child := range commands {
			if !child.Hidden {
				found = append(found, candidate{child.Name, child.Help})
			}
		}
		return found
	}
	hub, err := dial(ctx)
	if err != nil {
		return nil
	}
	defer hub.Close()
	switch source {
	case "server":
		servers, _ := control.AskServers(ctx, hub)
		for _, s := range servers {
			if s.State != vocab.ServerNotStarted && plainWord(s.Server) { // the hub knows its name only once it has run
				found = append(found, candidate{s.Server, string(s.State)})
			}
		}
	case "code", "held", "item":
		items, _ := control.AskInbox(ctx, hub)
		for _, it := range items {
			if held := it.Kind == vocab.ItemResponseHeld; source != "item" && held != (source == "held") {
				continue
			}
			about := strings.ReplaceAll(string(it.Kind), "_", " ")
			if plainWord(it.Server) {
				about += " of " + it.Server
			}
			found = append(found, candidate{it.Code, about})
		}
	}
	return found
}

// bare are candidates without a description.
func bare(words []string) (all []candidate) {
	for _, word := range words {
		all = append(all, candidate{word: word})
	}
	return all
}

// plainWord reports whether a word has no special meaning in a shell.
func plainWord(word string) bool {
	return word != "" && len(word) <= 64 && word[0] != '-' && strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") == ""
}

//go:embed completion/sallyport.bash completion/sallyport.zsh completion/sallyport.fish
var completionScripts embed.FS

// completionCommand prints a script that asks this program for candidates at every Tab: from the command line model and, if a hub runs, the
// names and codes it knows.
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
