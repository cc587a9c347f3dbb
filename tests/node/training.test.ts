// Training in the page, through the real module: it learns more than counting does within a minute, its bundle is one
// like any other, and what it learns is bit for bit what the command line learns from the same text.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { after, before, test } from 'node:test';

import type { EngineSession } from '../../web/src/engine/session';
import { refusedLength } from '../../web/src/state/training-text';
import type { TrainingProgress, TrainingRequest, TrainingResult } from '../../web/src/engine/training-types';
import { corpus, modulePath, vitrine } from './support/command-line.mjs';
import { urls, wire, type Wired } from './support/wired-model';

let folder: string;
let wired: Wired;

before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'vitrine-training-'));
  const { default: create } = (await import(pathToFileURL(modulePath).href)) as {
    default: () => Promise<{ Session: new () => EngineSession }>;
  };
  wired = wire({ createSession: async () => new (await create()).Session() });
  await wired.model.prepare(urls.moduleUrl);
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** Trains, and gives what was told on the way too. */
async function train(request: TrainingRequest): Promise<{ result: TrainingResult; told: TrainingProgress[] }> {
  const told: TrainingProgress[] = [];
  const result = await wired.model.train(request, { onProgress: (progress) => told.push(progress) });
  return { result, told };
}

function writeBundle(name: string, result: TrainingResult): string {
  const bundle = path.join(folder, name);
  mkdirSync(bundle);
  for (const { name: file, bytes } of result.files) writeFileSync(path.join(bundle, file), bytes);
  return bundle;
}

const sha256 = (result: TrainingResult, file: string): string =>
  createHash('sha256').update(result.files.find(({ name }) => name === file)?.bytes as Uint8Array).digest('hex');

const text = corpus(100);
const small: TrainingRequest = { text, d_model: 16, n_layers: 1, n_heads: 2, n_kv_heads: 1, d_ff: 24, max_seq_len: 48, steps: 12, seed: 5 };

test('a few kilobytes are learned with the defaults, better than counting, and the engine has the model', async () => {
  const { result, told } = await train({ text });
  assert.deepEqual([...new Set(told.map(({ stage }) => stage))], ['tokenizer', 'baseline', 'training', 'bundle']);
  const last = told.at(-1) as TrainingProgress;
  assert.equal(last.step, last.steps);
  assert.ok(result.baseline_loss !== null && result.held_out_loss !== null);
  assert.ok(result.held_out_loss < result.baseline_loss, `held out ${result.held_out_loss}, counting ${result.baseline_loss}`);
  assert.equal(result.description.parameters, last.parameters);
  const run = await wired.model.generate('git ', { parity: true, policy: { mode: 'greedy', max_new_tokens: 20 } });
  assert.ok(run.ids.length > 3);
  assert.equal(run.parity.identical_tokens, run.ids.length);
  console.log(`training.test: ${last.steps} steps in ${Math.round(last.ms)} ms, held out ${result.held_out_loss}, counting ${result.baseline_loss}`);
});

test('its files are a bundle that the command line inspects and generates from, with the same tokens', async () => {
  const { result } = await train(small);
  const bundle = writeBundle('bundle', result);
  for (const build of ['native', 'wasm']) {
    const inspected = vitrine(build, ['inspect', '--bundle', bundle, '--json']);
    assert.equal(inspected.status, 0, inspected.stdout);
    const options = ['--bundle', bundle, '--prompt', 'git', '--seed', '3', '--parity', '--json'];
    const generated = vitrine(build, ['generate', ...options]).json() as { ids: number[]; parity: { differing_bits: number } };
    assert.deepEqual(generated.ids, (await wired.model.generate('git', { policy: { seed: 3 } })).ids);
    assert.equal(generated.parity.differing_bits, 0);
  }
});

test('the command line learns the same bits from the same text, natively and as WebAssembly', async () => {
  const { result } = await train({ ...small, vocab_size: 300, learning_rate: 0.003 });
  const lines = text.split(/(?<=\n)/);
  const isHeldOut = (_: string, i: number): boolean => i % 10 === 9;
  const files = { data: lines.filter((line, i) => !isHeldOut(line, i)), 'held-out': lines.filter(isHeldOut) };
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(folder, name), content.join(''));
  for (const build of ['native', 'wasm']) {
    const bundle = path.join(folder, `by-${build}`);
    const trained = vitrine(build, [
      ...['train', '--data', path.join(folder, 'data'), '--held-out', path.join(folder, 'held-out'), '--out', bundle],
      ...['--vocab-size', '300', '--d-model', '16', '--layers', '1', '--heads', '2', '--kv-heads', '1', '--d-ff', '24'],
      ...['--context', '48', '--steps', '12', '--batch-rows', '256', '--lr', '0.003', '--min-lr', '0.00015', '--warmup', '1'],
      ...['--seed', '5', '--name', 'yours', '--json'],
    ]);
    assert.equal(trained.status, 0, trained.stdout);
    const { parts, held_out } = vitrine(build, ['inspect', '--bundle', bundle, '--json']).json() as {
      parts: Array<{ file: string; sha256: string }>;
      held_out: { loss_nats: number };
    };
    for (const part of parts) assert.equal(part.sha256, sha256(result, part.file), `${build}: ${part.file}`);
    assert.equal(held_out.loss_nats, result.held_out_loss);
  }
});

test('one batch is learned by heart, and a stop keeps what was learned', async () => {
  const { result } = await train({ text, overfit: true });
  assert.ok(result.loss < 0.01, `loss ${result.loss}`);
  const stopper = new AbortController();
  const stopped = await wired.model.train(small, {
    signal: stopper.signal,
    onProgress: ({ step }) => step === 3 && stopper.abort(),
  });
  assert.ok(stopped.steps >= 3 && stopped.steps < 12, `${stopped.steps} steps`);
  assert.equal((await wired.model.parity('git', 20, 1)).differing_bits, 0);
});

test('the page refuses a text at the length from which on the engine does', async () => {
  const refused = await wired.model.train({ text: 'a\n'.repeat(1 << 20) }).then(
    () => assert.fail('the engine trains on two megabytes'),
    ({ message }: Error) => message,
  );
  const most = Number(/^train: text: expected at most (\d+) bytes, found 2097152$/.exec(refused)?.[1]);
  assert.equal(refusedLength(most), null);
  assert.equal(refusedLength(most + 1)?.message, `train: text: expected at most ${most} bytes, found at least ${most + 1}`);
});

test('lessons and training need the module and no bundle, and say so when neither is there', async () => {
  const { model } = wire();
  const needsModule = { code: 'not_loaded', message: 'engine: expected "prepare" or "load" before, found neither' };
  await assert.rejects(model.train(small), needsModule);
  await assert.rejects(model.lesson('rope', { query: [1, 2], key: [1, 2], query_position: 1, key_position: 0, theta: 100 }), needsModule);
  await assert.rejects(model.tokenize('x'), { code: 'not_loaded', message: /expected a loaded bundle/ });
});

test('texts and options that cannot be learned from are refused, and the model that was there stays', async () => {
  const before = await wired.model.generate('git', { policy: { seed: 1 } });
  const refuse = (request: object, code: string, message: RegExp): Promise<void> =>
    assert.rejects(wired.model.train(request as TrainingRequest), { code, message });
  await refuse({ text: '' }, 'bad_data', /text/);
  await refuse({}, 'invalid_option', /text/);
  await refuse({ text: 'ls\n', d_model: 1e9 }, 'invalid_option', /d_model/);
  await refuse({ text: 'ls\n', steps: 0 }, 'invalid_option', /steps/);
  await refuse({ text: 'ls\n', n_heads: 7 }, 'invalid_option', /heads/);
  await refuse({ text: 'ls\n', speed: 3 }, 'invalid_option', /speed/);
  assert.deepEqual((await wired.model.generate('git', { policy: { seed: 1 } })).ids, before.ids);
  for (const tiny of ['a', 'ls\npwd\n']) assert.equal((await train({ ...small, text: tiny, steps: 2 })).result.steps, 2);
});
