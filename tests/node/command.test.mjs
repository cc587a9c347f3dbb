// `npx vitrine`: which build it runs, and that arguments, input and exit status pass through. The builds here are
// stand-ins; what the real command line does is for other tests.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

const native = '#!/bin/sh\necho "native $*"; cat; exit 7\n';
const wasm = 'console.log("wasm", ...process.argv.slice(2)); process.exit(5);\n';

/** Runs the launcher in a project of its own that has these builds. */
function launch(t, { builds, args = [], build, input = '' }) {
  const root = mkdtempSync(join(tmpdir(), 'vitrine-command-'));
  t.after(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'wasm'));
  cpSync('wasm/vitrine.mjs', join(root, 'wasm/vitrine.mjs'));
  for (const [path, text] of Object.entries(builds)) {
    mkdirSync(join(root, 'build', dirname(path)), { recursive: true });
    writeFileSync(join(root, 'build', path), text);
    chmodSync(join(root, 'build', path), 0o755);
  }
  const env = { ...process.env, VITRINE_BUILD: build ?? '' };
  return spawnSync(process.execPath, [join(root, 'wasm/vitrine.mjs'), ...args], { env, input, encoding: 'utf8' });
}

const both = { 'native-release/vitrine': native, 'wasm-release/vitrine.cjs': wasm };

test('the native build is taken when it is there; arguments, input and exit status pass through', (t) => {
  const { stdout, status } = launch(t, { builds: both, args: ['eval', '--data', 'a b'], input: 'text\n' });
  assert.equal(stdout, 'native eval --data a b\ntext\n');
  assert.equal(status, 7);
});

test('the wasm build is taken when it alone is there, or when VITRINE_BUILD says so', (t) => {
  const alone = launch(t, { builds: { 'wasm-release/vitrine.cjs': wasm }, args: ['-x'] });
  assert.deepEqual([alone.stdout, alone.status], ['wasm -x\n', 5]);
  const forced = launch(t, { builds: both, build: 'wasm' });
  assert.deepEqual([forced.stdout, forced.status], ['wasm\n', 5]);
});

test('without a build the launcher says what to run, and builds nothing', (t) => {
  const { stderr, status } = launch(t, { builds: {} });
  assert.match(stderr, /nothing is built yet: run npm run build/);
  assert.equal(status, 2);
  assert.match(launch(t, { builds: both, build: 'neither' }).stderr, /VITRINE_BUILD: expected native or wasm, found 'neither'/);
  assert.match(launch(t, { builds: { 'wasm-release/vitrine.cjs': wasm }, build: 'native' }).stderr, /run npm run build:native/);
});

test('what the launcher refuses is JSON where --json is asked for', (t) => {
  const wrong = launch(t, { builds: both, build: 'neither', args: ['inspect', '--json'] });
  assert.deepEqual(JSON.parse(wrong.stdout), {
    error: { code: 'invalid_option', message: "VITRINE_BUILD: expected native or wasm, found 'neither'" },
  });
  assert.deepEqual([wrong.stderr, wrong.status], ['', 2]);
  assert.equal(JSON.parse(launch(t, { builds: {}, args: ['--json'] }).stdout).error.code, 'file_not_found');
  assert.equal(launch(t, { builds: {}, args: ['--', '--json'] }).stdout, '');
});

test('a build that dies of a signal gives the exit status of that signal', (t) => {
  const { status } = launch(t, { builds: { 'native-release/vitrine': '#!/bin/sh\nkill -SEGV $$\n' } });
  assert.equal(status, 128 + 11);
});
