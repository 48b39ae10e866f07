package clientconfig

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/sallyport/sallyport/proxy/keychain/secretname"
)

// userOption is one value that an extension asks the person for (the manifest's user_config).
type userOption struct {
	Type      string          `json:"type"`
	Required  bool            `json:"required"`
	Default   json.RawMessage `json:"default"`
	Multiple  bool            `json:"multiple"`
	Sensitive bool            `json:"sensitive"`
	Min       *float64        `json:"min"`
	Max       *float64        `json:"max"`
}

// started is how the manifest says that the server is started.
type started struct {
	Command   string             `json:"command"`
	Args      []string           `json:"args"`
	Env       json.RawMessage    `json:"env"` // a text for each name; variables reads it
	Overrides map[string]started `json:"platform_overrides"`
}

// Convert is a desktop extension as an entry of its client's file: what the client would start, with all placeholders filled in. given are
// values that the person names, KEY to value; the others come from the client's own settings of the extension, then from the manifest's
// defaults. It writes nothing.
func Convert(s System, id string, given map[string]string) (called string, fresh Fresh, err error) {
	e, l, err := extensionOf(s, id)
	if err != nil {
		return "", fresh, err
	}
	raw, err := readSmall(filepath.Join(e.Folder, "manifest.json"))
	if err != nil || e.Problem != "" {
		return "", fresh, errors.New("this extension can't be converted: its manifest can't be read")
	}
	var m struct {
		manifest
		Options map[string]userOption `json:"user_config"`
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return "", fresh, errOtherType
	}
	f := &filler{system: s, folder: e.Folder, values: map[string][]string{}, secret: map[string]bool{}}
	for key := range given {
		if _, known := m.Options[key]; !known {
			return "", fresh, errors.New("the extension asks for no value of a name given with --set")
		}
	}
	if err := f.options(m.Options, given, userConfig(l, id)); err != nil {
		return "", fresh, err
	}
	command, args := m.Server.Config.argv(s)
	variables, err := m.Server.Config.variables(s)
	if command == "" {
		command, args, err = usual(m.Server.Type, m.Server.EntryPoint)
		variables = nil
	}
	if err != nil {
		return "", fresh, err
	}
	for i, word := range append([]string{command}, args...) {
		if key := f.names(word); key != "" {
			return "", fresh, fmt.Errorf("user_config %s is a secret, and the extension takes it as an argument, which every program on this computer can see: it can't be converted", key)
		}
		words, err := f.words(word)
		if err != nil {
			return "", fresh, err
		}
		if i == 0 && (len(words) != 1 || words[0] == "") {
			return "", fresh, errors.New("this extension can't be converted: its command is empty")
		}
		fresh.Argv = append(fresh.Argv, words...)
	}
	names := slices.Sorted(maps.Keys(variables))
	for _, name := range names {
		values, err := f.words(variables[name])
		if err != nil {
			return "", fresh, err
		}
		switch key := f.names(variables[name]); {
		case key != "" && variables[name] != "${user_config."+key+"}":
			return "", fresh, fmt.Errorf("user_config %s is a secret, and the extension takes it as a part of a variable: it can't be converted", key)
		case key == "" && slices.ContainsFunc(values, refersToSecret):
			return "", fresh, errors.New("this extension can't be converted: a variable of it names one of your secrets, which you have not given to it")
		}
		if len(values) > 0 { // a value that the person left out is not set
			fresh.Env = append(fresh.Env, name+"="+strings.Join(values, ","))
		}
	}
	if name := homeMover(names); name != "" {
		return "", fresh, errors.New("this extension can't be converted: " + movedHome(name))
	}
	return cmp.Or(m.Name, id), fresh, nil
}

// extensionOf finds an extension by its id.
func extensionOf(s System, id string) (Extension, Location, error) {
	for _, l := range Places(s) {
		if l.Client != ClaudeDesktop {
			continue
		}
		all, err := Extensions(l, s)
		if err != nil {
			return Extension{}, l, err
		}
		for _, e := range all {
			if e.ID == id {
				return e, l, nil
			}
		}
	}
	return Extension{}, Location{}, errors.New("no desktop extension has this ID; \"sallyport status\" says how each can be converted")
}

// over is what differs on a system.
func (c started) over(s System) started {
	return c.Overrides[cmp.Or(map[string]string{"windows": "win32"}[s.OS], s.OS)]
}

// argv is what is started on a system.
func (c started) argv(s System) (command string, args []string) {
	over := c.over(s)
	command, args = cmp.Or(over.Command, c.Command), c.Args
	if over.Args != nil {
		args = over.Args
	}
	return command, args
}

// variables are those that are set for it on a system.
func (c started) variables(s System) (map[string]string, error) {
	all := map[string]string{}
	for _, raw := range []json.RawMessage{c.Env, c.over(s).Env} {
		var some map[string]string
		if len(raw) > 0 && json.Unmarshal(raw, &some) != nil {
			return nil, errOtherType
		}
		maps.Copy(all, some)
	}
	return all, nil
}

var errOtherType = errors.New("this extension can't be converted: its manifest has a member of another type than the format says")

// usual is how a server is started whose manifest leaves that to its kind.
func usual(kind, entry string) (command string, args []string, err error) {
	at := "${__dirname}/" + entry
	switch {
	case entry == "":
	case kind == "node":
		return "node", []string{at}, nil
	case kind == "python":
		return "python3", []string{at}, nil
	case kind == "binary":
		return at, nil, nil
	}
	return "", nil, errors.New("this extension can't be converted: its manifest doesn't say how its server is started")
}

// userConfig are the values that the person gave the client for an extension. A secret is encrypted there.
func userConfig(l Location, id string) map[string]json.RawMessage {
	raw, err := readSmall(filepath.Join(l.Folder, "Claude Extensions Settings", id+".json"))
	var settings struct {
		Values map[string]json.RawMessage `json:"userConfig"`
	}
	if err != nil || json.Unmarshal(raw, &settings) != nil {
		return nil
	}
	return settings.Values
}

// filler replaces placeholders.
type filler struct {
	system System
	folder string
	values map[string][]string // of user_config; one without a value is there with none
	secret map[string]bool     // those whose value is keychain:NAME
}

// names is the first secret that a text has a placeholder for, "" if it has none.
func (f *filler) names(text string) string {
	for _, found := range placeholder().FindAllString(text, -1) {
		if key, is := strings.CutPrefix(found, "${user_config."); is && f.secret[strings.TrimSuffix(key, "}")] {
			return word(strings.TrimSuffix(key, "}"))
		}
	}
	return ""
}

// SecretsOf are the secrets that an extension needs: the keys of those that are not given, and the names in the keychain of those that are.
func SecretsOf(s System, id string, given map[string]string) (wanted, names []string, err error) {
	e, l, err := extensionOf(s, id)
	if err != nil {
		return nil, nil, err
	}
	raw, err := readSmall(filepath.Join(e.Folder, "manifest.json"))
	if err != nil {
		return nil, nil, err
	}
	var m struct {
		Options map[string]userOption `json:"user_config"`
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, nil, err
	}
	saved := userConfig(l, id)
	for key, option := range m.Options {
		value, is := given[key]
		switch {
		case !option.Sensitive || !plainWord().MatchString(key):
		case is && refersToSecret(value):
			name, _ := secretname.In(value)
			names = append(names, name)
		case !is && option.needed(saved[key]):
			wanted = append(wanted, key)
		}
	}
	slices.Sort(wanted)
	slices.Sort(names)
	return wanted, names, nil
}

// refersToSecret reports whether a text is what stands for a secret in an entry's env: the wrapper gives the server its value.
func refersToSecret(text string) bool {
	_, is := secretname.In(text)
	return is
}

// needed reports whether an extension can't go without a secret, or the client has one for it.
func (o userOption) needed(saved json.RawMessage) bool {
	return o.Required || len(saved) > 0 && string(saved) != "null" && string(saved) != `""`
}

// options settles every value that the extension asks for.
func (f *filler) options(all map[string]userOption, given map[string]string, saved map[string]json.RawMessage) error {
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		option := all[name]
		value, ok := given[name]
		var values []string
		var err error
		switch has, known := saved[name]; {
		case option.Sensitive && ok && refersToSecret(value):
			f.values[name], f.secret[name] = []string{value}, true
			continue
		case option.Sensitive && ok:
			return fmt.Errorf("user_config %[1]s is a secret, which must not be on a command line: leave it out and type it when you are asked, or store it and use --set %[1]s=keychain:NAME", word(name))
		case option.Sensitive && option.needed(has):
			return fmt.Errorf("user_config %[1]s is a secret: store it with sallyport secret set NAME, then use --set %[1]s=keychain:NAME", word(name))
		case ok:
			values, err = option.read(value)
		case known && string(has) != "null":
			values, err = option.decode(has)
		case len(option.Default) > 0 && string(option.Default) != "null":
			if values, err = option.decode(option.Default); err == nil {
				for i := range values {
					values[i] = f.places(values[i])
				}
			}
		}
		if err == nil {
			err = option.check(values)
		}
		if err == nil && option.Required && len(values) == 0 {
			err = errors.New("has no value: set it in the client's settings of the extension, or give it with --set KEY=VALUE")
		}
		if err != nil {
			return fmt.Errorf("user_config %s %w", word(name), err)
		}
		f.values[name] = values
	}
	return nil
}

var plainWord = lazy(`^[A-Za-z0-9_.-]{1,64}$`)

// word is a name of the manifest's in a sentence of ours.
func word(name string) string {
	if plainWord().MatchString(name) {
		return name
	}
	return "(a name with other characters)"
}

// read is a value from the command line.
func (o userOption) read(text string) ([]string, error) {
	if o.Multiple {
		return strings.Split(text, string(os.PathListSeparator)), nil
	}
	return []string{text}, nil
}

// decode is a value from JSON, as the client writes it into a command.
func (o userOption) decode(raw json.RawMessage) (values []string, err error) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		list = []json.RawMessage{raw}
	}
	for _, one := range list {
		var text string
		var number json.Number
		var truth bool
		switch {
		case json.Unmarshal(one, &text) == nil:
		case json.Unmarshal(one, &truth) == nil:
			text = strconv.FormatBool(truth)
		case json.Unmarshal(one, &number) == nil:
			text = number.String()
		default:
			return nil, errors.New("has a value of a type that this version doesn't know")
		}
		values = append(values, text)
	}
	if len(values) == 1 && values[0] == "" {
		return nil, nil // an empty field
	}
	return values, nil
}

func (o userOption) check(values []string) error {
	if len(values) > 1 && !o.Multiple {
		return errors.New("has several values, and takes one")
	}
	for _, value := range values {
		if strings.ContainsAny(value, "\x00\r\n") {
			return errors.New("has a value with characters that can't be passed to a program")
		}
		switch o.Type {
		case "number":
			n, err := strconv.ParseFloat(value, 64)
			switch {
			case err != nil || math.IsInf(n, 0) || math.IsNaN(n):
				return errors.New("has a value that is not a number")
			case o.Min != nil && n < *o.Min || o.Max != nil && n > *o.Max:
				return errors.New("has a value outside the limits that the manifest sets")
			}
		case "boolean":
			if value != "true" && value != "false" {
				return errors.New("has a value other than true and false")
			}
		case "directory", "file":
			info, err := os.Stat(value)
			if !filepath.IsAbs(value) || err != nil || info.IsDir() != (o.Type == "directory") {
				return fmt.Errorf("has a value that is not the path of a %s on this computer", map[string]string{"file": "file", "directory": "folder"}[o.Type])
			}
		}
	}
	return nil
}

var placeholder = lazy(`\$\{[^{}]*\}`)

// words fills in one word. Where it is a placeholder alone, a value with several parts becomes as many words, and one without a value none.
func (f *filler) words(text string) (words []string, err error) {
	if name, is := strings.CutPrefix(text, "${user_config."); is && placeholder().FindString(text) == text {
		values, known := f.values[strings.TrimSuffix(name, "}")]
		if !known {
			return nil, errUnknownPlaceholder
		}
		return values, nil
	}
	filled := placeholder().ReplaceAllStringFunc(text, func(found string) string {
		if name, is := strings.CutPrefix(found, "${user_config."); is {
			values, known := f.values[strings.TrimSuffix(name, "}")]
			if !known {
				err = errUnknownPlaceholder
			}
			return strings.Join(values, ",")
		}
		if found == "${__dirname}" {
			return f.folder
		}
		to := f.places(found)
		if to == found {
			err = errUnknownPlaceholder
		}
		return to
	})
	return []string{filled}, err
}

var errUnknownPlaceholder = errors.New("this extension can't be converted: it has a placeholder that this version doesn't know")

// places fills in the placeholders for folders of the person.
func (f *filler) places(text string) string {
	return placeholder().ReplaceAllStringFunc(text, func(found string) string {
		switch found {
		case "${HOME}":
			return f.system.path(f.system.Home)
		case "${DESKTOP}":
			return f.system.path(f.system.Home, "Desktop")
		case "${DOCUMENTS}":
			return f.system.path(f.system.Home, "Documents")
		case "${DOWNLOADS}":
			return f.system.path(f.system.Home, "Downloads")
		case "${/}", "${pathSeparator}":
			return string(filepath.Separator)
		}
		return found
	})
}
