package clientconfig

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// MCPInspector is the Inspector of the MCP project. Its file has no place of its own: protect takes it with --config.
const MCPInspector = "mcp-inspector"

// ByFileOnly are clients that protect knows and that have no file at a fixed place.
func ByFileOnly() []string { return []string{MCPInspector} }

// argvFlag carries the server's command as one JSON array of strings.
const argvFlag = "--argv="

// eatsDashes says that a client's own parser takes `--` out of the arguments it hands on, so that its entries are written with
// --argv. The Inspector's command line does (measured with 0.15.0).
func eatsDashes(client string) bool { return client == MCPInspector }

// wrapperArgs are the arguments of a wrapped entry as this client gets them.
func wrapperArgs(name, client string, argv []string) []string {
	if eatsDashes(client) {
		return argvArgs(name, client, argv)
	}
	return dashedArgs(name, client, argv)
}

func dashedArgs(name, client string, argv []string) []string {
	return append(ours(name, client), argv...)
}

func argvArgs(name, client string, argv []string) []string {
	head := ours(name, client)
	return append(head[:len(head)-1:len(head)-1], argvFlag+argvText(argv))
}

// asWritten says that arguments are those of a wrapper that Wrap would write for this name, client and command: with -- or with
// --argv, whichever the client got when it was written.
func asWritten(args []string, name, client string, argv []string) bool {
	return slices.Equal(args, dashedArgs(name, client, argv)) || slices.Equal(args, argvArgs(name, client, argv))
}

// argvText is the one spelling in which an argument vector is written.
func argvText(argv []string) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(argv) // strings always encode
	return strings.TrimSuffix(out.String(), "\n")
}

// argvForm finds the command in `wrap … --argv=JSON`. Only our own spelling is one: it has one reading.
func argvForm(args []string) (inner []string, ok bool) {
	text, ok := strings.CutPrefix(args[len(args)-1], argvFlag)
	if !ok || json.Unmarshal([]byte(text), &inner) != nil || len(inner) == 0 || inner[0] == "" || argvText(inner) != text {
		return nil, false
	}
	return inner, true
}

// dashed says that the arguments of a wrapper name its command behind --, one element a word.
func dashed(args []string) bool { return slices.Contains(args, "--") }

// wrapArgv is wrapEntry for a client that gets --argv: all of args is ours then.
func (f *File) wrapArgv(e Entry, by Installation, record Record) []splice {
	words := quoteAll(argvArgs(e.Name, by.Client, record.Argv))
	edits := []splice{{f.span(e.command), quote(by.Path)}}
	if e.args == nil {
		at := f.span(e.command).to
		return append(edits, splice{span{at, at}, "," + e.leading + noArgs(words)})
	}
	return append(edits, splice{f.span(e.args), "[" + strings.Join(words, ", ") + "]"})
}

// unwrapArgv takes such a wrapper out where no record has the original spelling: the command is spelled anew.
func (f *File) unwrapArgv(e Entry, inner []string) []splice {
	edits := []splice{{f.span(e.command), quote(inner[0])}}
	if len(inner) == 1 {
		return append(edits, f.removeArgs(e, quoteAll(e.Args))...)
	}
	return append(edits, splice{f.span(e.args), "[" + strings.Join(quoteAll(inner[1:]), ", ") + "]"})
}

// maskArgv masks the words inside of --argv one by one, as they would be masked behind --.
func maskArgv(arg string) (masked string, ok bool) {
	text, ok := strings.CutPrefix(arg, argvFlag)
	var inner []string
	if !ok || json.Unmarshal([]byte(text), &inner) != nil {
		return "", false
	}
	return argvFlag + argvText(maskArgs(inner)), true
}
