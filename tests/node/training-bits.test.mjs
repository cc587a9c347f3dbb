// One seed gives one set of weights: natively, as WebAssembly, at any number of threads, and after a run that was killed
// and resumed, also on the other machine. The bundles are compared byte for byte.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { corpus, programs, readFolder, scratch, train, trainOptions } from './support/command-line.mjs';

const steps = 40;
const options = trainOptions.with(trainOptions.indexOf('--steps') + 1, `${steps}`);

let folder;
let expected;

/** The bundle in path is, byte for byte, the one that a native run with one thread made. */
function same(path) {
  const found = readFolder(join(path, 'bundle'));
  assert.deepEqual([...found.keys()], [...expected.keys()]);
  for (const [name, bytes] of expected) assert.ok(bytes.equals(found.get(name)), `${name} differs`);
}

function trainHere(build, path, extra = []) {
  const { status, stdout, stderr } = train(build, path, { options, extra });
  assert.equal(status, 0, stdout + stderr);
}

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'vitrine-cli-'));
  trainHere('native', folder, ['--threads', '1']);
  expected = readFolder(join(folder, 'bundle'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

for (const threads of ['2', '3', '7']) {
  test(`training with ${threads} threads gives the weights of one thread`, (t) => {
    const path = scratch(t);
    trainHere('native', path, ['--threads', threads]);
    same(path);
  });
}

test('training as WebAssembly gives the native weights', (t) => {
  const path = scratch(t);
  trainHere('wasm', path);
  same(path);
});

test('another seed gives other weights', (t) => {
  const path = scratch(t);
  const { status } = train('native', path, { options: options.with(options.indexOf('--seed') + 1, '6') });
  assert.equal(status, 0);
  assert.ok(!expected.get('model.safetensors').equals(readFolder(join(path, 'bundle')).get('model.safetensors')));
});

/** A native run with two threads that writes a checkpoint after each step, and is killed once some of them are there. */
async function killedRun(path) {
  const run = join(path, 'run');
  mkdirSync(run);
  writeFileSync(join(path, 'train.txt'), corpus(120));
  writeFileSync(join(path, 'held-out.txt'), corpus(15, 1000));
  const files = ['--data', join(path, 'train.txt'), '--held-out', join(path, 'held-out.txt'), '--out', join(path, 'bundle')];
  const checkpoint = ['--checkpoint', run, '--checkpoint-every', '1'];
  const child = spawn(programs.native[0], ['train', ...files, ...options, '--threads', '2', ...checkpoint], { stdio: 'ignore' });
  let seen = 0;
  const watcher = watch(run, (_, name) => {
    if (name === 'checkpoint.safetensors' && ++seen > 3) child.kill('SIGKILL');
  });
  const [, signal] = await once(child, 'close');
  watcher.close();
  assert.equal(signal, 'SIGKILL', 'the run ended before it could be killed');
  const done = Number(/"steps_done\\":(\d+)/.exec(readFileSync(join(run, 'checkpoint.safetensors'), 'latin1'))[1]);
  assert.ok(done > 0 && done < steps, `killed after step ${done}`);
  return run;
}

test('a run that is killed and resumed gives the weights of one that was not, also when it is resumed as WebAssembly', async (t) => {
  const path = scratch(t);
  const run = await killedRun(path);
  const copy = scratch(t);
  cpSync(run, join(copy, 'run'), { recursive: true });
  trainHere('native', path, ['--threads', '3', '--checkpoint', run, '--resume']);
  same(path);
  trainHere('wasm', copy, ['--checkpoint', join(copy, 'run'), '--resume']);
  same(copy);
});
