#!/usr/bin/env bash
# Lays the Python packages of the tests' foreign clients into .deps/venv.
set -euo pipefail
cd "$(dirname "$0")/.."
want=scripts/test-requirements.txt
if ! cmp -s "$want" .deps/venv/requirements.txt; then
	echo "setup: Python packages of the tests into .deps/venv: $(grep -v '^#' "$want" | tr '\n' ' ')"
	rm -rf .deps/venv
	mkdir -p .deps
	python3 -m venv .deps/venv
	.deps/venv/bin/python -m pip install -q --disable-pip-version-check -r "$want"
	cp "$want" .deps/venv/requirements.txt
fi
