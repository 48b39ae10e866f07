#!/bin/sh
# Installs the protocol's conformance suite, and the SDK that one of its servers is built on (testdata/conformance), below .cache/conformance of
# the module (or the given folder). install.sh has the Node that the suite needs, and the Python SDK. Takes no time if these versions are
# installed already.
set -eu

root=$(CDPATH= cd -- "$(dirname -- "$0")/../../.." && pwd)
cache=${1:-$root/.cache}/conformance

# 0.1.16, the newest that is no pre-release, does not know 2026-07-28.
packages="@modelcontextprotocol/conformance@0.2.0-alpha.12 @modelcontextprotocol/server@2.4.0"

[ "$(cat "$cache/.installed" 2>/dev/null)" = "$packages" ] && exit 0
command -v npm >/dev/null || {
	echo "install the conformance suite: no npm on this machine; install Node.js 20 or newer" >&2
	exit 1
}
mkdir -p "$cache"
rm -f "$cache/.installed"
echo '{"private":true}' >"$cache/package.json"
npm install --prefix "$cache" --ignore-scripts --no-audit --no-fund --save-exact --loglevel error $packages >"$cache/npm.log" 2>&1 || {
	tail -n 15 "$cache/npm.log" >&2
	echo "install the conformance suite: npm could not install it; the whole log is $cache/npm.log" >&2
	exit 1
}
echo "$packages" >"$cache/.installed"
