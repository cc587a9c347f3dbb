// wasm/setup.sh where it decides: options, an emcc that is too old, headers that are absent, a set-up that was cut short.
// It installs nothing: a stand-in plays emcc. That a real toolchain works is what the set-up's own probe and the other
// tests show.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

// The toolchain of the run that this test is part of is not to be found.
const path = process.env.PATH.split(':').filter((folder) => folder !== process.env.EMSCRIPTEN_ROOT);

function scratchFolder(t) {
  const scratch = mkdtempSync(join(tmpdir(), 'vitrine-setup-'));
  t.after(() => rmSync(scratch, { recursive: true, force: true }));
  return scratch;
}

/** A folder that stands for the four header-only libraries. */
function fakeHeaders(t) {
  const folder = scratchFolder(t);
  const headers = { 'doctest/doctest.h': '', 'nlohmann/json.hpp': '', 'CLI/CLI.hpp': '', 'xsimd/config/xsimd_config.hpp': '#define XSIMD_VERSION_MAJOR 14\n' };
  for (const [path, text] of Object.entries({ ...headers, 'xsimd/xsimd.hpp': '' })) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** Puts stand-ins for Emscripten into a folder; with `compiles` they, and one for c++, make what the probe expects. */
function fakeEmscripten(bin, { version, compiles = false }) {
  const made = {
    native: `#!/bin/sh\necho '{"error":"thrown","sum":8.0}'\n`,
    'probe.cjs': `console.log('{"error":"thrown","sum":8.0}');\n`,
    'probe.d.ts': 'twice(x: number): number\n',
    'tests.cjs': `console.log('1 passed');\n`,
  };
  const compile = compiles ? `cp -p ${bin}/made/* .` : 'exit 1';
  const emscripten = `case $1 in -dumpversion) echo ${version} ;; EMSCRIPTEN_ROOT) echo ${bin}/root ;; *) ${compile} ;; esac`;
  const programs = { emcc: emscripten, 'em++': emscripten, 'em-config': emscripten, ...(compiles && { 'c++': compile }) };
  mkdirSync(join(bin, 'made'));
  mkdirSync(join(bin, 'root/cmake/Modules/Platform'), { recursive: true });
  writeFileSync(join(bin, 'root/cmake/Modules/Platform/Emscripten.cmake'), '');
  for (const [name, text] of Object.entries(made)) writeFileSync(join(bin, 'made', name), text, { mode: 0o755 });
  for (const [name, text] of Object.entries(programs)) writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
}

/** Runs the set-up with a cache, an empty one if none is given, and stand-ins first on PATH if a version is given. */
function setUp(t, { args = [], toolchain = 'path', include = '', scratch = scratchFolder(t), programs = path, ...stands } = {}) {
  const bin = scratchFolder(t);
  if (stands.version) fakeEmscripten(bin, stands);
  const env = { ...process.env, PATH: [bin, ...programs].join(':'), VITRINE_CHROMIUM: '', XDG_CACHE_HOME: scratch, VITRINE_TOOLCHAIN: toolchain, VITRINE_INCLUDE: include };
  const result = spawnSync('bash', ['wasm/setup.sh', ...args], { env, encoding: 'utf8' });
  const cache = join(scratch, 'vitrine');
  const left = existsSync(cache) ? readdirSync(cache).filter((name) => name !== 'lock') : [];
  return { ...result, left };
}

test('a wrong option and a wrong toolchain are errors with a code', (t) => {
  assert.match(setUp(t, { args: ['--fast'] }).stderr, /error bad_option: expected --browser, --fuzz or --help, found '--fast'/);
  const { stderr, status, stdout } = setUp(t, { toolchain: 'newest' });
  assert.match(stderr, /error bad_toolchain: VITRINE_TOOLCHAIN: expected auto, path, testing or stable, found 'newest'/);
  assert.deepEqual([status, stdout], [1, '']);
});

test('without an emcc on PATH, or with an old one, the choice path fails and says what to install', (t) => {
  const absent = setUp(t);
  assert.match(absent.stderr, /path: no emcc on PATH|error emcc_old/);
  assert.match(absent.stderr, /error no_toolchain: [^]*Emscripten 4\.0 or newer[^]*xsimd 13 or newer/);
  const old = setUp(t, { version: '3.1.6' });
  assert.match(old.stderr, /error emcc_old: .*expected version 4\.0 or newer, found 3\.1\.6/);
  assert.deepEqual([old.status, old.stdout, old.left], [1, '', []]);
});

test('an emcc that is new enough but compiles nothing is refused by the probe, and leaves nothing behind', (t) => {
  const { stderr, status, stdout, left } = setUp(t, { version: '4.0.1', include: fakeHeaders(t) });
  assert.match(stderr, /proving/);
  assert.match(stderr, /error no_toolchain/);
  assert.deepEqual([status, stdout, left], [1, '', []]);
});

test('what was proved of one emcc on PATH counts neither for another nor without any', (t) => {
  const [scratch, include] = [scratchFolder(t), fakeHeaders(t)];
  const good = setUp(t, { scratch, include, version: '4.0.1', compiles: true });
  assert.equal(good.status, 0, good.stderr);
  const other = setUp(t, { scratch, include, version: '4.0.1' });
  assert.match(other.stderr, /proving/);
  assert.deepEqual([other.status, other.stdout], [1, '']);
  const none = setUp(t, { scratch, include });
  assert.match(none.stderr, /path: no emcc on PATH/);
  assert.deepEqual([none.status, none.stdout], [1, '']);
});

/** A folder with every program of this machine's PATH but those named. */
function programsWithout(t, ...hidden) {
  const folder = scratchFolder(t);
  for (const source of path.filter(existsSync)) {
    for (const name of readdirSync(source)) {
      const link = join(folder, name);
      if (!hidden.includes(name) && !existsSync(link)) symlinkSync(join(source, name), link);
    }
  }
  return [folder];
}

test('a browser that is absent is asked for, and only with --browser', (t) => {
  const programs = programsWithout(t, 'chromium', 'chromium-browser', 'google-chrome', 'apt-get', 'dpkg-query');
  const asked = setUp(t, { args: ['--browser'], programs });
  assert.match(asked.stderr, /error no_apt: .*chromium/);
  assert.match(asked.stderr, /error no_browser: expected Chromium or Chrome on PATH/);
  assert.deepEqual([asked.status, asked.stdout], [1, '']);
  assert.doesNotMatch(setUp(t, { programs }).stderr, /chromium/i);
});
