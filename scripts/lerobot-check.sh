#!/usr/bin/env bash
# Loads LeRobot datasets with the official package, of the release that wrote
# the dataset's version, in a virtual environment of its own: it is several GB
# of Python packages, so nothing else uses it and `make test` leaves it out.
#
#   scripts/lerobot-check.sh FOLDER...
#
# prints one JSON object for each folder, and ends with an error if one does not
# load or is not what it says.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
venv=$here/.deps/lerobot-venv
want=$here/scripts/lerobot-requirements.txt
if ! cmp -s "$want" "$venv/requirements.txt"; then
	echo "lerobot-check: LeRobot's packages into .deps/lerobot-venv (several GB)" >&2
	rm -rf "$venv"
	python3 -m venv "$venv"
	"$venv/bin/python" -m pip install -q --disable-pip-version-check -r "$want" >&2
	# The last release that reads version 2.1, beside the one that does not.
	"$venv/bin/python" -m pip install -q --disable-pip-version-check --no-deps --target "$venv/v2.1" \
		lerobot==0.3.3 datasets==3.6.0 >&2
	cp "$want" "$venv/requirements.txt"
fi
export HF_HUB_OFFLINE=1 HF_DATASETS_OFFLINE=1
HF_HOME=$(mktemp -d)
export HF_HOME
trap 'rm -rf "$HF_HOME"' EXIT
for folder in "$@"; do
	extra=
	if grep -q '"codebase_version": "v2.1"' "$folder/meta/info.json"; then
		extra=$venv/v2.1
	fi
	PYTHONPATH=$extra "$venv/bin/python" -W ignore "$here/scripts/lerobot-check.py" "$folder"
done
