// wasm/setup.sh where it decides: options, an emcc that is too old, headers that are absent, a set-up that was cut short.
// It installs nothing: a stand-in plays emcc. That a real toolchain works is what the set-up's own probe and the other
// tests show.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

// The toolchain of the run that this test is part of is not to be found.
const path = process.env.PATH.split(':').filter((folder) => folder !== process.env.EMSCRIPTEN_ROOT);

/** Runs the set-up with an empty cache and, if a version is given, a stand-in emcc of that version first on PATH. */
function setUp(t, { args = [], toolchain = 'path', version, include = '', programs } = {}) {
  const scratch = mkdtempSync(join(tmpdir(), 'vitrine-setup-'));
  t.after(() => rmSync(scratch, { recursive: true, force: true }));
  const bin = join(scratch, 'bin');
  mkdirSync(bin);
  if (version) {
    const script = `#!/bin/sh\ncase $1 in -dumpversion) echo ${version} ;; EMSCRIPTEN_ROOT) echo ${scratch}/root ;; *) exit 1 ;; esac\n`;
    for (const name of ['emcc', 'em++', 'em-config']) {
      writeFileSync(join(bin, name), script);
      chmodSync(join(bin, name), 0o755);
    }
    mkdirSync(join(scratch, 'root/cmake/Modules/Platform'), { recursive: true });
    writeFileSync(join(scratch, 'root/cmake/Modules/Platform/Emscripten.cmake'), '');
  }
  const env = { ...process.env, PATH: [bin, ...(programs ?? path)].join(':'), VITRINE_CHROMIUM: '', XDG_CACHE_HOME: scratch, VITRINE_TOOLCHAIN: toolchain, VITRINE_INCLUDE: include };
  const result = spawnSync('bash', ['wasm/setup.sh', ...args], { env, encoding: 'utf8' });
  const cache = join(scratch, 'vitrine');
  const left = existsSync(cache) ? readdirSync(cache).filter((name) => name !== 'lock') : [];
  return { ...result, left };
}

test('a wrong option and a wrong toolchain are errors with a code', (t) => {
  assert.match(setUp(t, { args: ['--fast'] }).stderr, /error bad_option: expected --browser or --help, found '--fast'/);
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
  const scratch = mkdtempSync(join(tmpdir(), 'vitrine-headers-'));
  t.after(() => rmSync(scratch, { recursive: true }));
  const headers = { 'doctest/doctest.h': '', 'nlohmann/json.hpp': '', 'CLI/CLI.hpp': '', 'xsimd/config/xsimd_config.hpp': '#define XSIMD_VERSION_MAJOR 14\n' };
  for (const [path, text] of Object.entries(headers)) {
    mkdirSync(join(scratch, path, '..'), { recursive: true });
    writeFileSync(join(scratch, path), text);
  }
  const { stderr, status, stdout, left } = setUp(t, { version: '4.0.1', include: scratch });
  assert.match(stderr, /proving/);
  assert.match(stderr, /error no_toolchain/);
  assert.deepEqual([status, stdout, left], [1, '', []]);
});

/** A folder with every program of this machine's PATH but those named. */
function programsWithout(t, ...hidden) {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-programs-'));
  t.after(() => rmSync(folder, { recursive: true }));
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
