#!/bin/sh
# Installs the public sets of agent tasks for the replay of flow.policy (replay_survey_test.go) below .cache/replay of the module (or the given folder),
# and writes them as cases. The packages are installed without what they need to run models: only their tasks and environments are used. Not part of
# `make test`: it takes a minute the first time.
#
# Recordings of agents are no packages. Put them below .cache/replay/recorded, if you have them: in `agentdojo` runs of AgentDojo, in `others` those of
# other suites in the same form (JSON, or JSON Lines). Without them, what was recorded is left out.
set -eu

root=$(CDPATH= cd -- "$(dirname -- "$0")/../../.." && pwd)
cache=${1:-$root/.cache}/replay

sets="agentdojo==0.1.35 bfcl-eval==2026.3.23"
needed="pydantic[email]==2.14.4 pyyaml==6.0.4 docstring_parser==0.18.0 deepdiff==9.1.0 rich==15.0.0 mpmath==1.4.1"

mkdir -p "$cache/recorded"
wanted="$sets $needed"
if [ "$(cat "$cache/.installed" 2>/dev/null)" != "$wanted" ]; then
	rm -rf "$cache/venv" "$cache/.installed"
	python3 -m venv "$cache/venv"
	"$cache/venv/bin/python" -m pip install --quiet --disable-pip-version-check $needed
	"$cache/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps $sets
	echo "$wanted" >"$cache/.installed"
fi
rm -rf "$cache/sets"
"$cache/venv/bin/python" "$root/cmd/sallyport/e2e/testdata/replay_sets.py" "$cache/sets" "$cache/recorded"
