package main

import (
	"errors"
	"fmt"
	"strings"
)

// wrapOptions is what `sallyport wrap` was asked to do. argv is the server's command exactly as it stands after the first
// "--"; nothing of it is looked at.
type wrapOptions struct {
	name      string
	client    string
	url       string
	headers   []string
	transport string
	argv      []string
	help      bool
}

// parseWrap reads the arguments after `wrap`. It is written by hand because the way to the server's first byte must cost
// next to nothing, and because no word after the first "--" may be taken for one of ours, however much it looks like one.
func parseWrap(args []string) (wrapOptions, error) {
	o := wrapOptions{transport: "auto"}
	ours, argv, dashes := cutDashes(args)
	for i := 0; i < len(ours); i++ {
		name, value, joined := strings.Cut(ours[i], "=")
		if name == "--help" || name == "-h" {
			o.help = true
			return o, nil
		}
		if !strings.HasPrefix(name, "-") {
			return o, fmt.Errorf("%q stands before --; the server's command goes after it: sallyport wrap -- COMMAND [ARG…]", name)
		}
		into := map[string]*string{"--name": &o.name, "--client": &o.client, "--url": &o.url, "--transport": &o.transport}[name]
		if into == nil && name != "--header" {
			return o, fmt.Errorf(`unknown flag %s; "sallyport wrap --help" lists them, and flags of the server go after --`, name)
		}
		if !joined {
			i++
			if i == len(ours) {
				return o, fmt.Errorf("%s needs a value", name)
			}
			value = ours[i]
		}
		if into == nil {
			o.headers = append(o.headers, value)
		} else {
			*into = value
		}
	}
	o.argv = argv
	switch {
	case o.url == "" && !dashes:
		return o, errors.New("no server: sallyport wrap [--name NAME] -- COMMAND [ARG…]")
	case o.url == "" && len(argv) == 0:
		return o, errors.New("no command after --; the server's command goes there: sallyport wrap -- COMMAND [ARG…]")
	case o.url != "" && dashes:
		return o, errors.New("a --url and a command: one server at a time")
	case o.url != "":
		return o, errors.New("--url: remote servers are not supported by this version; wrap a command: sallyport wrap -- COMMAND [ARG…]")
	case len(o.headers) > 0:
		return o, errors.New("--header goes with --url")
	}
	return o, nil
}

// cutDashes parts arguments at the first "--". found says that there was one.
func cutDashes(args []string) (before, after []string, found bool) {
	for i, a := range args {
		if a == "--" {
			return args[:i], args[i+1:], true
		}
	}
	return args, nil, false
}
