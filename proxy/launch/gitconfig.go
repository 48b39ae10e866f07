package launch

import (
	"strconv"
	"strings"
)

// The variables that configure git for the programs below (git-config(1), "ENVIRONMENT"): a number of pairs, and a key and a value for each.
const (
	gitCount = "GIT_CONFIG_COUNT"
	gitKey   = "GIT_CONFIG_KEY_"
	gitValue = "GIT_CONFIG_VALUE_"
)

// gitRestrictions are settings of git that only take something away from it, with the values that do: GitHub Copilot CLI sets the first for all
// its children. Keys are in lower case, as git compares them.
var gitRestrictions = map[string]string{
	"safe.barerepository": "explicit",
	"core.fsmonitor":      "false",
	"core.hookspath":      "/dev/null",
	"protocol.allow":      "never",
	"protocol.ext.allow":  "never",
	"protocol.file.allow": "never",
	"submodule.recurse":   "false",
}

func configuresGit(name string) bool {
	return name == gitCount || strings.HasPrefix(name, gitKey) || strings.HasPrefix(name, gitValue)
}

// restrictsGit reports whether all that an environment configures of git only takes something away: then these variables load no code, and say
// nothing about a server. A pair that is not whole, is there twice, or is beyond the count is none that does.
func restrictsGit(env []string) bool {
	set := map[string]string{}
	for _, entry := range env {
		name, value, _ := strings.Cut(entry, "=")
		if !configuresGit(name) {
			continue
		}
		if _, twice := set[name]; twice {
			return false
		}
		set[name] = value
	}
	count, err := strconv.ParseUint(set[gitCount], 10, 8)
	if err != nil || len(set) != 1+2*int(count) {
		return false
	}
	for i := range int(count) {
		key, named := set[gitKey+strconv.Itoa(i)]
		value, valued := set[gitValue+strconv.Itoa(i)]
		if only, known := gitRestrictions[strings.ToLower(key)]; !named || !valued || !known || value != only {
			return false
		}
	}
	return true
}
