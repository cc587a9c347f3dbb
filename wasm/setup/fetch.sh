#!/usr/bin/env bash
# Downloads packages of one Debian suite, signatures checked, and unpacks them in a folder. Nothing is installed, the
# system's package sources stay as they are, and no right but to write the folder is needed.
#   wasm/setup/fetch.sh SUITE FOLDER PACKAGE...
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
suite=$1 folder=$2
shift 2

keyring=/usr/share/keyrings/debian-archive-keyring.gpg
{ command -v apt-get && command -v dpkg-deb; } >/dev/null || fail no_apt "expected apt-get and dpkg-deb, found another system"
[ -r "$keyring" ] || fail no_keyring "expected Debian's signing keys in $keyring (package debian-archive-keyring)"

# The mirror is the one that this system uses.
mirror() {
  apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' | head -1
}
uri=$(mirror)
if [ -z "$uri" ] && [ "$(id -u)" = 0 ]; then
  apt-get -qq -o DPkg::Lock::Timeout=600 -o Acquire::Retries=3 update >&2 || true
  uri=$(mirror)
fi
[ -n "$uri" ] || fail no_mirror "expected a Debian mirror among this system's package sources; run: apt-get update"

# apt with lists and caches of its own.
work=$folder.fetch
rm -rf "$work"
mkdir -p "$work"/lists/partial "$work"/archives/partial "$work"/none "$work"/debs "$folder"
printf 'deb [signed-by=%s] %s %s main\n' "$keyring" "$uri" "$suite" >"$work/sources.list"
apt=(apt-get -qq -o Acquire::Retries=3 -o "APT::Sandbox::User=$(id -un)"
  -o "Dir::Etc::sourcelist=$work/sources.list" -o "Dir::Etc::sourceparts=$work/none"
  -o "Dir::Etc::preferencesparts=$work/none" -o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work"
  -o Acquire::Check-Valid-Until=false)  # a mirror that is a little behind is still signed
say "fetching from Debian $suite: $*"
"${apt[@]}" update >&2
(cd "$work/debs" && "${apt[@]}" download "$@" >&2)
# Debian 13's Emscripten carries 1.6 GB of system libraries in every flavour: 1.5 GB are of no use here. Whatever is left
# out and yet asked for, Emscripten builds.
libraries=./usr/share/emscripten/cache/sysroot/lib/wasm32-emscripten
unwanted=(--exclude=./usr/share/doc "--exclude=$libraries/*/*")
for flavour in GL san -ww -debug; do
  unwanted+=("--exclude=$libraries/*$flavour*")
done
for deb in "$work"/debs/*.deb; do
  dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$folder" "${unwanted[@]}"
done
rm -rf "$work"
