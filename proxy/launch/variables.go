package launch

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"sync"

	"github.com/sallyport/sallyport/proxy/keychain/secretname"
	"github.com/sallyport/sallyport/proxy/pin"
)

// loaderNames load code into a program, or choose where its code comes from. Sources: ld.so(8), dyld(1), and the documentation of Node.js,
// npm, Bun, Deno, CPython, pip, uv, Ruby, Perl, Java, .NET, Go, bash, zsh, git, OpenSSL and Docker.
var loaderNames = lazy(`
	GCONV_PATH GLIBC_TUNABLES
	NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED NODE_REPL_EXTERNAL_MODULE NODE_ICU_DATA NODE_COMPILE_CACHE
	ELECTRON_RUN_AS_NODE BUN_OPTIONS BUN_INSTALL BUN_RUNTIME_TRANSPILER_CACHE_PATH
	DENO_DIR DENO_CERT DENO_TLS_CA_STORE DENO_NODE_COMPAT_OPTIONS JSR_URL
	PNPM_HOME YARN_REGISTRY YARN_NPM_REGISTRY_SERVER YARN_RC_FILENAME YARN_CACHE_FOLDER YARN_GLOBAL_FOLDER
	PIPX_HOME PIPX_DEFAULT_PYTHON PIPX_DEFAULT_BACKEND
	RUBYOPT RUBYLIB RUBYSHELL GEM_HOME GEM_PATH BUNDLE_GEMFILE BUNDLE_PATH
	PERL5LIB PERL5OPT PERLLIB PERL5DB PHPRC PHP_INI_SCAN_DIR LUA_INIT LUA_PATH LUA_CPATH
	JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS JAVA_HOME CLASSPATH
	DOTNET_STARTUP_HOOKS DOTNET_ADDITIONAL_DEPS DOTNET_SHARED_STORE DOTNET_ROOT
	CORECLR_ENABLE_PROFILING CORECLR_PROFILER CORECLR_PROFILER_PATH COR_ENABLE_PROFILING COR_PROFILER COR_PROFILER_PATH
	GOFLAGS GOPROXY GOSUMDB GONOSUMDB GONOSUMCHECK GOINSECURE GOPRIVATE GONOPROXY GOTOOLCHAIN GOROOT GOENV GOPATH GOBIN
	RUSTC RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER RUSTFLAGS
	BASH_ENV ENV BASHOPTS SHELLOPTS PROMPT_COMMAND PS4 IFS ZDOTDIR PERL5SHELL COMSPEC
	GIT_SSH GIT_SSH_COMMAND GIT_EXEC_PATH GIT_PROXY_COMMAND GIT_TEMPLATE_DIR GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_COUNT GIT_CONFIG_PARAMETERS
	OPENSSL_CONF OPENSSL_MODULES OPENSSL_ENGINES SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE
	GTK_MODULES GTK_PATH GTK_EXE_PREFIX GIO_EXTRA_MODULES GIO_MODULE_DIR QT_PLUGIN_PATH
	DOCKER_HOST DOCKER_CONTEXT DOCKER_CONFIG DOCKER_CONTENT_TRUST DOCKER_CONTENT_TRUST_SERVER DOCKER_DEFAULT_PLATFORM CONTAINER_HOST CONTAINER_CONNECTION
`)

// loaderPrefixes are families that grow with each version of their program. All settings of npm, pip and uv count: another cache, prefix or
// configuration file is another source of code.
var loaderPrefixes = []string{
	"LD_", "DYLD_", "PYTHON", "PIP_", "UV_", "COREPACK_", "BUN_CONFIG_", "NUGET_", "CARGO_", "GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_",
	"BASH_FUNC_", "CONTAINERS_", "PNPM_CONFIG_", "DENO_UNSTABLE",
}

// quietNames look like loaders but change no code.
var quietNames = lazy(`
	PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONIOENCODING PYTHONUTF8 PYTHONHASHSEED PYTHONFAULTHANDLER PYTHON_VERSION
	PIP_DISABLE_PIP_VERSION_CHECK PIP_NO_COLOR PIP_PROGRESS_BAR PIP_QUIET PIP_VERBOSE PIP_TIMEOUT PIP_DEFAULT_TIMEOUT
	UV_NO_PROGRESS UV_HTTP_TIMEOUT UV_CONCURRENT_DOWNLOADS UV_GITHUB_TOKEN
`)

// credentials say who asks a registry, not which one. People change them because they are told to.
var credentials = []string{"_authtoken", "_auth", "_password", "_username", "_token", ":otp", "_otp", "_email"}

// IsLoader reports whether a variable loads code or chooses where code comes from.
func IsLoader(name string) bool {
	upper := strings.ToUpper(name)
	lower := strings.ToLower(name)
	if strings.HasPrefix(upper, "NPM_CONFIG_") { // npm ignores case
		return !endsWithOne(lower, credentials) && upper != "NPM_CONFIG_USER_AGENT"
	}
	if quietNames()[name] {
		return false
	}
	if loaderNames()[name] {
		return true
	}
	for _, prefix := range loaderPrefixes {
		if strings.HasPrefix(name, prefix) {
			return !endsWithOne(lower, credentials)
		}
	}
	return false
}

// sessionNames vary with a terminal, a login, a desktop or the way a client was started, and say nothing about a server. They are not
// pinned: people turn off an alarm that rings at every login.
var sessionNames = lazy(`
	_ PWD OLDPWD SHLVL COLUMNS LINES TERM COLORTERM WINDOWID DISPLAY WAYLAND_DISPLAY XAUTHORITY DESKTOP_SESSION GDMSESSION
	SESSION_MANAGER INVOCATION_ID JOURNAL_STREAM SYSTEMD_EXEC_PID MANAGERPID NOTIFY_SOCKET WATCHDOG_PID WATCHDOG_USEC MEMORY_PRESSURE_WATCH MEMORY_PRESSURE_WRITE
	LANG LANGUAGE LS_COLORS TZ STY TMUX TMUX_PANE LOGNAME USER USERNAME SUDO_USER SUDO_UID SUDO_GID SUDO_COMMAND MAIL HUSHLOGIN
	SECURITYSESSIONID COMMAND_MODE MallocNanoZone CHROME_DESKTOP ORIGINAL_XDG_CURRENT_DESKTOP GPG_AGENT_INFO GPG_TTY
	SESSIONNAME CLIENTNAME LOGONSERVER WSLENV WSL_INTEROP WT_SESSION WT_PROFILE_ID NO_COLOR FORCE_COLOR CLICOLOR PAGER EDITOR VISUAL LESS LESSOPEN LESSCLOSE
`)

var sessionPrefixes = []string{
	"LC_", "XDG_", "DBUS_", "SSH_", "TERM_", "VTE_", "GNOME_", "KDE_", "KONSOLE_", "ITERM_", "KITTY_", "WEZTERM_", "ALACRITTY_", "GHOSTTY_", "VSCODE_", "JETBRAINS_",
	"GTK_IM", "QT_IM", "XMODIFIERS", "IM_CONFIG", "Apple_PubSub", "XPC_", "__CF", "LaunchInstanceID", "DESKTOP_", "SESSION_",
}

func isSession(name string) bool {
	if sessionNames()[name] {
		return true
	}
	return slices.ContainsFunc(sessionPrefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

// variables splits an environment into pinned names and the values of loaders, leaving out what the client sets for all its children, and what only
// restricts git. Each of several entries with one name counts: programs differ in which they read. What a variable is filled in with is part of its
// name, and a loader: who gets which secret is a person's to allow.
func variables(env []string, client string) (pinned []string, loaders map[string][]string) {
	loaders = map[string][]string{}
	restricted := restrictsGit(env)
	for _, entry := range env {
		name, value, whole := strings.Cut(entry, "=")
		if !whole || name == "" {
			continue
		}
		loads := IsLoader(name) || pin.IsHome(name)
		if _, secret := secretname.In(value); secret && !loads {
			name, loads = entry, true
		}
		if pin.ClientSets(client, name) || restricted && configuresGit(name) {
			continue
		}
		if loads {
			loaders[name] = append(loaders[name], value)
		}
		if loads || !isSession(name) {
			pinned = append(pinned, plain(name))
		}
	}
	slices.Sort(pinned)
	return slices.Compact(pinned), loaders
}

// keyed hashes the values of loaders with the hub's key.
func keyed(values map[string][]string, key []byte) (loaders []pin.LaunchLoader) {
	for name, all := range values {
		mac := hmac.New(sha256.New, key)
		for _, part := range append([]string{name}, all...) {
			mac.Write([]byte(part))
			mac.Write([]byte{0}) // no value contains it
		}
		loaders = append(loaders, pin.LaunchLoader{Name: plain(name), Hash: hex.EncodeToString(mac.Sum(nil)[:16]), Off: isOff(name, all)})
	}
	slices.SortFunc(loaders, func(a, b pin.LaunchLoader) int { return strings.Compare(a.Name, b.Name) })
	return loaders
}

func endsWithOne(s string, endings []string) bool {
	return slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(s, e) })
}

// lazy builds the set of names in list on first use: this package is linked into the guard, which never needs it.
func lazy(list string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		names := strings.Fields(list)
		set := make(map[string]bool, len(names))
		for _, name := range names {
			set[name] = true
		}
		return set
	})
}

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
