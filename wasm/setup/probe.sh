#!/usr/bin/env bash
# Proves a toolchain: builds small programs as Vitrine's are built, native and wasm, and runs them. Emscripten builds
# its system libraries on the way. It tests nothing of Vitrine.
#   wasm/setup/probe.sh ENV_FILE FOLDER
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/common.sh"
env_file=$1 folder=$2
. "$env_file"
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"

cat >probe.cpp <<'EOF'
#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>
#include <xsimd/xsimd.hpp>
#ifdef __EMSCRIPTEN__
#include <emscripten/bind.h>
static int twice(int x) { return 2 * x; }
EMSCRIPTEN_BINDINGS(probe) { emscripten::function("twice(x)", &twice); }
#endif

int main(int argc, char** argv) {
  CLI::App app;
  int lanes = 0;
  app.add_option("--lanes", lanes);
  CLI11_PARSE(app, argc, argv);
  try {
    if (lanes == 4) throw std::runtime_error("thrown");
  } catch (const std::exception& error) {
    float sum = 0;
    auto add = [&] { sum = xsimd::reduce_add(xsimd::batch<float, xsimd::PROBE_ARCH>(2.0F)); };
#ifndef __EMSCRIPTEN__
    std::thread(add).join();
#else
    add();
#endif
    std::puts(nlohmann::json{{"error", error.what()}, {"sum", sum}}.dump().c_str());
  }
}
EOF
printf '%s\n' '#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN' '#include <doctest/doctest.h>' 'TEST_CASE("it runs") { CHECK(true); }' \
  >probe_test.cpp
expected='{"error":"thrown","sum":8.0}'

check() {
  local found
  found=$("$@" --lanes 4) || fail probe_failed "$*: exit status $?"
  [ "$found" = "$expected" ] || fail probe_failed "$*: expected $expected, found $found"
}

c++ -std=c++20 -O1 -I"$VITRINE_INCLUDE" -DPROBE_ARCH=sse2 probe.cpp -o native -pthread
check ./native

# One flavour of the system libraries; a build with other ABI flags (-pthread) gets a probe of its own here, or else
# Emscripten builds its libraries during that build's first link.
wasm=(em++ -std=c++20 -O2 -msimd128 -fwasm-exceptions -isystem "$VITRINE_INCLUDE" -DPROBE_ARCH=wasm -sEXIT_RUNTIME=1)
compile() {
  "${wasm[@]}" "$@" >>log 2>&1 || { tail -n 40 log >&2; fail probe_failed "${wasm[*]} $*: see above"; }
}
compile probe.cpp -lembind -o probe.cjs --emit-tsd probe.d.ts
check node probe.cjs
grep -q 'twice(x: number): number' probe.d.ts || fail probe_failed "probe.d.ts: expected twice(x: number): number"
compile probe_test.cpp -o tests.cjs
node tests.cjs | grep -q '1 passed' || fail probe_failed "tests.cjs: expected 1 passed"
