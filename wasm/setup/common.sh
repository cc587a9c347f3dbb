# What the scripts of the set-up share: how they speak and how they fail. Sourced, never run.
set -euo pipefail

say() { printf 'setup: %s\n' "$*" >&2; }

# fail CODE TEXT: every way to fail has a code, and a text that says what to do.
fail() {
  printf 'setup: error %s: %s\n' "$1" "$2" >&2
  exit 1
}
