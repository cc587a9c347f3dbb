#!/usr/bin/env bash
# Takes an Emscripten that is already installed, if it is new enough, and finds the header-only libraries for it.
# It installs no compiler.
#   wasm/setup/path.sh EMCC FOLDER      writes FOLDER/env.part and FOLDER/needs
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/common.sh"
emcc=$1 folder=$2

version=$("$emcc" -dumpversion 2>/dev/null) || version=''
[[ $version =~ ^([0-9]+)\. ]] || fail emcc_broken "$emcc -dumpversion: expected a version, found '$version'"
[ "${BASH_REMATCH[1]}" -ge 4 ] || fail emcc_old "$emcc: expected version 4.0 or newer, found $version"
root=$("$(dirname "$emcc")/em-config" EMSCRIPTEN_ROOT)
toolchain=cmake/Modules/Platform/Emscripten.cmake
[ -f "$root/$toolchain" ] || fail emcc_broken "$root: expected $toolchain"

# complete FOLDER: does it hold the four libraries, and an xsimd that knows WebAssembly?
complete() {
  [ -f "$1/doctest/doctest.h" ] && [ -f "$1/nlohmann/json.hpp" ] && [ -f "$1/CLI/CLI.hpp" ] &&
    grep -Eqs 'XSIMD_VERSION_MAJOR +(1[3-9]|[2-9][0-9])' "$1/xsimd/config/xsimd_config.hpp"
}

include=${VITRINE_INCLUDE:-}
if [ -z "$include" ] || ! complete "$include"; then
  [ -z "$include" ] || say "$include: expected xsimd/ (13 or newer), doctest/, nlohmann/ and CLI/; looking elsewhere"
  packages='libxsimd-dev doctest-dev nlohmann-json3-dev libcli11-dev'
  # shellcheck disable=SC2086
  bash "$here/fetch.sh" forky "$folder/root" $packages || bash "$here/fetch.sh" trixie "$folder/root" $packages
  include=$folder/root/usr/include
  complete "$include" || fail headers_old "$include: expected xsimd/ (13 or newer), doctest/, nlohmann/ and CLI/"
fi
cat >"$folder/env.part" <<EOF
export EMSCRIPTEN_ROOT='$root'
export VITRINE_INCLUDE='$include'
export PATH='$(dirname "$emcc")':"\$PATH"
EOF
printf '%s\n' "$emcc" "$include/xsimd/xsimd.hpp" >"$folder/needs"
