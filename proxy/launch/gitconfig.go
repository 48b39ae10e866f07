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

// restriction is the value with which a setting of git only takes something away from it, "" for any other setting: GitHub Copilot CLI sets the first
// for all its children. git compares keys in lower case. A switch, since every wrapper would make a map at its start.
func restriction(key string) (value string) {
	switch strings.ToLower(key) {
	case "safe.barerepository":
		return "explicit"
	case "core.fsmonitor", "submodule.recurse":
		return "false"
	case "core.hookspath":
		return "/dev/null"
	case "protocol.allow", "protocol.ext.allow", "protocol.file.allow":
		return "never"
	}
	return ""
}

func configuresGit(name string) bool {
	return name == gitCount || strings.HasPrefix(name, gitKey) || strings.HasPrefix(name, gitValue)
}

// restrictsGit reports whether all that an environment configures of git only takes something away: then these variables load no code, and say
// nothing about a server. A pair that is not whole, is there twice, or is beyond the count is none that does.
func restrictsGit(env []string) bool {
	var set map[string]string
	for _, entry := range env {
		name, value, _ := strings.Cut(entry, "=")
		if !configuresGit(name) {
			continue
		}
		if _, twice := set[name]; twice {
			return false
		}
		if set == nil { // most environments have none of them
			set = map[string]string{}
		}
		set[name] = value
	}
	count, err := strconv.ParseUint(set[gitCount], 10, 8)
	if err != nil || len(set) != 1+2*int(count) {
		return false
	}
	for i := range int(count) {
		only := restriction(set[gitKey+strconv.Itoa(i)]) // "" too if there is no such key
		if value := set[gitValue+strconv.Itoa(i)]; only == "" || value != only {
			return false
		}
	}
	return true
}
