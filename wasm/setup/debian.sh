#!/usr/bin/env bash
# Unpacks the Emscripten of one Debian suite in a folder of its own, on the LLVM of this system. Only LLVM is installed
# in place; Emscripten, Binaryen and the header-only libraries stay in the folder.
#   wasm/setup/debian.sh SUITE LLVM_VERSION FOLDER      writes FOLDER/env.part and FOLDER/needs
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/common.sh"
suite=$1 llvm=$2 folder=$3

llvm_bin=/usr/lib/llvm-$llvm/bin
if ! { [ -x "$llvm_bin/clang" ] && [ -x "$llvm_bin/wasm-ld" ] && [ -x "$llvm_bin/llvm-ar" ]; }; then
  bash "$here/apt.sh" "clang-$llvm" "lld-$llvm" "llvm-$llvm"
fi

root=$folder/root
bash "$here/fetch.sh" "$suite" "$root" emscripten binaryen libc6 libstdc++6 libgcc-s1 \
  libxsimd-dev doctest-dev nlohmann-json3-dev libcli11-dev
mkdir -p "$folder/include"
for name in xsimd doctest nlohmann CLI; do
  cp -r "$root/usr/include/$name" "$folder/include/"
done
mv "$root/usr/share/emscripten" "$folder/emscripten"
# System libraries that the package brings need not be built.
if [ -d "$folder/emscripten/cache" ]; then mv "$folder/emscripten/cache" "$folder/cache"; fi

# This Binaryen wants a newer C library than the system's: it gets its own, through its own loader.
binaryen=$folder/binaryen
mkdir -p "$binaryen"/bin "$binaryen"/lib "$binaryen"/libexec
libraries=$(dirname "$(find "$root/usr/lib" -name libbinaryen.so | head -1)")
cp -L "$libraries"/{libc.so.6,libm.so.6,libstdc++.so.6,libgcc_s.so.1,libbinaryen.so} "$binaryen/lib/"
loader=$(find "$libraries" -name 'ld-linux*.so.*' | head -1)
cp -L "$loader" "$binaryen/lib/"
loader=$binaryen/lib/${loader##*/}
for program in "$root"/usr/bin/wasm*; do
  name=${program##*/}
  cp "$program" "$binaryen/libexec/"
  printf '#!/bin/sh\nexec "%s" --library-path "%s" "%s" "$@"\n' "$loader" "$binaryen/lib" "$binaryen/libexec/$name" \
    >"$binaryen/bin/$name"
  chmod +x "$binaryen/bin/$name"
done

# Debian ties Emscripten to its own LLVM and to Node packages of its own; untie it.
tools=$folder/emscripten/tools
sed -i -e "s/^EXPECTED_LLVM_VERSION = .*/EXPECTED_LLVM_VERSION = $llvm/" \
  -e "s/^    cmd = name\$/    cmd = [*config.NODE_JS, path_from_root('node_modules\/.bin', name)]/" "$tools/shared.py"
# LLVM 22 puts the stack first unless told otherwise; Emscripten's memory layout expects that it says so.
if [ "$llvm" -ge 22 ] && ! grep -q -- --no-stack-first "$tools/building.py"; then
  sed -i "s/^    cmd.append('--stack-first')\$/&\n  else:\n    cmd.append('--no-stack-first')/" "$tools/building.py"
  grep -q -- --no-stack-first "$tools/building.py" || fail emscripten_changed "$tools/building.py: expected --stack-first"
fi
cp "$here"/npm/package*.json "$folder/emscripten/"
(cd "$folder/emscripten" && npm ci --no-audit --no-fund --loglevel=error >&2)

node=$(command -v node)
# The system's own Python: a version manager's stand-in would cost each compiler call its start.
python=/usr/bin/python3
[ -x "$python" ] || python=$(command -v python3)
cat >"$folder/emscripten/.emscripten" <<EOF
LLVM_ROOT = '$llvm_bin'
BINARYEN_ROOT = '$binaryen'
NODE_JS = '$node'
CACHE = '$folder/cache'
EOF
cat >"$folder/env.part" <<EOF
unset EM_CONFIG EM_CACHE EM_LLVM_ROOT EM_BINARYEN_ROOT EM_NODE_JS
export EMSDK_PYTHON='$python'
export EMSCRIPTEN_ROOT='$folder/emscripten'
export VITRINE_INCLUDE='$folder/include'
export PATH='$folder/emscripten':"\$PATH"
EOF
printf '%s\n' "$llvm_bin/clang" "$llvm_bin/wasm-ld" "$llvm_bin/llvm-ar" "$node" "$python" \
  "$folder/emscripten/emcc" "$folder/include/xsimd/xsimd.hpp" >"$folder/needs"
rm -rf "$root"
