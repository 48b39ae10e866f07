package launch

import (
	"slices"
	"testing"
)

func TestASwitchIsOffOnlyWhereEveryValueOfItTurnsItOff(t *testing.T) {
	for _, c := range []struct {
		name   string
		values []string
		off    bool
	}{
		{"COREPACK_ENABLE_AUTO_PIN", []string{"0"}, true},
		{"COREPACK_ENABLE_STRICT", []string{""}, true},
		{"NO_UPDATE_NOTIFIER", []string{"false"}, true},
		{"npm_config_fund", []string{"No"}, true},
		{"UV_OFFLINE", []string{"OFF"}, true},
		{"UV_OFFLINE", []string{"0", "false"}, true},
		{"COREPACK_ENABLE_AUTO_PIN", []string{"1"}, false},
		{"COREPACK_ENABLE_AUTO_PIN", []string{" 0"}, false},
		{"COREPACK_ENABLE_AUTO_PIN", []string{"00"}, false},
		{"COREPACK_ENABLE_AUTO_PIN", []string{"0", "1"}, false}, // programs differ in which of two they read
		{"UV_OFFLINE", []string{"1", "0"}, false},
		{"COREPACK_INTEGRITY_KEYS", []string{"0"}, false}, // takes the check of signatures away
		{"COREPACK_NPM_REGISTRY", []string{""}, false},
		{"NODE_TLS_REJECT_UNAUTHORIZED", []string{"0"}, false},
		{"npm_config_ignore_scripts", []string{"false"}, false},
		{"npm_config_strict_ssl", []string{"false"}, false},
		{"DOCKER_CONTENT_TRUST", []string{"0"}, false},
		{"GOSUMDB", []string{"off"}, false},
		{"LD_PRELOAD", []string{""}, false},
		{"X_COREPACK_ENABLE_AUTO_PIN", []string{"0"}, false},
		{"UV_NO_VERIFY_HASHES", []string{"no"}, false},
		{"CORECLR_ENABLE_PROFILING", []string{"0"}, true},
		{"npm_config_update_notifier", []string{"no", "maybe"}, false},
	} {
		if got := isOff(c.name, c.values); got != c.off {
			t.Errorf("%s with %q is off: %v", c.name, c.values, got)
		}
		_, values := variables(environOf(c.name, c.values), "")
		for _, l := range keyed(values, []byte("key")) {
			if l.Off != c.off {
				t.Errorf("%s with %q reaches the hub as off: %v", c.name, c.values, l.Off)
			}
		}
	}
}

func environOf(name string, values []string) (env []string) {
	for _, value := range values {
		env = append(env, name+"="+value)
	}
	return env
}

func TestWhatAClientSetsForAllItsChildrenIsPinnedUnderEveryOtherClient(t *testing.T) {
	env := []string{"COREPACK_ENABLE_AUTO_PIN=1", "CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID=x", "GEMINI_CLI=1", "OPENCODE_PID=7", "NODE_OPTIONS=--x", "KEY=k"}
	for client, want := range map[string]struct{ names, loaders []string }{
		"claude-code": {[]string{"GEMINI_CLI", "KEY", "NODE_OPTIONS", "OPENCODE_PID"}, []string{"NODE_OPTIONS"}},
		"gemini-cli":  {[]string{"CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "COREPACK_ENABLE_AUTO_PIN", "KEY", "NODE_OPTIONS", "OPENCODE_PID"}, []string{"COREPACK_ENABLE_AUTO_PIN", "NODE_OPTIONS"}},
		"opencode":    {[]string{"CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "COREPACK_ENABLE_AUTO_PIN", "GEMINI_CLI", "KEY", "NODE_OPTIONS"}, []string{"COREPACK_ENABLE_AUTO_PIN", "NODE_OPTIONS"}},
		"Claude-Code": {[]string{"CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "COREPACK_ENABLE_AUTO_PIN", "GEMINI_CLI", "KEY", "NODE_OPTIONS", "OPENCODE_PID"}, []string{"COREPACK_ENABLE_AUTO_PIN", "NODE_OPTIONS"}},
		"":            {[]string{"CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "COREPACK_ENABLE_AUTO_PIN", "GEMINI_CLI", "KEY", "NODE_OPTIONS", "OPENCODE_PID"}, []string{"COREPACK_ENABLE_AUTO_PIN", "NODE_OPTIONS"}},
	} {
		names, values := variables(env, client)
		var loaders []string
		for _, l := range keyed(values, []byte("key")) {
			loaders = append(loaders, l.Name)
		}
		if !slices.Equal(names, want.names) || !slices.Equal(loaders, want.loaders) {
			t.Errorf("under %q: names %q, loaders %q", client, names, loaders)
		}
	}
}
