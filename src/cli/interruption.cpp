// A native program has its handler. A program under Node has its only thread in C++, where no handler of Node's can
// run, so its launcher, wasm/vitrine.mjs, watches in its place and tells of a signal by a byte in a file, which it
// handed on as descriptor VITRINE_SIGNAL_FD. Without a launcher a signal ends the program at once, as before.
#include "cli/interruption.hpp"

#if defined(__EMSCRIPTEN__)
#include <emscripten.h>
#else
#include <csignal>
#include <initializer_list>
#endif

namespace vitrine::cli {

#if defined(__EMSCRIPTEN__)

// clang-format off
EM_JS(void, catch_signals_of_node, (), {
  if (process.env.VITRINE_SIGNAL_FD === undefined) return;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
})

EM_JS(int, launcher_saw_signal, (), {
  const fd = process.env.VITRINE_SIGNAL_FD;
  return fd !== undefined && require('fs').readSync(Number(fd), new Uint8Array(1), 0, 1, 0) === 1 ? 1 : 0;
})
// clang-format on

void catch_signals() { catch_signals_of_node(); }
bool interrupted() { return launcher_saw_signal() != 0; }

#else

namespace {

volatile std::sig_atomic_t caught = 0;
void remember(int) { caught = 1; }

}  // namespace

void catch_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    // nohup, or a shell's & in a script, wants it ignored.
    if (std::signal(signal, remember) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

bool interrupted() { return caught != 0; }

#endif

}  // namespace vitrine::cli
