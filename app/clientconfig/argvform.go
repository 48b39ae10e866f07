package clientconfig

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// argvFlag carries the server's command as one JSON array of strings.
const argvFlag = "--argv="

// eatsDashes reports whether a client's own parser removes `--` from the arguments it passes on, so that its entries need --argv. The
// Inspector's command line does (measured with 0.15.0).
func eatsDashes(client string) bool { return client == MCPInspector }

// wrapperArgs are the arguments of a wrapped entry for this client.
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

// asWritten reports whether arguments are those that Wrap would write for this name, client and command, with -- or with --argv.
func asWritten(args []string, name, client string, argv []string) bool {
	return slices.Equal(args, dashedArgs(name, client, argv)) || slices.Equal(args, argvArgs(name, client, argv))
}

// argvText is the only spelling in which an argument vector is written.
func argvText(argv []string) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(argv) // strings always encode
	return strings.TrimSuffix(out.String(), "\n")
}

// argvForm finds the command in `wrap … --argv=JSON`. Only our own spelling counts, so it is unambiguous.
func argvForm(args []string) (inner []string, ok bool) {
	text, ok := strings.CutPrefix(args[len(args)-1], argvFlag)
	if !ok || json.Unmarshal([]byte(text), &inner) != nil || len(inner) == 0 || inner[0] == "" || argvText(inner) != text {
		return nil, false
	}
	return inner, true
}

// dashed reports whether a wrapper's arguments give the command after --, one element per word.
func dashed(args []string) bool { return slices.Contains(args, "--") }

// ours are the arguments up to the one that ends them. A server named "--" would end them too early.
func ours(name, client string) []string {
	if name == "--" {
		return []string{"wrap", "--name=--", "--client", client, "--"}
	}
	return []string{"wrap", "--name", name, "--client", client, "--"}
}

// addressArgs are the arguments of a wrapper around an address, which flags name.
func addressArgs(name, client string, flags []string) []string {
	head := ours(name, client)
	return append(head[:len(head)-1:len(head)-1], flags...)
}
