package launch

import (
	"slices"
	"strings"
)

// switchNames are loaders that turn something on, in lower case: "off" means the program's default, or less. A name whose "off" removes a
// check (NODE_TLS_REJECT_UNAUTHORIZED, npm_config_ignore_scripts) is not one of them.
var switchNames = lazy(`
	no_update_notifier npm_config_update_notifier npm_config_fund npm_config_audit npm_config_progress npm_config_color npm_config_unicode npm_config_timing
	uv_offline uv_no_cache uv_preview uv_native_tls uv_system_certs uv_compile_bytecode uv_no_sync pip_no_input pip_no_cache_dir
	coreclr_enable_profiling cor_enable_profiling bun_config_verbose_fetch
`)

// switchPrefixes are families of switches.
var switchPrefixes = []string{"corepack_enable_"}

// isOff reports whether a variable is a switch whose values all turn it off.
func isOff(name string, values []string) bool {
	lower := strings.ToLower(name)
	if !switchNames()[lower] && !slices.ContainsFunc(switchPrefixes, func(p string) bool { return strings.HasPrefix(lower, p) }) {
		return false
	}
	return !slices.ContainsFunc(values, func(value string) bool {
		switch strings.ToLower(value) {
		case "", "0", "false", "no", "off":
			return false
		}
		return true
	})
}
