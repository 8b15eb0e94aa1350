#!/usr/bin/env bash
# Installs what twinrig's build needs and says what it does. Running it again
# costs a second and changes nothing. Needs root or sudo only when a Debian
# package is missing. Arguments are further packages to install.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf 'setup: %s\n' "$*"; }
die() { printf 'setup: %s\n' "$*" >&2; exit 1; }

# --- Debian packages -------------------------------------------------------
# libopencv-dev 4.6.0 is what gocv v0.31.0 wraps; libegl1 with Mesa's software
# driver renders without a GPU.
packages=(build-essential pkg-config git ca-certificates curl
	libopencv-dev libegl1 libgl1-mesa-dri
	python3 python3-pip python3-venv mosquitto mosquitto-clients "$@")
command -v npm >/dev/null || packages+=(nodejs npm) # for the tests
if command -v go >/dev/null; then have_go=1; else have_go=; packages+=(golang-go); fi

missing=()
if command -v dpkg-query >/dev/null; then
	for p in "${packages[@]}"; do
		[ "$(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null)" = installed ] || missing+=("$p")
	done
else
	say "no apt here: make sure that you have what Debian calls: ${packages[*]}"
fi
# A Python from elsewhere serves as well as Debian's.
if python3 -m pip --version >/dev/null 2>&1 && python3 -c 'import venv, ensurepip' 2>/dev/null; then
	kept=()
	for p in "${missing[@]}"; do case $p in python3*) ;; *) kept+=("$p") ;; esac; done
	missing=("${kept[@]}")
fi
if [ ${#missing[@]} -gt 0 ]; then
	sudo=
	if [ "$(id -u)" -ne 0 ]; then
		command -v sudo >/dev/null || die "these Debian packages are missing and there is no sudo; as root run: apt-get install ${missing[*]}"
		sudo=sudo
	fi
	say "installing Debian packages: ${missing[*]}"
	$sudo apt-get update -qq
	$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

# --- Go --------------------------------------------------------------------
# Any Go from 1.21 on fetches the toolchain that go.mod names by itself. An
# older one (Debian 12 has 1.19) can still fetch it as a module.
want=$(awk '$1 == "go" {print $2}' go.mod)
minor=$(go env GOVERSION 2>/dev/null | sed -nE 's/^go1\.([0-9]+).*/\1/p')
if [ "${minor:-0}" -lt 21 ] && [ ! -x .deps/go/bin/go ]; then
	arch=$(go env GOARCH)
	say "Go $(go env GOVERSION 2>/dev/null || echo missing) is too old: fetching Go $want into .deps/go"
	tmp=$(mktemp -d)
	trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
	(cd "$tmp" && GOPATH="$tmp/p" GOFLAGS=-modcacherw go mod download "golang.org/toolchain@v0.0.1-go$want.linux-$arch") ||
		die "cannot fetch Go $want: install Go 1.21 or newer and run again"
	mkdir -p .deps
	rm -rf .deps/go
	cp -r "$tmp"/p/pkg/mod/golang.org/toolchain@*/ .deps/go
	chmod +x .deps/go/bin/* .deps/go/pkg/tool/*/*
fi

# --- MuJoCo ----------------------------------------------------------------
# The wheel is only a container here: the library and the headers are taken
# from it, whatever Python this machine has.
mujoco=3.17.0
if [ -n "${MUJOCO_DIR:-}" ]; then
	[ -f "$MUJOCO_DIR/include/mujoco/mujoco.h" ] ||
		die "MUJOCO_DIR=$MUJOCO_DIR has no include/mujoco/mujoco.h: point it at an unpacked MuJoCo $mujoco, or unset it"
	say "using MuJoCo in MUJOCO_DIR=$MUJOCO_DIR"
elif [ "$(cat .deps/mujoco/VERSION 2>/dev/null)" != "$mujoco" ]; then
	case $(uname -m) in
	x86_64) plat=x86_64 sum=42371356efe53a5f5f73ed03fcb967bdf04048017f80e2fca01e71a360e42da2 ;;
	aarch64) plat=aarch64 sum=525e09a00ecd964f06582773d9eeb03bb0e5a1675edf296a6868024759b3b235 ;;
	*) die "MuJoCo has no wheel for $(uname -m): build MuJoCo $mujoco and set MUJOCO_DIR" ;;
	esac
	say "fetching MuJoCo $mujoco ($plat) from its wheel into .deps/mujoco"
	tmpw=$(mktemp -d)
	python3 -m pip download -q --disable-pip-version-check --no-deps --only-binary :all: -d "$tmpw" \
		--implementation cp --python-version 3.12 \
		--platform "manylinux_2_27_$plat" --platform "manylinux_2_28_$plat" "mujoco==$mujoco" ||
		die "cannot fetch the mujoco $mujoco wheel: check the network, or unpack MuJoCo yourself and set MUJOCO_DIR"
	wheel=$(echo "$tmpw"/mujoco-*.whl)
	got=$(sha256sum "$wheel" | cut -d' ' -f1)
	[ "$got" = "$sum" ] || die "$(basename "$wheel") has SHA-256 $got, expected $sum: not used"
	rm -rf .deps/mujoco .deps/mujoco.new
	mkdir -p .deps/mujoco.new/include/mujoco .deps/mujoco.new/lib
	python3 - "$wheel" .deps/mujoco.new <<'PY'
import os, re, sys, zipfile
wheel, out = sys.argv[1:]
with zipfile.ZipFile(wheel) as z:
    for name in z.namelist():
        base = os.path.basename(name)
        if re.fullmatch(r"mujoco/include/mujoco/[^/]+\.h", name):
            to = os.path.join(out, "include", "mujoco", base)
        elif re.fullmatch(r"mujoco/libmujoco\.so[^/]*", name):
            to = os.path.join(out, "lib", base)
        elif re.fullmatch(r"mujoco-[^/]+/licenses/[^/]+", name):
            to = os.path.join(out, base)
        else:
            continue
        with open(to, "wb") as f:
            f.write(z.read(name))
PY
	echo "$mujoco" >.deps/mujoco.new/VERSION
	mv .deps/mujoco.new .deps/mujoco
	rm -rf "$tmpw"
fi
say "ready (Go $want, OpenCV $(pkg-config --modversion opencv4 2>/dev/null || echo missing), MuJoCo $mujoco)"
