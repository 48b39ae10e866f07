package policy

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// The providers that can be switched on. The built-in one always runs.
const (
	ProviderBuiltin       = "builtin"
	ProviderCommand       = "command"
	ProviderHTTP          = "http"
	ProviderLlamaFirewall = "llamafirewall"
)

// Providers are all of them, in the order in which a list names them.
func Providers() []string {
	return []string{ProviderBuiltin, ProviderCommand, ProviderHTTP, ProviderLlamaFirewall}
}

// Guardrail is what the settings of a server say about guardrail providers.
type Guardrail struct {
	Providers []string // those beside the built-in one. A name that is none of Providers() is one that always fails
	Argv      []string // of the command provider; nil for none
	URL       string   // of the HTTP provider; "" for none
	Format    string   // sallyport or openai
	Model     string   // "" for none
	Key       string   // env:VARIABLE or keychain:NAME; "" for none
	Python    string   // that runs LlamaFirewall; "" for none
	Timeout   time.Duration
	Hold      bool // hold a response that a provider failed to check
	Remote    bool // the text of this server can be sent to another computer
}

// ForGuardrail converts values for what asks the providers, as ForWrapper does.
func ForGuardrail(v Values) Guardrail {
	timeout, _ := v.duration("guardrail.timeout")
	some := func(key string) string {
		if value := v.safe(key); value != off {
			return value
		}
		return ""
	}
	g := Guardrail{
		Providers: strings.Split(v.safe("guardrail.provider"), ",")[1:],
		URL:       some("guardrail.http.url"),
		Format:    v.safe("guardrail.http.format"),
		Model:     some("guardrail.http.model"),
		Key:       some("guardrail.http.key"),
		Python:    some("guardrail.llamafirewall.python"),
		Timeout:   timeout,
		Hold:      v.safe("guardrail.on_error") == "hold",
		Remote:    v.safe("guardrail.remote") == "on",
	}
	_ = json.Unmarshal([]byte(some("guardrail.command.argv")), &g.Argv) // nothing if off
	return g
}

// Away reports whether a provider is on another computer. One without an address is nowhere, and fails here.
func (g Guardrail) Away(provider string) bool {
	return provider == ProviderHTTP && g.URL != "" && !Loopback(g.URL)
}

// divided are the providers here, those elsewhere that are given the text, and those elsewhere that are not, each with commas between.
func (g Guardrail) divided() (here, away, unsent string) {
	var lists [3][]string
	for _, name := range g.Providers {
		switch {
		case !g.Away(name):
			lists[0] = append(lists[0], name)
		case g.Remote:
			lists[1] = append(lists[1], name)
		default:
			lists[2] = append(lists[2], name)
		}
	}
	return strings.Join(lists[0], ","), strings.Join(lists[1], ","), strings.Join(lists[2], ",")
}

// Loopback reports whether an address stays on this computer. Only numbers and "localhost" do: a resolver decides about other names.
func Loopback(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	host := strings.ToLower(u.Hostname())
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}

// chooser is a kind that can tell more about a value that a person chooses now than about one in a file.
type chooser interface{ choose(canonical string) error }

// Choose is Parse for a value that a person chooses now. It also refuses what a file may hold although nothing provides it.
func (s Setting) Choose(value string) (canonical string, err error) {
	canonical, err = s.Parse(value)
	if c, ok := s.kind.(chooser); ok && err == nil {
		if err = c.choose(canonical); err != nil {
			return "", fmt.Errorf("%s: %w", s.Key, err)
		}
	}
	return canonical, err
}

// lister is a kind whose value can be a JSON list in a file.
type lister interface{ list(items []string) string }

// providers is a list of guardrail providers, the built-in one first. Each makes things safer, so only taking one off is less safe. An
// unknown name stays in the list: it is a provider that always fails, since dropping it would check less than the file says.
type providers struct{}

// maxProviders limits a list of a file.
const maxProviders = 8

func (providers) list(items []string) string { return strings.Join(items, ",") }

func (providers) parse(value string) (string, error) {
	known := Providers()
	names := []string{ProviderBuiltin}
	for name := range strings.SplitSeq(strings.ToLower(value), ",") {
		name = strings.TrimSpace(name)
		if !wordOf(name, 32, lower, lower+digits+"_-") {
			return "", fmt.Errorf("%.40q is not one of %s", name, strings.Join(known, ", "))
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) > maxProviders {
		return "", fmt.Errorf("more than %d providers", maxProviders)
	}
	place := func(name string) int {
		if i := slices.Index(known, name); i >= 0 {
			return i
		}
		return len(known)
	}
	slices.SortFunc(names, func(a, b string) int {
		if d := place(a) - place(b); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return strings.Join(names, ","), nil
}

func (providers) choose(canonical string) error {
	for name := range strings.SplitSeq(canonical, ",") {
		if !slices.Contains(Providers(), name) {
			return fmt.Errorf("%.40q is not one of %s", name, strings.Join(Providers(), ", "))
		}
	}
	return nil
}

func (providers) risk(canonical string) (float64, error) {
	return -float64(strings.Count(canonical, ",")), nil
}

// rival: a list without one of the others is not safer, however long it is.
func (providers) rival(a, b string) bool {
	for name := range strings.SplitSeq(a, ",") {
		if !slices.Contains(strings.Split(b, ","), name) {
			return true
		}
	}
	return false
}

// named is a kind that names something a person has to trust, such as a program or an address, or off. Every change is a decision: nothing
// can be said about which of two is safer, and without one its provider fails.
type named struct {
	check func(value string) (canonical string, err error) // of a value that is not off
}

func (n named) parse(value string) (string, error) {
	if strings.EqualFold(value, off) {
		return off, nil
	}
	return n.check(value)
}

func (named) risk(string) (float64, error) { return 0, nil }

func (named) rival(a, b string) bool { return a != b }

func (named) list(items []string) string {
	encoded, err := json.Marshal(items)
	if err != nil {
		return ""
	}
	return string(encoded)
}

const (
	maxArguments = 64
	maxArgument  = 4096
)

var errArgv = errors.New(`use a JSON array of strings, the program first, such as ["python3","/home/me/check.py"], or off`)

// argv reads a command. Its program is a full path or a bare name: the hub's folder means nothing to a person.
func argv(value string) (string, error) {
	var words []string
	if json.Unmarshal([]byte(value), &words) != nil || len(words) == 0 || len(words) > maxArguments {
		return "", errArgv
	}
	for _, word := range words {
		if len(word) > maxArgument || !utf8.ValidString(word) || strings.ContainsFunc(word, unwritten) {
			return "", fmt.Errorf("an argument is longer than %d bytes or has invisible characters", maxArgument)
		}
	}
	if err := programName(words[0]); err != nil {
		return "", err
	}
	var out strings.Builder
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(words); err != nil {
		return "", errArgv
	}
	return strings.TrimSpace(out.String()), nil
}

// fullPath reads the path of a program. Unlike a file's, it may not be cleaned: a link decides which packages a Python has.
func fullPath(value string) (string, error) {
	if _, err := (file{}).parse(value); err != nil {
		return "", errors.New("use the full path of a program, or off")
	}
	return value, nil
}

func programName(name string) error {
	if name == "" {
		return errors.New("the program has no name")
	}
	if !strings.ContainsAny(name, `/\`) {
		return nil
	}
	if _, err := (file{}).parse(name); err != nil {
		return errors.New("use the full path of the program, or its bare name")
	}
	return nil
}

// address reads the URL of a provider. Its errors never repeat the value: people paste addresses with a key in them.
func address(value string) (string, error) {
	u, err := url.Parse(value)
	switch {
	case err != nil || len(value) > maxPath || strings.ContainsFunc(value, unwritten) || u.Host == "" || u.Hostname() == "" || u.Opaque != "":
		return "", errors.New("use an address such as https://guard.example/check or http://127.0.0.1:8080/check, or off")
	case u.User != nil:
		return "", errors.New("the address has a name or password in it; put the key where guardrail.http.key can name it")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return "", errors.New("the address can't have a ? or # part; put the key where guardrail.http.key can name it")
	case u.Scheme != "https" && u.Scheme != "http":
		return "", errors.New("the address must start with https://, or with http:// on this computer")
	case u.Scheme == "http" && !Loopback(value):
		return "", errors.New("http:// is only allowed on this computer (127.0.0.1, ::1, localhost); use https://")
	}
	return u.String(), nil
}

// modelName reads the name of a model.
func modelName(value string) (string, error) {
	if !wordOf(value, 200, letters+digits, letters+digits+"._:/@+-") {
		return "", errors.New("use the name of a model, in letters, digits and . _ : / @ + -, or off")
	}
	return value, nil
}

// keyPlace reads where a key is. The error never repeats the value, since what people type here by mistake is the key.
func keyPlace(value string) (string, error) {
	variable, env := strings.CutPrefix(value, "env:")
	secret, keychain := strings.CutPrefix(value, "keychain:")
	if !(env && wordOf(variable, 128, letters+"_", letters+digits+"_")) && !(keychain && wordOf(secret, 64, letters+digits, letters+digits+"._-")) {
		return "", errors.New("use env:VARIABLE or keychain:NAME, which say where the key is, or off; never the key itself. The value you gave was not stored")
	}
	return value, nil
}

const (
	lower   = "abcdefghijklmnopqrstuvwxyz"
	letters = lower + "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits  = "0123456789"
)

// wordOf reports whether a text begins with one of the characters of first, consists of those of all, and has at most most. It is no regular
// expression because those of a package are compiled at every start: four took 0.8 ms of the 5 that the start of a wrapped server may cost.
func wordOf(text string, most int, first, all string) bool {
	return text != "" && len(text) <= most && strings.Contains(first, text[:1]) && strings.Trim(text, all) == ""
}

// Everywhere are the values in force for all servers, and those for each name that has values of its own.
func (d Document) Everywhere() []Values {
	var all []Values
	for _, p := range places(d, Document{}, nil) {
		if p.tool == "" {
			all = append(all, d.at(p))
		}
	}
	return all
}
