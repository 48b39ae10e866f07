package launch

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/sallyport/sallyport/proxy/pin"
)

func TestWhichVariablesLoadCode(t *testing.T) {
	for _, name := range []string{
		"LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "NODE_OPTIONS", "NODE_PATH", "NODE_EXTRA_CA_CERTS", "PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP",
		"npm_config_registry", "NPM_CONFIG_REGISTRY", "Npm_Config_cache", "npm_config_@scope:registry", "UV_INDEX_URL", "UV_EXTRA_INDEX_URL", "UV_DEFAULT_INDEX", "UV_CONFIG_FILE",
		"PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "BUN_CONFIG_REGISTRY", "COREPACK_NPM_REGISTRY", "JAVA_TOOL_OPTIONS", "RUBYOPT", "PERL5OPT", "BASH_ENV", "BASH_FUNC_ls%%",
		"DOCKER_HOST", "GIT_SSH_COMMAND", "OPENSSL_CONF", "ELECTRON_RUN_AS_NODE", "DOTNET_STARTUP_HOOKS", "SSL_CERT_FILE",
	} {
		if !IsLoader(name) {
			t.Errorf("%s is not taken for one that loads code", name)
		}
	}
	for _, name := range []string{
		"HOME", "PATH", "API_KEY", "PYTHONUNBUFFERED", "npm_config__authToken", "npm_config_//registry.example/:_authToken", "UV_INDEX_CORP_PASSWORD", "UV_PUBLISH_TOKEN", "LANG", "HTTPS_PROXY", "NODE_ENV", "",
	} {
		if IsLoader(name) {
			t.Errorf("%s is taken for one that loads code", name)
		}
	}
}

func TestValuesOfVariablesLeaveOnlyAsKeyedHashes(t *testing.T) {
	env := []string{"NAMED=keychain:my.key-1", "LIKE_IT=keychain:canary five", "NPM_CONFIG_PREFIX=keychain:canary-six", "API_KEY=canary-one", "NODE_OPTIONS=canary-two", "SSH_AUTH_SOCK=x", "PATH=/bin", "broken", "=C:=x", "NODE_OPTIONS=canary-three"}
	names, values := variables(env, "")
	loaders := keyed(values, []byte("key"))
	if want := []string{"API_KEY", "LIKE_IT", "NAMED=keychain:my.key-1", "NODE_OPTIONS", "NPM_CONFIG_PREFIX", "PATH"}; !slices.Equal(names, want) {
		t.Errorf("names %q, want %q", names, want)
	}
	raw, _ := json.Marshal([]any{names, loaders})
	if strings.Contains(string(raw), "canary") {
		t.Errorf("a value left: %s", raw)
	}
	hash := func(key string, env ...string) string {
		_, values := variables(env, "")
		return keyed(values, []byte(key))[0].Hash
	}
	base := hash("key", "NODE_OPTIONS=a")
	for name, other := range map[string]string{
		"another value":           hash("key", "NODE_OPTIONS=b"),
		"another key":             hash("yek", "NODE_OPTIONS=a"),
		"another name":            hash("key", "NODE_PATH=a"),
		"a second value":          hash("key", "NODE_OPTIONS=a", "NODE_OPTIONS=a"),
		"two values joined":       hash("key", "NODE_OPTIONS=aa"),
		"an empty value":          hash("key", "NODE_OPTIONS="),
		"a value of another case": hash("key", "NODE_OPTIONS=A"),
	} {
		if other == base {
			t.Errorf("%s has the same hash", name)
		}
	}
	if hash("key", "X=1", "NODE_OPTIONS=a") != base {
		t.Error("the same value has another hash")
	}
}

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
	env := []string{"COREPACK_ENABLE_AUTO_PIN=1", "CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID=x", "GEMINI_CLI=1", "OPENCODE_PID=7", "COPILOT_AGENT_SESSION_ID=y", "NODE_OPTIONS=--x", "KEY=k"}
	for client, want := range map[string]struct{ names, loaders []string }{
		"claude-code": {[]string{"COPILOT_AGENT_SESSION_ID", "GEMINI_CLI", "KEY", "NODE_OPTIONS", "OPENCODE_PID"}, []string{"NODE_OPTIONS"}},
		"gemini-cli":  {[]string{"CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "COPILOT_AGENT_SESSION_ID", "COREPACK_ENABLE_AUTO_PIN", "KEY", "NODE_OPTIONS", "OPENCODE_PID"}, []string{"COREPACK_ENABLE_AUTO_PIN", "NODE_OPTIONS"}},
		"copilot-cli": {[]string{"CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "COREPACK_ENABLE_AUTO_PIN", "GEMINI_CLI", "KEY", "NODE_OPTIONS", "OPENCODE_PID"}, []string{"COREPACK_ENABLE_AUTO_PIN", "NODE_OPTIONS"}},
		"opencode":    {[]string{"CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "COPILOT_AGENT_SESSION_ID", "COREPACK_ENABLE_AUTO_PIN", "GEMINI_CLI", "KEY", "NODE_OPTIONS"}, []string{"COREPACK_ENABLE_AUTO_PIN", "NODE_OPTIONS"}},
		"Claude-Code": {[]string{"CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "COPILOT_AGENT_SESSION_ID", "COREPACK_ENABLE_AUTO_PIN", "GEMINI_CLI", "KEY", "NODE_OPTIONS", "OPENCODE_PID"}, []string{"COREPACK_ENABLE_AUTO_PIN", "NODE_OPTIONS"}},
		"":            {[]string{"CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "COPILOT_AGENT_SESSION_ID", "COREPACK_ENABLE_AUTO_PIN", "GEMINI_CLI", "KEY", "NODE_OPTIONS", "OPENCODE_PID"}, []string{"COREPACK_ENABLE_AUTO_PIN", "NODE_OPTIONS"}},
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

func TestWhatOnlyRestrictsGitLoadsNoCode(t *testing.T) {
	for name, c := range map[string]struct {
		env   []string
		quiet bool
	}{
		"what GitHub Copilot CLI sets":   {[]string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.bareRepository", "GIT_CONFIG_VALUE_0=explicit"}, true},
		"two restrictions":               {[]string{"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=core.fsmonitor", "GIT_CONFIG_VALUE_0=false", "GIT_CONFIG_VALUE_1=never", "GIT_CONFIG_KEY_1=Protocol.Ext.Allow"}, true},
		"none at all":                    {[]string{"GIT_CONFIG_COUNT=0"}, true},
		"another value":                  {[]string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.fsmonitor", "GIT_CONFIG_VALUE_0=/tmp/x"}, false},
		"another key":                    {[]string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.sshCommand", "GIT_CONFIG_VALUE_0=explicit"}, false},
		"another pair beside it":         {[]string{"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=safe.bareRepository", "GIT_CONFIG_VALUE_0=explicit", "GIT_CONFIG_KEY_1=core.pager", "GIT_CONFIG_VALUE_1=x"}, false},
		"a pair beyond the count":        {[]string{"GIT_CONFIG_COUNT=0", "GIT_CONFIG_KEY_0=safe.bareRepository", "GIT_CONFIG_VALUE_0=explicit"}, false},
		"a key without a value":          {[]string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.bareRepository"}, false},
		"a pair under another number":    {[]string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_00=safe.bareRepository", "GIT_CONFIG_VALUE_00=explicit"}, false},
		"a key that is there twice":      {[]string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.bareRepository", "GIT_CONFIG_KEY_0=core.pager", "GIT_CONFIG_VALUE_0=explicit"}, false},
		"a count that is no number":      {[]string{"GIT_CONFIG_COUNT=1 ", "GIT_CONFIG_KEY_0=safe.bareRepository", "GIT_CONFIG_VALUE_0=explicit"}, false},
		"pairs without a count":          {[]string{"GIT_CONFIG_KEY_0=safe.bareRepository", "GIT_CONFIG_VALUE_0=explicit"}, false},
		"a file of settings beside them": {[]string{"GIT_CONFIG_COUNT=0", "GIT_CONFIG_GLOBAL=/tmp/x"}, false},
	} {
		names, values := variables(append(c.env, "KEY=k"), "")
		if quiet := len(values) == 0 && slices.Equal(names, []string{"KEY"}); quiet != c.quiet {
			t.Errorf("%s: names %q, %d that load code", name, names, len(values))
		}
	}
}

func TestWhatIsFilledInWithASecretIsPinnedUnderEveryName(t *testing.T) {
	env := []string{"KEY=keychain:a", "COPILOT_KEY=keychain:b", "TERM=keychain:c", "COPILOT_MODEL=x", "ODD=keychain:-x"}
	names, values := variables(env, "copilot-cli")
	if want := []string{"COPILOT_KEY=keychain:b", "KEY=keychain:a", "ODD", "TERM=keychain:c"}; !slices.Equal(names, want) || len(values) != 3 {
		t.Errorf("names %q, values of %d", names, len(values))
	}
	form := pin.LaunchForm{Client: "copilot-cli", Loaders: keyed(values, []byte("key"))}
	allowed := []pin.LaunchForm{{Client: "copilot-cli"}}
	if drift := form.Against(allowed); len(drift.Changes) != 3 || !drift.Grave || drift.About() != pin.AboutSecret {
		t.Errorf("%+v", drift)
	}
	if drift := form.Against([]pin.LaunchForm{form}); drift.Drifted() {
		t.Errorf("allowed, it still is %+v", drift)
	}
}
