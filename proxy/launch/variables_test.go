package launch

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
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
	env := []string{"API_KEY=canary-one", "NODE_OPTIONS=canary-two", "SSH_AUTH_SOCK=x", "PATH=/bin", "broken", "=C:=x", "NODE_OPTIONS=canary-three"}
	names, values := variables(env, "")
	loaders := keyed(values, []byte("key"))
	if want := []string{"API_KEY", "NODE_OPTIONS", "PATH"}; !slices.Equal(names, want) {
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
