// Package identity says which server is which (Of), and by which name people know it (Called) and its client (ClientOf). A server is
// identified by its transport and its command or URL, not by the name of its entry in a client's file, and servers with similar names are
// shown apart.
package identity

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/sallyport/sallyport/app/mask"
	"github.com/sallyport/sallyport/proxy/address"
	"github.com/sallyport/sallyport/proxy/control"
	"github.com/sallyport/sallyport/store"
)

// Server is identified by its transport and identifier only. The entry's name in a client's file is not part of it, so trust cannot follow
// a name to another command.
type Server struct {
	ID      string   // SHA-256 in hex
	Display string   // "stdio:[…]" or "url:…", secrets masked
	Argv    []string // masked
	URL     string   // masked, with the label of its account
	Secrets []string // the masked secrets, to mask them elsewhere too; never stored, never shown
}

const (
	TransportStdio = "stdio"
	TransportURL   = "url"
	maxArguments   = 4096
	maxIdentifier  = 1 << 20 // bytes of all arguments together, or of the URL: more than an operating system passes on
)

// Check refuses a server that could not be told from others.
func Check(ref control.ServerRef) error {
	parts, remote := ref.Argv, ref.Transport == TransportURL
	if remote {
		parts = []string{ref.URL}
	}
	raw, account := address.SplitAccount(ref.URL)
	switch {
	case !remote && ref.Transport != TransportStdio:
		return errors.New("unknown transport")
	case remote && ref.URL == "":
		return errors.New("a remote server needs a URL")
	case !remote && (len(ref.Argv) == 0 || ref.Argv[0] == ""):
		return errors.New("a stdio server needs a command")
	case remote && strings.ContainsRune(raw, ' '):
		return errors.New("the URL has a blank in it")
	case remote && raw != ref.URL && address.CheckAccount(account) != nil:
		return errors.New("the label of the account is not one that wrap takes")
	case ref.URL != "" && len(ref.Argv) != 0:
		return errors.New("a server has a command or a URL, not both")
	case len(parts) > maxArguments:
		return errors.New("too many arguments")
	}
	total := 0
	for _, p := range parts {
		// JSON turned invalid UTF-8 into U+FFFD on the way here, so two commands could become one server.
		if !utf8.ValidString(p) || strings.ContainsRune(p, utf8.RuneError) {
			return errors.New("the command is not valid UTF-8")
		}
		if total += len(p); total > maxIdentifier {
			return errors.New("the command is too long")
		}
	}
	return nil
}

// Of identifies the server that ref names. store.ServerID digests each part with its length: with joined strings, ["a b"] and ["a","b"]
// would be one server.
func Of(ref control.ServerRef) (Server, error) {
	if err := Check(ref); err != nil {
		return Server{}, err
	}
	id := Server{ID: store.ServerID(ref.Transport, ref.Argv, ref.URL)}
	if ref.Transport == TransportURL {
		raw, account := address.SplitAccount(ref.URL)
		id.URL, id.Secrets = mask.URL(raw)
		id.URL = address.WithAccount(id.URL, account)
		id.Display = "url:" + id.URL
	} else {
		id.Argv, id.Secrets = mask.Argv(ref.Argv)
		id.Display = "stdio:" + mask.PlainJSON(id.Argv)
	}
	if len(id.Secrets) > 0 {
		// Two entries that differ only in their token are two servers; the suffix tells them apart.
		id.Display += " #" + id.ID[:6]
	}
	return id, nil
}
