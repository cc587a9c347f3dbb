// Rows that are rewound, saved, restored and looked into, and the lessons, through the real module and the page's client.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { before, test } from 'node:test';
import type { MainModule } from 'vitrine-module';

import type { EngineError } from '../../web/src/engine/errors';
import type { Description, RunStep } from '../../web/src/engine/protocol';
import { servesFiles, urls, wire, type Wired } from './support/wired-model';

const bundle = 'web/models/shell';
let wired: Wired;
let description: Description;

before(async () => {
  const moduleFile = path.resolve('build/wasm-release/vitrine-module.mjs');
  const { default: create } = (await import(pathToFileURL(moduleFile).href)) as { default: () => Promise<MainModule> };
  const module = await create();
  const { parts } = JSON.parse(readFileSync(`${bundle}/manifest.json`, 'utf8')) as { parts: Array<{ file: string }> };
  const names = ['manifest.json', ...parts.map(({ file }) => file)];
  const files = new Map(names.map((name) => [name, new Uint8Array(readFileSync(`${bundle}/${name}`))]));
  wired = wire({ fetch: servesFiles(files), createSession: async () => new module.Session() });
  description = await wired.model.load(urls);
});

const policy = { mode: 'sample', seed: 5, max_new_tokens: 8, stop_tokens: [] };

async function toItsEnd(row: number): Promise<RunStep[]> {
  const steps: RunStep[] = [];
  while (steps.at(-1)?.finish_reason == null) steps.push(...(await wired.model.step([row])));
  return steps;
}

test('a row that is taken back draws the same tokens again, with the same coins', async () => {
  const { model } = wired;
  const { row } = await model.start('git commit', policy, { parity: true });
  const first = await toItsEnd(row);
  const so_far = await model.rewind(row, 5);
  assert.deepEqual([so_far.ids.length, so_far.finish_reason], [3, null]);
  const again = await toItsEnd(row);
  assert.deepEqual(again.map(({ token, coin }) => [token, coin]), first.slice(3).map(({ token, coin }) => [token, coin]));
  const result = await model.finish(row);
  assert.equal(result.parity.tokens, 13);
  assert.equal(result.parity.differing_bits, 0);
  await assert.rejects(model.rewind(row, 1), { code: 'not_loaded' });
  const other = await model.start('git', policy);
  for (const tokens of [1, -1, 0.5]) await assert.rejects(model.rewind(other.row, tokens), { code: 'invalid_option', message: /rewind/ });
  await model.finish(other.row);
});

test('a saved row goes on with the same bits, and a damaged file is refused', async () => {
  const { model } = wired;
  const { row } = await model.start('docker run', policy, { parity: true });
  for (let i = 0; i < 3; ++i) await model.step([row]);
  const file = await model.save(row);
  const expected = (await toItsEnd(row)).map(({ token }) => token);
  const restored = await model.restore(file);
  assert.equal(restored.so_far.ids.length, 3);
  assert.deepEqual((await toItsEnd(restored.row)).map(({ token }) => token), expected);
  assert.equal((await model.finish(restored.row)).parity.differing_bits, 0);
  await assert.rejects(model.save(row), { code: 'invalid_option' });
  const damaged = file.slice();
  damaged[file.length >> 1] = (damaged[file.length >> 1] as number) ^ 1;
  await assert.rejects(model.restore(damaged), { code: 'bad_session' });
  await model.finish(row);
});

test('what happened inside at a position: weights that sum to 1, and the lens of the last layer draws the token', async () => {
  const { model } = wired;
  const { row, tokens } = await model.start('git commit', { mode: 'greedy', max_new_tokens: 8 });
  const [step] = (await model.step([row])) as [RunStep];
  const inside = await model.inspect(row, tokens.length - 1);
  assert.deepEqual(inside.tokens, tokens);
  const { architecture } = description;
  assert.equal(inside.layers.length, architecture['n_layers']);
  for (const { attention, lens } of inside.layers) {
    assert.equal(attention.length, architecture['n_heads']);
    for (const weights of attention) {
      assert.equal(weights.length, tokens.length);
      const sum = weights.reduce((a, b) => a + b, 0);
      assert.ok(Math.abs(sum - 1) <= (weights.length + 2) * 2 ** -24, `${sum}`);
    }
    assert.equal(lens.length, 5);
  }
  assert.equal(inside.layers.at(-1)?.lens[0]?.id, step.token);
  assert.equal(inside.rope.pairs.length, (architecture['head_dim'] as number) / 2);
});

test("a row's cache is told by layer, head and position", async () => {
  const { model } = wired;
  const { row, tokens } = await model.start('git commit', policy);
  await model.step([row]);
  const map = await model.cacheMap(row);
  assert.equal(map.positions, tokens.length);
  assert.deepEqual([...new Set(map.key_norms.flatMap((heads) => heads.map((norms) => norms.length)))], [tokens.length]);
  assert.ok(map.key_norms.flat(2).every((norm) => norm > 0));
  await assert.rejects(model.inspect(row, tokens.length + 1), { code: 'invalid_option', message: /position/ });
  await model.finish(row);
});

test('lessons need no bundle, and say what is wrong with their input', async () => {
  const { model } = wired;
  const { weights } = await model.lesson('attention_temperature', { scores: [1.2, 0.3, -0.4, 1.8], temperature: 1 });
  assert.deepEqual(weights.map((weight) => weight.toFixed(4)), ['0.2915', '0.1185', '0.0589', '0.5311']);
  const hand = await model.lesson('attention_by_hand', { q: [[1, 0]], k: [[1, 0], [0, 1]], v: [[1, 2], [3, 4]], causal: true });
  assert.deepEqual(hand.shapes.scores, [1, 2]);
  assert.ok(hand.max_difference <= hand.tolerance);
  const rope = await model.lesson('rope', { query: [1, 0], key: [1, 0], query_position: 5, key_position: 3, theta: 10000 });
  assert.ok(Math.abs(rope.product - Math.cos(2)) < 1e-6);
  const wrong = model.lesson('attention_by_hand', { q: [[1, 0]], k: [[1]], v: [[1]], causal: true });
  const refused = (error: EngineError): boolean =>
    error.code === 'invalid_option' && /k: expected rows x columns 1 x 2, found 1 x 1/.test(error.message);
  await assert.rejects(wrong, refused);
  await assert.rejects(model.lesson('rope', { query: [NaN], key: [1], query_position: 0, key_position: 0, theta: 1 }), { code: 'invalid_option' });
});
