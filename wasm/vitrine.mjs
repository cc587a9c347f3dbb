#!/usr/bin/env node
// `npx vitrine ...`: runs the command line that is built, native if there is one, else WebAssembly under Node.
// It builds nothing and reads no option: all of them belong to src/cli. VITRINE_BUILD=native or wasm forces one.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const path = (name) => fileURLToPath(new URL(`../build/${name}`, import.meta.url));
const builds = {
  native: { file: path('native-release/vitrine'), command: (file) => [file] },
  wasm: { file: path('wasm-release/vitrine.cjs'), command: (file) => [process.execPath, file] },
};

/** As the command line itself reports: on stderr, or as JSON on stdout if that was asked for. */
function fail(code, message) {
  const options = process.argv.slice(2);
  const end = options.indexOf('--');
  if (options.slice(0, end === -1 ? undefined : end).includes('--json')) console.log(JSON.stringify({ error: { code, message } }));
  else console.error(`vitrine: ${code}: ${message}`);
  process.exit(2);
}

const wish = process.env.VITRINE_BUILD || undefined;
if (wish !== undefined && !(wish in builds)) fail('invalid_option', `VITRINE_BUILD: expected native or wasm, found '${wish}'`);
const name = wish ?? Object.keys(builds).find((key) => existsSync(builds[key].file));
if (name === undefined) fail('file_not_found', 'nothing is built yet: run npm run build');
const { file, command } = builds[name];
if (!existsSync(file)) fail('file_not_found', `the ${name} build is not there: run npm run build:${name}`);

/** An open file without a name. */
function namelessFile() {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-'));
  const fd = openSync(join(folder, 'signal'), 'w+');
  rmSync(folder, { recursive: true });
  return fd;
}

// A program under Node that is busy in WebAssembly cannot see a signal; it can see a byte in a file.
const signalFile = namelessFile();
const [program, ...args] = command(file);
const child = spawn(program, [...args, ...process.argv.slice(2)], {
  stdio: ['inherit', 'inherit', 'inherit', signalFile],
  env: { ...process.env, VITRINE_SIGNAL_FD: '3' },
});
// A signal from the terminal reaches the child too; it decides what to do, and its end is ours.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    writeSync(signalFile, signal);
    child.kill(signal);
  });
}
child.on('error', (error) => fail('internal', `${file}: ${error.message}`));
child.on('close', (status, signal) => process.exit(status ?? 128 + constants.signals[signal]));
