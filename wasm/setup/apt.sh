#!/usr/bin/env bash
# Installs the named Debian packages in place, from the system's own sources. It neither upgrades nor removes a package.
#   wasm/setup/apt.sh PACKAGE...
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

missing=()
for package in "$@"; do
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

command -v apt-get >/dev/null || fail no_apt "expected a Debian system with apt-get; install what stands for: ${missing[*]}"
root=()
if [ "$(id -u)" != 0 ]; then
  sudo -n true 2>/dev/null || fail no_root "run as root: apt-get install --no-install-recommends ${missing[*]}"
  root=(sudo -n)
fi

apt=("${root[@]}" env DEBIAN_FRONTEND=noninteractive
  apt-get -qq -o DPkg::Lock::Timeout=600 -o Acquire::Retries=3 -o Dpkg::Use-Pty=0)
say "installing ${missing[*]} (a compiler takes minutes)"
# An install that was killed half-way is finished first.
[ -z "$(ls /var/lib/dpkg/updates 2>/dev/null)" ] || "${root[@]}" dpkg --configure -a </dev/null >&2
"${apt[@]}" update </dev/null >&2 || say 'some package lists could not be fetched'
for package in "${missing[@]}"; do
  apt-cache show "$package" >/dev/null 2>&1 || fail no_package "this system's sources have no package $package"
done
"${apt[@]}" install -y --no-install-recommends --no-upgrade --no-remove "${missing[@]}" </dev/null >/dev/null
