#!/bin/sh
# Installs the Debian packages that tile needs. Does nothing, and needs no network and no root, when all are there.
set -eu

packages="build-essential ccache cmake ninja-build git ca-certificates
  llvm-22-dev libmlir-22-dev mlir-22-tools llvm-22-tools lld-22
  libgtest-dev libopenblas-dev zlib1g-dev libzstd-dev
  clang valgrind python3 python3-dev python3-venv"

missing=""
for p in $packages; do
  dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $p"
done
[ -z "$missing" ] && exit 0

sudo=""
[ "$(id -u)" -eq 0 ] || sudo="sudo"

# LLVM 22 came to Debian 12 through its security archive, which a minimal root may not list.
if ! grep -rqs 'debian-security' /etc/apt/sources.list /etc/apt/sources.list.d; then
  echo "adding the Debian security archive to apt"
  echo "deb http://deb.debian.org/debian-security bookworm-security main" |
    $sudo tee /etc/apt/sources.list.d/debian-security.list >/dev/null
fi

echo "installing:$missing"
$sudo apt-get update -q
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -q --no-install-recommends $missing
