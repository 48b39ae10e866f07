package pin

import (
	"maps"
	"slices"
	"strings"

	"github.com/sallyport/sallyport/proxy/keychain/secretname"
)

// around adds a change of surroundings that a person is asked about. It keeps nothing from running.
func (d *LaunchDrift) around(c Change) { d.Changes = append(d.Changes, c) }

// joins adds a circumstance that needs no question.
func (d *LaunchDrift) joins(c Change) { d.Joins = append(d.Joins, c) }

// loaderValues returns the allowed values by name, for any client: a value allowed once is allowed for all.
func loaderValues(allowed []LaunchForm) map[string]map[string]bool {
	values := map[string]map[string]bool{}
	for _, a := range allowed {
		for _, l := range slices.Concat(a.Loaders, a.Values) {
			if values[l.Name] == nil {
				values[l.Name] = map[string]bool{}
			}
			values[l.Name][l.Hash] = true
		}
	}
	return values
}

func (d *LaunchDrift) loaders(f LaunchForm, allowed []LaunchForm) {
	values := loaderValues(allowed)
	for _, l := range f.Loaders {
		variable, secret, fills := SecretIn(l.Name)
		switch {
		case IsHome(l.Name), ClientSets(f.Client, l.Name), values[l.Name][l.Hash]:
		case fills:
			d.Changes = append(d.Changes, Change{Path: "loaders", Op: Added, Words: quote(variable) + " is filled in with your stored secret " + quote(secret)})
			d.filled, d.Grave, d.Strict = true, true, true
		case l.Off:
			d.around(Change{Path: "loaders", Op: Added, Words: "a switch is set, and off: " + quote(l.Name)})
		case values[l.Name] == nil:
			d.loader(Change{Path: "loaders", Op: Added, Words: quote(l.Name) + ", which can load code, is set now"})
		default:
			d.loader(Change{Path: "loaders", Op: Changed, Words: quote(l.Name) + ", which can load code, has another value"})
		}
	}
	for _, name := range f.goneLoaders(allowed) {
		if variable, secret, fills := SecretIn(name); fills {
			d.joins(Change{Path: "loaders", Op: Removed, Words: quote(variable) + " is no longer filled in with your stored secret " + quote(secret)})
			continue
		}
		d.around(Change{Path: "loaders", Op: Removed, Words: quote(name) + ", which can load code, is no longer set"})
	}
}

// SecretIn reads the name of a variable that is filled in with a stored secret, which counts as part of the name: VARIABLE=keychain:SECRET.
func SecretIn(name string) (variable, secret string, fills bool) {
	variable, text, _ := strings.Cut(name, "=")
	secret, fills = secretname.In(text)
	return variable, secret, fills
}

// CodeLoaders returns the sorted names of the variables that load code into this start or choose where it comes from, without switches that
// are off and without those the client sets for all its children. One that is filled in with a stored secret is among them (SecretIn).
func (f LaunchForm) CodeLoaders() []string {
	names := []string{}
	for _, l := range f.Loaders {
		if !IsHome(l.Name) && !l.Off && !ClientSets(f.Client, l.Name) {
			names = append(names, l.Name)
		}
	}
	return names
}

// loader adds a value that nobody has allowed.
func (d *LaunchDrift) loader(c Change) {
	d.Changes = append(d.Changes, c)
	d.injects, d.Grave, d.Strict = true, true, true
}

// goneLoaders returns the loaders that this client had at every allowed start and does not have now.
func (f LaunchForm) goneLoaders(allowed []LaunchForm) []string {
	var always map[string]bool
	for _, a := range f.ofClient(allowed) {
		names := map[string]bool{}
		for _, l := range a.Loaders {
			names[l.Name] = !IsHome(l.Name) && !ClientSets(f.Client, l.Name)
		}
		if always == nil {
			always = names
			continue
		}
		maps.DeleteFunc(always, func(name string, _ bool) bool { return !names[name] })
	}
	for _, l := range f.Loaders {
		delete(always, l.Name)
	}
	var gone []string
	for name, loads := range always {
		if loads {
			gone = append(gone, name)
		}
	}
	slices.Sort(gone)
	return gone
}

// ofClient returns the forms allowed for the client of f. A look has no circumstances of its own.
func (f LaunchForm) ofClient(allowed []LaunchForm) []LaunchForm {
	if f.Client == ProbeClient {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(allowed), func(a LaunchForm) bool { return a.Client != f.Client })
}

// IsHome reports whether a variable says where a person's files are, including the configuration of package managers. It is the same in
// every start of one client, differs between clients without meaning anything, and loads nothing by itself.
func IsHome(name string) bool {
	switch name {
	case "HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "XDG_CONFIG_HOME":
		return true
	}
	return false
}

// circumstances compares with those of the same client. A client's first ones are accepted.
func (d *LaunchDrift) circumstances(f LaunchForm, allowed []LaunchForm) {
	own := f.ofClient(allowed)
	switch {
	case f.Client == ProbeClient:
		return
	case len(own) == 0:
		d.joins(Change{Path: "client", Op: Added, Words: "the first start by this client: its folder and variables join what is allowed"})
		return
	}
	d.folder(f, own)
	d.homes(f, own, allowed)
	d.names(f, own)
}

func (d *LaunchDrift) folder(f LaunchForm, own []LaunchForm) {
	if f.knownFolder(own) {
		return
	}
	c := Change{Path: "dir", Op: Changed, Words: "runs in another folder", Before: own[len(own)-1].Dir, After: f.Dir}
	if StartsInProject(f.Client) {
		d.joins(c)
		return
	}
	d.around(c)
}

func (f LaunchForm) knownFolder(own []LaunchForm) bool {
	return slices.ContainsFunc(own, func(a LaunchForm) bool { return a.Dir == f.Dir })
}

// homes compares where a person's files are. That chooses configuration, and with it code, so pins.launch decides.
func (d *LaunchDrift) homes(f LaunchForm, own, allowed []LaunchForm) {
	for _, l := range f.movedHomes(own, allowed) {
		d.around(Change{Path: "home", Op: Changed, Words: "a variable that says where your configuration is has another value: " + quote(l.Name)})
		d.Strict = true
	}
}

func (f LaunchForm) movedHomes(own, allowed []LaunchForm) (moved []LaunchLoader) {
	if len(own) == 0 {
		return nil
	}
	values := loaderValues(allowed)
	for _, l := range f.Loaders {
		if IsHome(l.Name) && !values[l.Name][l.Hash] {
			moved = append(moved, l)
		}
	}
	return moved
}

// names compares which variables are set. They load nothing.
func (d *LaunchDrift) names(f LaunchForm, own []LaunchForm) {
	compared := map[string]bool{} // compared by value elsewhere
	for _, l := range f.Loaders {
		compared[l.Name] = true
	}
	had := map[string]int{}
	for _, a := range own {
		for _, l := range a.Loaders {
			compared[l.Name] = true
		}
		for _, name := range a.Variables {
			had[name]++
		}
	}
	more, fewer := []string{}, []string{}
	has := map[string]bool{}
	for _, name := range f.Variables {
		if has[name] = true; had[name] == 0 && !compared[name] {
			more = append(more, quote(name))
		}
	}
	for name, n := range had {
		if n == len(own) && !has[name] && !compared[name] && !ClientSets(f.Client, name) {
			fewer = append(fewer, quote(name))
		}
	}
	slices.Sort(fewer)
	if len(more) > 0 {
		d.joins(Change{Path: "variables", Op: Added, Words: "gets more variables: " + strings.Join(more, ", ")})
	}
	if len(fewer) > 0 {
		d.joins(Change{Path: "variables", Op: Removed, Words: "gets fewer variables, without " + strings.Join(fewer, ", ")})
	}
}

// Asked is what a person decides on when f differs from what is allowed: the program with the values nobody has allowed, or, if the program
// is the same, the surroundings in question. The digest of a pending launch covers only this, so that an item stays the same while only
// circumstances differ, and a rejection holds in all of them.
func (f LaunchForm) Asked(allowed []LaunchForm) LaunchForm {
	d := f.Against(allowed)
	asked := f.behind("")
	asked.Client, asked.Dir, asked.Variables, asked.Loaders, asked.Values = "", "", nil, nil, nil
	values := loaderValues(allowed)
	program := d.program || d.injects || len(allowed) == 0
	for _, l := range f.Loaders {
		if !IsHome(l.Name) && !ClientSets(f.Client, l.Name) && !values[l.Name][l.Hash] && (!program || !l.Off || len(allowed) == 0) {
			asked.Loaders = append(asked.Loaders, l)
		}
	}
	if program {
		return asked
	}
	for _, name := range f.goneLoaders(allowed) {
		asked.Loaders = append(asked.Loaders, LaunchLoader{Name: name})
	}
	own := f.ofClient(allowed)
	asked.Loaders = append(asked.Loaders, f.movedHomes(own, allowed)...)
	if len(own) > 0 && !f.knownFolder(own) && !StartsInProject(f.Client) {
		asked.Dir = f.Dir
	}
	if len(asked.Loaders) > 0 || asked.Dir != "" {
		asked.Client = f.Client // surroundings belong to one client
	}
	return asked
}

// launchClient describes how a client starts servers.
type launchClient struct {
	// sets are variables that the client sets for all its children: names, or prefixes before a *. They say nothing about a server,
	// whatever their value.
	sets []string
	// gives are those whose value is known before a start, for a look at a server that this client will start. {folder} is the server's
	// folder.
	gives []string
	// project means that the client starts servers in the folder it was opened in, so the folder says nothing about a server.
	project bool
}

// knownClients is data, by the value of --client. An unlisted client sets nothing and has one folder.
func knownClients(client string) launchClient {
	switch client {
	case "claude-code":
		return launchClient{
			sets:    []string{"AI_AGENT", "CLAUDECODE", "CLAUDE_CODE_*", "CLAUDE_PROJECT_DIR", "COREPACK_ENABLE_AUTO_PIN", "NoDefaultCurrentDirectoryInExePath"},
			gives:   []string{"CLAUDECODE=1", "CLAUDE_CODE_ENTRYPOINT=cli", "CLAUDE_PROJECT_DIR={folder}", "COREPACK_ENABLE_AUTO_PIN=0", "NoDefaultCurrentDirectoryInExePath=1"},
			project: true,
		}
	case "opencode":
		return launchClient{sets: []string{"AGENT", "OPENCODE", "OPENCODE_PID"}, gives: []string{"AGENT=1", "OPENCODE=1"}, project: true}
	case "gemini-cli":
		return launchClient{sets: []string{"GEMINI_CLI*"}, gives: []string{"GEMINI_CLI=1", "GEMINI_CLI_NO_RELAUNCH=true"}, project: true}
	case "copilot-cli":
		return launchClient{sets: []string{"COPILOT_*"}, project: true}
	case "codex", "continue", "cursor", "windsurf", "vscode", "zed", "mcp-inspector":
		return launchClient{project: true}
	}
	return launchClient{}
}

// ClientSets reports whether a client sets a variable for all its children. Under any other client the same name counts, and so does one that is filled
// in with a stored secret: no client does that.
func ClientSets(client, name string) bool {
	if _, _, fills := SecretIn(name); fills {
		return false
	}
	return slices.ContainsFunc(knownClients(client).sets, func(set string) bool {
		if beginning, ok := strings.CutSuffix(set, "*"); ok {
			return strings.HasPrefix(name, beginning)
		}
		return name == set
	})
}

// ClientGives returns variables, as NAME=VALUE, that a client adds to the environment of a server in a folder.
func ClientGives(client, folder string) []string {
	var gives []string
	for _, variable := range knownClients(client).gives {
		gives = append(gives, strings.Replace(variable, "{folder}", folder, 1))
	}
	return gives
}

// StartsInProject reports whether a client starts servers in the folder it was opened in. Others use one folder for all.
func StartsInProject(client string) bool { return knownClients(client).project }
