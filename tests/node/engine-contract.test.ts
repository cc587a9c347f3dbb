// The wasm module as the page's engine needs it: the real one, with the shell bundle, behind the same host and client.
// A field that the page reads and the engine does not send is found here.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { before, test } from 'node:test';
import type { MainModule } from 'vitrine-module';

import type { EffectivePolicy, PolicyOptions, RunStep } from '../../web/src/engine/protocol';
import type { EngineSession } from '../../web/src/engine/session';
import { tokenSteps, totals, withStep, beginRun } from '../../web/src/runs/run';
import { servesFiles, urls, wire, type Wired } from './support/wired-model';

const bundle = 'web/models/shell';
const moduleFile = path.resolve('build/wasm-release/vitrine-module.mjs');

let wired: Wired;
let createSession: () => Promise<EngineSession>;

function filesOfBundle(): Map<string, Uint8Array> {
  const read = (file: string): Uint8Array => new Uint8Array(readFileSync(`${bundle}/${file}`));
  const manifest = JSON.parse(readFileSync(`${bundle}/manifest.json`, 'utf8')) as { parts: Array<{ file: string }> };
  return new Map(['manifest.json', ...manifest.parts.map(({ file }) => file)].map((file) => [file, read(file)]));
}

before(async () => {
  assert.ok(existsSync(moduleFile), 'the wasm module is built');
  const { default: create } = (await import(pathToFileURL(moduleFile).href)) as { default: () => Promise<MainModule> };
  const module = await create();
  // The assignment is the point: the generated declarations satisfy the page's own.
  createSession = async () => new module.Session();
  wired = wire({ fetch: servesFiles(filesOfBundle()), createSession });
  await wired.model.load(urls);
});

/** Every path of a sample has the sample's type in the value. */
function hasFields(value: object, sample: object, where: string): void {
  for (const [key, wanted] of Object.entries(sample)) {
    const found = (value as Record<string, unknown>)[key];
    assert.equal(typeof found, typeof wanted, `${where}.${key}`);
    if (typeof wanted === 'object') hasFields(found as object, wanted as object, `${where}.${key}`);
  }
}

const lane = { positions: 0, multiply_adds: 0, bytes_read: 0, ms: 0 };
const parity = { tokens: 0, identical_tokens: 0, logits_compared: 0, differing_bits: 0 };
const cache = { formula: 0, used: 0, allocated: 0 };

/** The bundle with further parts of one byte each, of these names. */
function filesWith(names: readonly string[]): Map<string, Uint8Array> {
  const files = filesOfBundle();
  const bytes = Uint8Array.of(65);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const manifest = JSON.parse(new TextDecoder().decode(files.get('manifest.json'))) as { parts: object[] };
  manifest.parts.push(...names.map((file, i) => ({ name: `part_${i}`, file, bytes: 1, sha256 })));
  return new Map([...files, ...names.map((file) => [file, bytes] as const), ['manifest.json', new TextEncoder().encode(JSON.stringify(manifest))]]);
}

test('what is asked for before the engine has judged a manifest is what it then takes: plain names, 64 parts', async () => {
  const loading = (names: readonly string[]) => wire({ fetch: servesFiles(filesWith(names)), createSession }).model.load(urls);
  const own = filesOfBundle().size - 1;
  const most = ['-A.z_9-.txt', '_', ...Array.from({ length: 62 - own }, (_, i) => `${i}.txt`)];
  assert.equal((await loading(most)).parts.length, 64);
  for (const names of [[...most, 'one-more'], ['.hidden'], ['a/b'], ['../a'], ['a?b'], [''], ['manifest.json']]) {
    await assert.rejects(loading(names), { code: 'bad_manifest' });
  }
});

test('a description has what the page shows', async () => {
  const description = await wire({ fetch: servesFiles(filesOfBundle()), createSession }).model.load(urls);
  hasFields(
    description,
    {
      name: '',
      model_version: '',
      bytes: 0,
      parts: [{ name: '', file: '', bytes: 0, sha256: '' }],
      architecture: { n_layers: 0, n_kv_heads: 0, head_dim: 0 },
      parameters: 0,
      self_test: { tokens: 0, logits_sha256: '', passed: true },
      memory: { weights: 0, workspace: 0 },
      corpus: {},
      training: {},
      held_out: {},
    },
    'description',
  );
});

test("steps and results have what the page shows, and its sums are the engine's", async () => {
  const steps: RunStep[] = [];
  const policy = { mode: 'sample', seed: 3, max_new_tokens: 12 };
  const result = await wired.model.generate('git', { policy, parity: true, onStep: (step) => steps.push(step) });
  for (const step of steps) {
    hasFields(
      step,
      { row: 0, phase: '', past: 0, text: '', piece: '', probability: 0, coin: 0, positions: 0, cached: lane, parity, cache },
      'step',
    );
  }
  hasFields(
    result,
    {
      text: '',
      ids: [],
      policy: { seed: 0 },
      prompt_tokens: 0,
      reused_positions: 0,
      prefill: lane,
      decode: lane,
      parity,
      cache,
    },
    'result',
  );
  const run = steps.reduce(withStep, beginRun('generation', 'git'));
  const sums = totals(run);
  assert.deepEqual(sums.parity, result.parity);
  assert.equal(sums.prefill.multiply_adds, result.prefill.multiply_adds);
  assert.equal(sums.decode.multiply_adds, result.decode.multiply_adds);
  assert.equal(sums.full?.multiply_adds, result.full.multiply_adds);
  assert.equal(tokenSteps(run).length, result.ids.length);
  assert.equal(result.parity.tokens, result.ids.length);
  assert.equal(result.parity.differing_bits, 0);
});

/** Every option, with a value that is not neutral; the engine must echo each of them, and no other. */
const everyOption: EffectivePolicy = {
  version: 1,
  mode: 'sample',
  logit_bias: { '3': -1.5 },
  repetition_penalty: 1.1,
  presence_penalty: 0.5,
  frequency_penalty: -0.25,
  penalty_window: 16,
  penalty_prompt: true,
  temperature: 0.75,
  top_k: 40,
  top_p: 0.875,
  min_p: 0.0625,
  seed: 11,
  max_new_tokens: 6,
  min_new_tokens: 2,
  stop_tokens: [0],
  stop: ['\n'],
  context_overflow: 'stop',
};

test('every option of the types arrives in the engine and comes back, and it knows no other', async () => {
  const { policy, ids } = await wired.model.generate('git', { policy: everyOption });
  assert.deepEqual(policy, everyOption);
  const again = await wired.model.generate('git', { policy });
  assert.deepEqual(again.ids, ids);
  const { temperature, top_k, top_p, min_p, ...greedy } = everyOption;
  const result = await wired.model.generate('git', { policy: { ...greedy, mode: 'greedy' } });
  assert.deepEqual(result.policy, { ...greedy, mode: 'greedy' });
  const options = { ...everyOption, temprature: 1 } as PolicyOptions;
  await assert.rejects(wired.model.generate('git', { policy: options }), { code: 'invalid_option', message: /"temprature"/ });
});

test('a generation that is aborted at any step, from the callback of that step, gives its bits again afterwards', async () => {
  // Two chunks of the prefill and a part.
  const prompt = `docker run ${'q7 '.repeat(55)}image`;
  const policy = { mode: 'sample', seed: 5, max_new_tokens: 10, stop_tokens: [] };
  const fresh = wire({ fetch: servesFiles(filesOfBundle()), createSession });
  await fresh.model.load(urls);
  const steps: RunStep[] = [];
  const expected = await fresh.model.generate(prompt, { policy, parity: true, onStep: (step) => steps.push(step) });
  assert.ok(steps.filter(({ token }) => token === null).length >= 2, 'the prompt takes three steps');
  for (const at of [0, 1, 2, 3, 6]) {
    const stopper = new AbortController();
    if (at === 0) stopper.abort();
    let seen = 0;
    const cut = await wired.model.generate(prompt, {
      policy,
      signal: stopper.signal,
      onStep: () => {
        seen += 1;
        if (seen === at) stopper.abort();
      },
    });
    assert.equal(cut.finish_reason, 'aborted', `at ${at}`);
    assert.deepEqual(cut.ids, expected.ids.slice(0, cut.ids.length), `at ${at}`);
    const probabilities: number[] = [];
    const again = await wired.model.generate(prompt, { policy, parity: true, onStep: (step) => probabilities.push(step.probability) });
    assert.deepEqual(again.ids, expected.ids, `at ${at}`);
    assert.equal(again.parity.identical_tokens, expected.ids.length);
    assert.equal(again.parity.differing_bits, 0);
    const ofTokens = steps.filter(({ token }) => token !== null).map(({ probability }) => probability);
    assert.deepEqual(probabilities.slice(-ofTokens.length), ofTokens, `at ${at}`);
  }
});

test('the proof of a completion has the tokens of the completion', async () => {
  for (const text of ['git comm', 'docker run --', 'tar -', 'npm install --', 'kubectl get ', 'x']) {
    const completion = await wired.model.complete(text);
    const proof = await wired.model.generate(text, { policy: completion.policy, parity: true, heal: true });
    assert.deepEqual(proof.ids, completion.ids, text);
    assert.equal(proof.text, completion.text, text);
    assert.equal(proof.parity.tokens, completion.ids.length, text);
    assert.equal(proof.parity.differing_bits, 0, text);
  }
});

test('an error of the engine names the option that the page marks', async () => {
  const wrong = { temperature: -1, top_k: 'many', top_p: 1.5, min_p: 2, seed: -1, max_new_tokens: 0 };
  const { fieldOf } = await import('../../web/src/state/policy-fields');
  for (const [name, value] of Object.entries(wrong)) {
    const failing = wired.model.generate('git', { policy: { mode: 'sample', [name]: value } });
    const error = await failing.then(
      () => assert.fail(`${name} was accepted`),
      (thrown: { code: string; message: string }) => thrown,
    );
    assert.equal(error.code, 'invalid_option', name);
    assert.equal(fieldOf(error.message), name, error.message);
  }
});

test('rows of the page step together; one with a fault differs from the healthy prefix, and the next one does not', async () => {
  const { model } = wired;
  const policy = { mode: 'sample', seed: 5, max_new_tokens: 6, stop_tokens: [] };
  const one = await model.start('git commit', policy, { parity: true, trace: 5 });
  const two = await model.start('docker run', policy, { parity: true, stream: 1 });
  assert.deepEqual(one.policy.seed, 5);
  assert.equal(one.tokens.slice(1).map(({ piece }) => piece).join(''), 'git commit');
  const steps: RunStep[] = [];
  for (let i = 0; i < 6; ++i) steps.push(...(await model.step([one.row, two.row])));
  assert.equal(steps.length, 12);
  assert.deepEqual(steps.slice(0, 2).map(({ row }) => row), [one.row, two.row]);
  assert.equal(steps[0]?.distribution?.stages.length, 6);
  const result = await model.finish(one.row);
  assert.equal(result.finish_reason, 'length');
  assert.equal(result.parity.differing_bits, 0);
  assert.deepEqual(await model.step([two.row]), []);
  await model.finish(two.row);
  const alone = await model.generate('git commit', { policy });
  assert.deepEqual(result.ids, alone.ids);

  const broken = await model.start('git commit', policy, { parity: true, fault: 'position_off_by_one' });
  const wrong: RunStep[] = [];
  while (wrong.at(-1)?.finish_reason == null) wrong.push(...(await model.step([broken.row])));
  assert.ok((await model.finish(broken.row)).parity.differing_bits > 0);
  const healthy = await model.generate('git commit', { policy, parity: true });
  assert.deepEqual([healthy.ids, healthy.parity.differing_bits], [alone.ids, 0]);
  await assert.rejects(model.start('git', {}, { fault: 'gremlins' }), { code: 'invalid_option', message: /gremlins/ });
});

test('faults, detectors, parity and growth are as the engine has them', async () => {
  const { model } = wired;
  const { faults, detectors } = await model.faults();
  hasFields(faults[0] as object, { name: '', owner: '', meaning: '' }, 'faults[0]');
  assert.equal(faults.length, 13);
  assert.ok(detectors.some(({ name }) => name === 'parity'));
  const { seen } = await model.detect('rope_twice');
  hasFields(seen[0] as object, { detector: '', where: '', expected: '', found: '' }, 'seen[0]');
  assert.deepEqual((await model.detect('none')).seen, []);
  const report = await model.parity('git', 40, 1);
  assert.equal(report.differing_bits, 0);
  hasFields(report, { tokens: 0, cache_dtype: '', logits_compared: 0, schedules: [{ name: '', logits_compared: 0 }] }, 'report');
  const [short, long] = await model.growth([16, 128]);
  assert.ok(short && long);
  assert.equal(long.cache_bytes, 8 * short.cache_bytes);
  assert.ok(long.full.multiply_adds > 7 * short.full.multiply_adds && long.cached.multiply_adds < 2 * short.cached.multiply_adds);
  for (const positions of [0, -1, 1.5, 1e12]) {
    await assert.rejects(model.growth([positions]), { code: 'invalid_option', message: /positions/ });
  }
});
