// A training run that is killed, and goes on in the other build with other threads: to the same bundle, byte for byte.
// The runs of tests/golden end and resume inside one process; here a process is really killed.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { corpus, programs, readFolder, scratch, trainOptions, vitrine } from './support/command-line.mjs';

const options = trainOptions.with(trainOptions.indexOf('--steps') + 1, '300');

const checkpointOf = (folder) => join(folder, 'checkpoint/checkpoint.safetensors');

function trainArgs(folder, ...extra) {
  writeFileSync(join(folder, 'train.txt'), corpus(120));
  const files = ['--data', join(folder, 'train.txt'), '--out', join(folder, 'bundle'), '--checkpoint', join(folder, 'checkpoint')];
  return ['train', ...files, ...options, ...extra];
}

/** Kills a run as soon as it has written a checkpoint. */
async function killedRun(build, args, folder) {
  const written = () => statSync(checkpointOf(folder), { throwIfNoEntry: false })?.ino;
  const before = written();
  const [program, ...first] = programs[build];
  const child = spawn(program, [...first, ...args, '--checkpoint-every', '1'], { stdio: 'ignore' });
  const timer = setInterval(() => {
    if (written() !== before) child.kill('SIGKILL');
  }, 2);
  const [status, signal] = await once(child, 'close');
  clearInterval(timer);
  assert.deepEqual([status, signal], [null, 'SIGKILL']);
}

test('a killed run goes on, from wasm to native and back, at any number of threads, to the same bundle', async (t) => {
  const [whole, killed] = [scratch(t), scratch(t)];
  assert.equal(vitrine('native', trainArgs(whole)).status, 0);
  await killedRun('wasm', trainArgs(killed), killed);
  await killedRun('native', trainArgs(killed, '--resume', '--threads', '3'), killed);
  const resumed = vitrine('wasm', trainArgs(killed, '--resume'));
  assert.equal(resumed.status, 0, resumed.stderr);
  const [expected, found] = [readFolder(join(whole, 'bundle')), readFolder(join(killed, 'bundle'))];
  assert.deepEqual([...found.keys()], [...expected.keys()]);
  for (const [name, bytes] of expected) assert.ok(bytes.equals(found.get(name)), name);
});
