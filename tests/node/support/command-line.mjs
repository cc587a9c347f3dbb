// Runs the two builds of the command line, and makes a small bundle with them for tests that need a real model.
// Its model has learned next to nothing: what is tested is that all builds agree on it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const folder = (name) => resolve(process.env[`VITRINE_${name.toUpperCase()}_BUILD`] ?? `build/${name}-release`);

export const builds = ['native', 'wasm'];
export const programs = {
  native: [join(folder('native'), 'vitrine')],
  wasm: [process.execPath, join(folder('wasm'), 'vitrine.cjs')],
};
export const modulePath = join(folder('wasm'), 'vitrine-module.mjs');

/** The end of one run: { status, stdout, stderr, json() }. */
export function vitrine(build, args, { input, timeout } = {}) {
  const [program, ...first] = programs[build];
  if (!existsSync(first[0] ?? program)) throw new Error(`${first[0] ?? program}: not built`);
  const { status, stdout, stderr } = spawnSync(program, [...first, ...args], {
    input: input ?? '',
    timeout,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  return { status, stdout, stderr, json: () => JSON.parse(stdout) };
}

/** The error of a run that is refused with this code, checked to have the exit status that belongs to it. */
export function refused(build, args, code, options) {
  const run = vitrine(build, [...args, '--json'], options);
  const { error } = run.stdout === '' ? {} : run.json();
  const place = `${build} ${args.join(' ')}: ${run.stdout}${run.stderr}`;
  assert.equal(error?.code, code, place);
  assert.equal(run.status, code === 'invalid_option' ? 2 : 3, place);
  return error;
}

/** Lines like those of the shell corpus, the same on every machine. */
export function corpus(lines, first = 0) {
  const tools = ['git', 'docker', 'npm', 'cargo', 'kubectl'];
  const verbs = ['commit', 'run', 'build', 'push', 'install', 'status', 'log'];
  const flags = ['-m <message>', '--all', '-v', '--force', '--help', '-p <port>'];
  return Array.from({ length: lines }, (_, n) => {
    const i = first + n;
    return `${tools[i % 5]} ${verbs[(i * 3) % 7]} ${flags[(i * 5) % 6]}  # ${verbs[(i * 3) % 7]} with ${flags[(i * 5) % 6]}\n`;
  }).join('');
}

export function scratch(t) {
  const path = mkdtempSync(join(tmpdir(), 'vitrine-cli-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

export const trainOptions = [
  ...['--vocab-size', '300', '--d-model', '24', '--layers', '2', '--heads', '4', '--kv-heads', '2', '--d-ff', '40'],
  ...['--context', '48', '--steps', '8', '--batch-rows', '96', '--warmup', '2', '--seed', '5', '--name', 'tiny'],
];

/** Trains a bundle into path/out, from path/train.txt and path/held-out.txt. */
export function train(build, path, { out = 'bundle', options = trainOptions, extra = [], json = true } = {}) {
  writeFileSync(join(path, 'train.txt'), corpus(120));
  writeFileSync(join(path, 'held-out.txt'), corpus(15, 1000));
  const files = ['--data', join(path, 'train.txt'), '--held-out', join(path, 'held-out.txt'), '--out', join(path, out)];
  return vitrine(build, ['train', ...files, ...options, ...extra, ...(json ? ['--json'] : [])]);
}

/** Every file of a folder by name. */
export function readFolder(path) {
  return new Map(readdirSync(path).sort().map((name) => [name, readFileSync(join(path, name))]));
}
