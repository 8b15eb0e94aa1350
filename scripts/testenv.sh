#!/usr/bin/env bash
# Lays the packages of the tests' foreign clients into .deps: Python's into venv,
# JavaScript's into node.
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

# The JavaScript packages of foreign clients, into .deps/node.
if ! cmp -s scripts/test-node/package-lock.json .deps/node/package-lock.json; then
	echo "setup: JavaScript packages of the tests into .deps/node"
	rm -rf .deps/node
	mkdir -p .deps/node
	cp scripts/test-node/package.json .deps/node/
	cp scripts/test-node/package-lock.json .deps/node/lock.tmp
	(cd .deps/node && mv lock.tmp package-lock.json && npm ci --no-audit --no-fund --loglevel=error >/dev/null) || { rm -rf .deps/node; exit 1; }
fi
