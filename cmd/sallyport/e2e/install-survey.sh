#!/bin/sh
# Installs the further servers for the survey of the sandbox (survey_test.go) below .cache/survey of the module (or the given folder): npm
# packages together, Python packages each in its own environment, because they need different versions of one library. After a comma is a
# dependency that a package fails to declare. Not part of `make test`: it takes minutes the first time. What is installed stays as it is.
set -eu

root=$(CDPATH= cd -- "$(dirname -- "$0")/../../.." && pwd)
cache=${1:-$root/.cache}/survey

npm_packages="
@playwright/mcp@0.0.83
@upstash/context7-mcp@4.1.1
firecrawl-mcp@3.26.0
tavily-mcp@0.2.22
@notionhq/notion-mcp-server@2.5.2
chrome-devtools-mcp@1.11.0
@wonderwhy-er/desktop-commander@0.2.52
@supabase/mcp-server-supabase@0.13.0
mcp-server-kubernetes@4.1.7
@brave/brave-search-mcp-server@2.1.4
figma-developer-mcp@0.13.2
@modelcontextprotocol/server-github@2025.4.8
mcp-server-sqlite-npx@0.8.0
"
python_packages="
mcp-server-fetch==2026.10.24
mcp-server-sqlite==2025.4.25,mcp<2
duckduckgo-mcp-server==0.7.0
arxiv-mcp-server==0.8.2
mcp-server-calculator==0.2.1
markitdown-mcp==0.0.1a4,pydantic<2.11
mcp-text-editor==1.0.2,mcp<2
mcp-shell-server==1.1.14
wikipedia-mcp==2.0.1
excel-mcp-server==2.2.2
"

mkdir -p "$cache/npm"
wanted=$(echo $npm_packages)
if [ "$(cat "$cache/npm/.installed" 2>/dev/null)" != "$wanted" ]; then
	rm -f "$cache/npm/.installed"
	echo '{"private":true}' >"$cache/npm/package.json"
	# No browsers: the survey asks what a server declares, and no browser is needed for that.
	export PUPPETEER_SKIP_DOWNLOAD=1 PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1
	npm install --prefix "$cache/npm" --ignore-scripts --no-audit --no-fund --save-exact $npm_packages
	# One package is compiled if it has no binary for this machine. If that fails, the survey reports that the server does not run.
	npm rebuild --prefix "$cache/npm" >"$cache/npm/rebuild.log" 2>&1 || echo "a package could not be built: see $cache/npm/rebuild.log" >&2
	echo "$wanted" >"$cache/npm/.installed"
fi
for package in $python_packages; do
	venv=$cache/${package%%==*}
	[ "$(cat "$venv/.installed" 2>/dev/null)" = "$package" ] && continue
	rm -rf "$venv"
	python3 -m venv "$venv"
	"$venv/bin/python" -m pip install --quiet --disable-pip-version-check $(echo "$package" | tr , ' ')
	echo "$package" >"$venv/.installed"
done
