package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sallyport/sallyport/proxy/address"
)

// wrapOptions are the options of `sallyport wrap`. argv is the server's command exactly as given after the first "--", or in --argv;
// nothing in it is interpreted.
type wrapOptions struct {
	name      string
	client    string
	url       string
	headers   []string
	transport string
	account   string
	argv      []string
	help      bool
}

// parseWrap reads the arguments after `wrap`. It is written by hand because the way to the server's first byte must cost next to nothing,
// and because no word after the first "--" may be taken for one of our flags.
func parseWrap(args []string) (wrapOptions, error) {
	o := wrapOptions{transport: "auto"}
	ours, argv, dashes := args, []string(nil), false
	if at := slices.Index(args, "--"); at >= 0 {
		ours, argv, dashes = args[:at], args[at+1:], true
	}
	for i := 0; i < len(ours); i++ {
		name, value, joined := strings.Cut(ours[i], "=")
		if name == "--help" || name == "-h" {
			o.help = true
			return o, nil
		}
		if !strings.HasPrefix(name, "-") {
			return o, fmt.Errorf("%q comes before --; put the server's command after it: sallyport wrap -- COMMAND [ARG…]", name)
		}
		if name == "--argv" {
			if !joined {
				return o, errors.New(`--argv takes its value after an equals sign: --argv='["COMMAND","ARG"]'`)
			}
			if dashes || o.argv != nil {
				return o, errors.New("two commands given: use --argv once, and nothing after --")
			}
			var err error
			if o.argv, err = argvOf(value); err != nil {
				return o, fmt.Errorf("--argv: %w", err)
			}
			continue
		}
		into := map[string]*string{"--name": &o.name, "--client": &o.client, "--url": &o.url, "--transport": &o.transport, "--account": &o.account}[name]
		if into == nil && name != "--header" {
			return o, fmt.Errorf(`unknown flag %s; run "sallyport wrap --help" to see them, and put the server's flags after --`, name)
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
		if into == &o.account {
			if err := address.CheckAccount(value); err != nil {
				return o, fmt.Errorf("--account: %w", err)
			}
		}
	}
	if !dashes && o.argv != nil {
		argv, dashes = o.argv, true
	}
	o.argv = argv
	switch {
	case o.url == "" && !dashes:
		return o, errors.New("no server given: use sallyport wrap [--name NAME] -- COMMAND [ARG…]")
	case o.url == "" && len(argv) == 0:
		return o, errors.New("no command after --; put the server's command there: sallyport wrap -- COMMAND [ARG…]")
	case o.url != "" && dashes:
		return o, errors.New("--url can't be used with a command: wrap one server at a time")
	case !slices.Contains([]string{"auto", "http", "sse"}, o.transport):
		return o, errors.New("--transport is auto, http or sse")
	case o.url != "":
		return o, nil
	case o.transport != "auto":
		return o, errors.New("--transport goes with --url")
	case len(o.headers) > 0:
		return o, errors.New("--header goes with --url")
	case o.account != "":
		return o, errors.New("--account goes with --url")
	}
	return o, nil
}

// argvOf reads the value of --argv: an unambiguous JSON array of strings. It refuses what encoding/json would repair: half a surrogate
// pair, invalid UTF-8, a null.
func argvOf(text string) ([]string, error) {
	var words []*string
	decoder := json.NewDecoder(strings.NewReader(text))
	if err := decoder.Decode(&words); err != nil || decoder.More() || decoder.InputOffset() != int64(len(strings.TrimRight(text, " \t\r\n"))) {
		return nil, errors.New(`not a JSON array of strings, such as ["npx","-y","server"]`)
	}
	argv := make([]string, len(words))
	for i, word := range words {
		if word == nil {
			return nil, fmt.Errorf("item %d is null; every item must be a string", i+1)
		}
		argv[i] = *word
	}
	if len(argv) == 0 || argv[0] == "" {
		return nil, errors.New("it is empty: the first item is the program")
	}
	if !utf8.ValidString(text) || strings.Count(strings.Join(argv, ""), "\uFFFD") != strings.Count(text, "\uFFFD")+strings.Count(strings.ToLower(text), `\ufffd`) {
		return nil, errors.New("it has a character that can't be read: invalid UTF-8, or half of a surrogate pair")
	}
	return argv, nil
}
