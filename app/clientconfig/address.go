package clientconfig

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/sallyport/sallyport/proxy/address"
)

// Address is a remote server as an entry names it. It contains the values of headers, so keep it like a secret.
type Address struct {
	URL       string // as written; "" if it is in a variable that the entry doesn't set
	Source    string // env:VAR if the URL is in a variable, "" if it is among the arguments
	Transport string // auto, http or sse
	Headers   []Header
	Account   string // label of the account that is used there, "" for none; a client's own entry has none
}

// Header is sent along to a remote server.
type Header struct {
	Name  string
	Word  string // in front of what From names, such as Bearer; "" for none
	From  string // env or keychain; "" if the entry has the value
	Key   string // the variable, or the name in the keychain
	Value string // if From is ""
}

func (a Address) String() string   { return fmt.Sprintf("address with %d headers", len(a.Headers)) }
func (a Address) GoString() string { return a.String() }
func (h Header) String() string    { return "header " + h.Name }
func (h Header) GoString() string  { return h.String() }

// The variables into which values go that must not be among the arguments. The wrapper takes them out of its environment once it has read them.
const (
	urlVariable    = "MCP_URL"
	headerVariable = "MCP_HEADER_" // and a number from 1
)

// moved reports whether a variable is one of these.
func movedVariable(name string) bool {
	return name == urlVariable || strings.HasPrefix(name, headerVariable)
}

// Flags are the arguments of a wrapper that name the address.
func (a Address) Flags() []string {
	given := a.Source
	if given == "" {
		given = a.URL
	}
	flags := []string{"--url", given}
	if a.Transport != "auto" {
		flags = append(flags, "--transport", a.Transport)
	}
	if a.Account != "" {
		flags = append(flags, "--account", a.Account)
	}
	n := 0
	for _, h := range a.Headers {
		from := h.From + ":" + h.Key
		if h.From == "" {
			n++
			from = "env:" + headerVariable + strconv.Itoa(n)
		}
		if h.Word != "" {
			from = h.Word + " " + from
		}
		flags = append(flags, "--header", h.Name+": "+from)
	}
	return flags
}

// Environ are the variables that go with Flags, NAME=VALUE.
func (a Address) Environ() (env []string) {
	if a.Source == "env:"+urlVariable {
		env = append(env, urlVariable+"="+a.URL)
	}
	n := 0
	for _, h := range a.Headers {
		if h.From == "" {
			n++
			env = append(env, headerVariable+strconv.Itoa(n)+"="+h.Value)
		}
	}
	return env
}

// Known reports whether the file has the URL as the wrapper will see it. Otherwise the client fills it in.
func (a Address) Known() bool { return a.URL != "" && !refers(a.URL) }

// Refers reports whether the client fills in a part of the address or of a header, so that it can't be reached with what is in the file.
func (a Address) Refers() bool {
	return !a.Known() || slices.ContainsFunc(a.Headers, func(h Header) bool { return refers(h.Value) })
}

// refers reports whether a text may contain a reference: $NAME, ${NAME}, ${input:NAME}, {env:NAME}, ${{ secrets.NAME }}.
func refers(text string) bool {
	return strings.ContainsAny(text, "$") || strings.Contains(text, "{env:") || strings.Contains(text, "{file:")
}

// Server is what the server at the address is known by: the URL, and the label of the account.
func (a Address) Server() string { return address.WithAccount(a.URL, a.Account) }

// equal reports whether two addresses are one in a client's file: the order of headers doesn't count, and an account has no place there.
func (a Address) equal(b Address) bool {
	sorted := func(headers []Header) []Header {
		return slices.SortedFunc(slices.Values(headers), func(x, y Header) int { return strings.Compare(x.Name, y.Name) })
	}
	return a.URL == b.URL && a.Transport == b.Transport && slices.Equal(sorted(a.Headers), sorted(b.Headers))
}

// wraps finds the address behind `wrap … --url …`.
func (e Entry) wraps() (a Address, ok bool) {
	if len(e.Args) == 0 || e.Args[0] != "wrap" || slices.Contains(e.Args, "--") {
		return a, false
	}
	env := e.variables()
	a.Transport = "auto"
	for i := 1; i < len(e.Args); i++ {
		flag, value, joined := strings.Cut(e.Args[i], "=")
		if !slices.Contains([]string{"--name", "--client", "--url", "--transport", "--header", "--account"}, flag) {
			continue
		}
		if !joined {
			if i++; i == len(e.Args) {
				return a, false
			}
			value = e.Args[i]
		}
		switch flag {
		case "--url":
			if ok {
				return a, false
			}
			a.URL, ok = value, true
			if name, isVariable := strings.CutPrefix(value, "env:"); isVariable {
				a.URL, a.Source = env[name], value
			}
		case "--transport":
			a.Transport = value
		case "--account":
			if a.Account = value; address.CheckAccount(value) != nil {
				return a, false
			}
		case "--header":
			h, is := headerFrom(value, env)
			if !is {
				return a, false
			}
			a.Headers = append(a.Headers, h)
		}
	}
	return a, ok
}

// AddressOf is the address that flags of wrap name: --url, which may be env:VAR, --transport, each --header, and --account, "" for none.
func AddressOf(given, transport string, headers []string, account string) (a Address, err error) {
	a = Address{URL: given, Transport: transport, Account: account}
	switch {
	case strings.HasPrefix(given, "env:"):
		a.URL, a.Source = "", given
	case strings.Contains(given, "?"):
		return a, errors.New("the address has a ? part, which may hold a secret; put it into a variable that the client has: env:VAR")
	case AddressProblem(given) != "":
		return a, errors.New("the address " + AddressProblem(given))
	}
	if !slices.Contains([]string{"auto", "http", "sse"}, transport) {
		return a, errors.New("the transport is auto, http or sse")
	}
	if account != "" {
		if err := address.CheckAccount(account); err != nil {
			return a, fmt.Errorf("--account: %w", err)
		}
	}
	if _, err := address.ParseHeaders(headers); err != nil {
		return a, fmt.Errorf("--header: %w", err)
	}
	for _, text := range headers {
		h, _ := headerFrom(text, nil)
		a.Headers = append(a.Headers, h)
	}
	return a, nil
}

// headerFrom reads the value of --header, as the wrapper does. A value that was moved into the entry's env is taken from there.
func headerFrom(text string, env map[string]string) (h Header, ok bool) {
	read, err := address.ParseHeader(text)
	if err != nil {
		return h, false
	}
	name, _, _ := strings.Cut(text, ":") // as spelled
	h = Header{Name: strings.TrimSpace(name), Word: read.Word, From: read.From, Key: read.Key}
	if said, there := env[h.Key]; there && h.From == "env" && h.Word == "" && strings.HasPrefix(h.Key, headerVariable) {
		h = Header{Name: h.Name, Value: said}
	}
	return h, true
}

// AddressProblem says what the wrapper would refuse an address for, as the end of "its address …", "" if nothing.
func AddressProblem(raw string) string {
	if strings.IndexFunc(raw, func(c rune) bool { return c <= ' ' || c > '~' }) >= 0 {
		return "has a character other than printable ASCII; write it percent-encoded"
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil, u.Scheme != "https" && u.Scheme != "http", u.Hostname() == "":
		return "is not one of the form https://HOST/PATH"
	case u.User != nil:
		return "has a user name or password in it; put them into a header"
	case u.Fragment != "" || strings.Contains(raw, "#"):
		return "has a # part, which no server gets"
	}
	return ""
}

// inTheClear reports whether an address sends everything over the network as it is. A name that is not this computer's by its look counts as
// another's: nothing is looked up here.
func inTheClear(raw string) bool {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "http" {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return !strings.EqualFold(u.Hostname(), "localhost") && (err != nil || !ip.Unmap().IsLoopback())
}

// variables are the texts of an entry's env.
func (e Entry) variables() map[string]string {
	all := map[string]string{}
	if e.env == nil {
		return all
	}
	for i := range e.env.Members {
		if value := e.env.Members[i].Value; value.Value.Kind() == '"' {
			all[literal(e.env.Members[i].Name)] = literal(value)
		}
	}
	return all
}
