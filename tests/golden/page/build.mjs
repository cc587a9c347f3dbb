// Gathers the page that runs the golden program in a browser, from a wasm build folder. It serves and opens nothing.
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { readBundle } from '../files.mjs';

const golden = fileURLToPath(new URL('..', import.meta.url));

/** Fills `out` with the page, both modules of the build folder and the bundle's files. */
export function buildPage(folder, bundleFolder, out) {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(join(out, 'bundle'), { recursive: true });
  for (const name of ['page/index.html', 'page/main.mjs', 'program.mjs', 'session.mjs', 'cases.json']) {
    cpSync(join(golden, name), join(out, name.replace('page/', '')));
  }
  for (const name of ['tests/golden.mjs', 'tests/golden.wasm', 'vitrine-module.mjs', 'vitrine-module.wasm']) {
    cpSync(join(folder, name), join(out, name.replace('tests/', '')));
  }
  for (const [name, bytes] of readBundle(bundleFolder)) writeFileSync(join(out, 'bundle', name), bytes);
}
