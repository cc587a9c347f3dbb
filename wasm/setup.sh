#!/usr/bin/env bash
# Sets up all that Vitrine is built and tested with, and prints the path of a file of environment variables:
#   . "$(wasm/setup.sh)"
# It builds nothing of Vitrine's own; `npm run build` does. Idempotent; a second run takes milliseconds.
#
#   wasm/setup.sh             compilers, Emscripten, header-only libraries
#   wasm/setup.sh --browser   the same, and Chromium for tests/browser
#   wasm/setup.sh --fuzz      the same, and libFuzzer for tests/fuzz, where it is to be had
#
# VITRINE_TOOLCHAIN   auto (default) tries the next three in this order; naming one tries that one alone:
#   path      an emcc that is already on PATH, 4.0 or newer
#   testing   Emscripten of Debian testing on LLVM 22
#   stable    Emscripten 3.1.69 of Debian 13 on LLVM 19, which moves no more
# VITRINE_INCLUDE     with `path`: a folder with xsimd/ (13 or newer), doctest/, nlohmann/ and CLI/, if they are at hand
# XDG_CACHE_HOME      the toolchain is kept in $XDG_CACHE_HOME/vitrine (~/.cache/vitrine)
#
# A toolchain counts as set up only after setup/probe.sh has compiled and run a program with it.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/setup/common.sh"

hash_of_input() {
  if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi | cut -c1-12
}

# An emcc on PATH that is not one of ours; empty without one.
outside_emcc() {
  local emcc
  emcc=$(command -v emcc) || return 0
  case $emcc in "$base"/*) ;; *) printf '%s' "$emcc" ;; esac
}

# Is every path listed in the file there? A package removed since, or a cleaned folder, makes the set-up run again.
all_there() {
  local path
  [ -s "$1" ] || return 1
  while IFS= read -r path; do [ -e "$path" ] || return 1; done <"$1"
}

ready() {
  [ -s "$record" ] && all_there "$record.needs" || return 1
  ! $browser || chromium >/dev/null
}

chromium() {
  local name
  for name in "${VITRINE_CHROMIUM:-}" chromium chromium-browser google-chrome; do
    # type -P: a program, not this function.
    if [ -n "$name" ] && type -P "$name"; then return 0; fi
  done
  return 1
}

# The major version of the LLVM that a toolchain of Debian's packages stands on; empty for another toolchain.
llvm_version() { sed -n "s|^LLVM_ROOT = '/usr/lib/llvm-\([0-9]*\)/bin'\$|\1|p" "$1/emscripten/.emscripten" 2>/dev/null || true; }

# Clang alone brings no libFuzzer and no sanitizers. Without them the fuzz targets replay their corpus and no more.
install_fuzzer() {
  local llvm
  llvm=$(. "$1" && llvm_version "${EMSCRIPTEN_ROOT%/emscripten}")
  [ -n "$llvm" ] || return 0
  [ -z "$(find "/usr/lib/llvm-$llvm/lib/clang" -name 'libclang_rt.fuzzer*' -print -quit 2>/dev/null)" ] || return 0
  bash "$here/setup/apt.sh" "libclang-rt-$llvm-dev" 1>&2 || say "without libclang-rt-$llvm-dev the fuzz targets only replay their corpus"
}

# The Debian packages that the machine lacks of those that this project calls by name.
missing_packages() {
  command -v cmake >/dev/null || echo cmake
  command -v c++ >/dev/null || echo g++
  command -v python3 >/dev/null || echo python3
  command -v ninja >/dev/null || echo ninja-build
  command -v ccache >/dev/null || echo ccache
  command -v clang-format-14 >/dev/null || echo clang-format-14
  if $browser; then
    chromium >/dev/null || echo chromium
    # Text without any font has no width, and the layout tests measure text.
    [ -n "$(find /usr/share/fonts -name '*.ttf' -print -quit 2>/dev/null)" ] || echo fonts-dejavu-core
  fi
}

install_packages() {
  local packages
  packages=$(missing_packages)
  [ -n "$packages" ] || return 0
  # shellcheck disable=SC2086
  if bash "$here/setup/apt.sh" $packages; then return 0; fi
  # Another system, or no right to install: some of these can be done without.
  packages=$(missing_packages | tr '\n' ' ')
  case " $packages" in *" clang-format-14 "*) say "without clang-format-14 the layout of the sources is not checked" ;; esac
  case " $packages" in *" ccache "*) say "without ccache a second build in another folder compiles everything again" ;; esac
  case " $packages" in *" cmake "* | *" g++ "* | *" python3 "* | *" ninja-build "*)
    fail no_build_tools "expected cmake 3.25, a C++20 compiler, python3 and ninja on PATH; missing: $packages" ;;
  esac
  case " $packages" in *" chromium "*)
    fail no_browser "expected Chromium or Chrome on PATH, or its path in VITRINE_CHROMIUM" ;;
  esac
}

# install KIND FOLDER: fills the folder, env.part and needs included.
install() {
  case $1 in
    path) bash "$here/setup/path.sh" "$(outside_emcc)" "$2" ;;
    testing) bash "$here/setup/debian.sh" forky 22 "$2" ;;
    stable) bash "$here/setup/debian.sh" trixie 19 "$2" ;;
  esac
}

# folder_of KIND: where that toolchain lies. What was proved of one emcc on PATH says nothing of another.
folder_of() {
  case $1 in
    path) printf '%s' "$base/$key-path-$(printf '%s' "$(outside_emcc) ${VITRINE_INCLUDE:-}" | hash_of_input)" ;;
    *) printf '%s' "$base/$key-$1" ;;
  esac
}

# attempt KIND: sets up one kind of toolchain in its folder. Its env.sh appears last, when all else is proved.
attempt() {
  local folder
  folder=$(folder_of "$1")
  if [ "$1" = path ] && [ -z "$(outside_emcc)" ]; then say 'path: no emcc on PATH'; return 1; fi
  if [ -s "$folder/env.sh" ] && all_there "$folder/needs"; then return 0; fi
  rm -rf "$folder"
  mkdir -p "$folder"
  say "$1: setting up Emscripten and its tools (minutes, once)"
  if install "$1" "$folder" && say "$1: building Emscripten's libraries and proving what they make (minutes, once)" &&
    bash "$here/setup/probe.sh" "$folder/env.part" "$folder/probe"; then
    rm -rf "$folder/probe"
    mv "$folder/env.part" "$folder/env.sh"
    return 0
  fi
  say "$1: not taken"
  rm -rf "$folder"
  return 1
}

main() {
  browser=false fuzz=false
  while [ $# -gt 0 ]; do
    case $1 in
      --browser) browser=true ;;
      --fuzz) fuzz=true ;;
      -h | --help) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; exit 0 ;;
      *) fail bad_option "expected --browser, --fuzz or --help, found '$1'" ;;
    esac
    shift
  done

  local choice=${VITRINE_TOOLCHAIN:-auto} kinds
  case $choice in
    auto) kinds='path testing stable' ;;
    path | testing | stable) kinds=$choice ;;
    *) fail bad_toolchain "VITRINE_TOOLCHAIN: expected auto, path, testing or stable, found '$choice'" ;;
  esac

  base=${XDG_CACHE_HOME:-${HOME:?}/.cache}/vitrine
  # An env file of ours that was read before is no wish of the user's.
  case ${VITRINE_INCLUDE:-} in "$base"/*) unset VITRINE_INCLUDE ;; esac
  # A toolchain is what these files make of it.
  key=$(cat "$here"/setup/{debian,fetch,path,probe}.sh "$here"/setup/npm/*.json | hash_of_input)
  # What this script decided for this choice and this emcc on PATH: a copy of the env file of the kind that was taken.
  record=$base/$key-decided-$({ printf '%s\n' "$choice $(outside_emcc) ${VITRINE_INCLUDE:-}"; cat "$here/setup.sh"; } | hash_of_input)

  if ! ready; then
    mkdir -p "$base"
    if command -v flock >/dev/null; then
      exec 9>"$base/lock"
      flock -n 9 || { say "waiting for another set-up to end"; flock 9; }
    fi
    exec 8>&1 1>&2
    if ! ready; then
      install_packages
      local kind taken=''
      for kind in $kinds; do
        if attempt "$kind"; then taken=$kind; break; fi
      done
      [ -n "$taken" ] || fail no_toolchain \
        "no Emscripten could be set up (tried: $kinds; the reasons stand above). On a system that is not Debian, install
  Emscripten 4.0 or newer (emcc on PATH) and the headers of xsimd 13 or newer, doctest, nlohmann/json and CLI11,
  set VITRINE_INCLUDE to the folder that holds xsimd/, doctest/, nlohmann/ and CLI/, and run this again."
      say "toolchain: $taken"
      { cat "$(folder_of "$taken")/needs"; command -v cmake c++ ninja python3; } >"$record.needs"
      cp "$(folder_of "$taken")/env.sh" "$record.part"
      mv "$record.part" "$record"
      # Toolchains of older scripts that nothing has used for a month.
      find "$base" -mindepth 1 -maxdepth 1 -mtime +30 ! -name lock ! -name "$key-*" -exec rm -rf {} +
    fi
    exec 1>&8
  fi
  if $fuzz; then install_fuzzer "$record"; fi
  touch -c "$record" "$base/$key"-*/
  printf '%s\n' "$record"
}

main "$@"
