// The wasm module as JavaScript meets it: types and errors cross whole, and it says what the command line says.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { after, before, test } from 'node:test';

import { modulePath, readFolder, train, vitrine } from './support/command-line.mjs';

let folder;
let files;
let module;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vitrine-module-'));
  const trained = train('native', folder);
  assert.equal(trained.status, 0, trained.stdout);
  files = readFolder(join(folder, 'bundle'));
  const { default: create } = await import(pathToFileURL(modulePath));
  module = await create();
});
after(() => rmSync(folder, { recursive: true, force: true }));

function addAll(session, changed = {}) {
  session.addFile('manifest.json', changed['manifest.json'] ?? files.get('manifest.json'));
  for (const [name, bytes] of files) if (name !== 'manifest.json') session.addFile(name, changed[name] ?? bytes);
}

function loaded(t) {
  const session = new module.Session();
  t.after(() => session.delete());
  addAll(session);
  session.load();
  return session;
}

/** Steps a row to its end: the steps and the result. */
function runRow(session, prompt, policy, options = {}) {
  const { row } = JSON.parse(session.start(prompt, JSON.stringify(policy), JSON.stringify(options)));
  const steps = [];
  do steps.push(JSON.parse(session.step([row]))[0]);
  while (steps.at(-1).finish_reason === null);
  return { steps, result: JSON.parse(session.finish(row)) };
}

/** The error that a call throws, as an Error with a code. */
function errorOf(call) {
  try {
    call();
  } catch (error) {
    assert.ok(error instanceof Error, `${error}`);
    assert.equal(typeof error.message, 'string');
    return error;
  }
  return assert.fail('expected an error, none was thrown');
}

test('a bundle loads from bytes and describes itself', (t) => {
  const session = new module.Session();
  t.after(() => session.delete());
  addAll(session);
  const description = JSON.parse(session.load());
  assert.equal(description.name, 'tiny');
  assert.equal(description.self_test.passed, true);
  assert.deepEqual(description.parts.map(({ name }) => name).sort(), ['architecture', 'generation', 'template', 'tokenizer', 'weights']);
});

test('errors are JavaScript errors with their code, and leave the session usable', (t) => {
  const session = new module.Session();
  t.after(() => session.delete());
  assert.equal(errorOf(() => session.load()).code, 'not_loaded');
  assert.equal(errorOf(() => session.encode('a')).code, 'not_loaded');
  assert.equal(errorOf(() => session.addFile('config.json', new Uint8Array(3))).code, 'bad_manifest');
  assert.equal(errorOf(() => session.addFile('manifest.json', new Uint8Array(3))).code, 'bad_json');
  const endless = errorOf(() => session.addFile('manifest.json', { length: 2 ** 40 }));
  assert.equal(endless.code, 'bad_manifest', 'a size that is wrong is refused before any byte is copied');
  assert.match(endless.message, /expected at most 1048576 bytes, found 1099511627776/);
  session.addFile('manifest.json', files.get('manifest.json'));
  assert.equal(errorOf(() => session.addFile('other.txt', { length: 2 ** 40 })).code, 'bad_manifest');
  assert.equal(errorOf(() => session.addFile('model.safetensors', { length: 2 ** 40 })).code, 'part_mismatch');
  const truncated = files.get('model.safetensors').subarray(0, 500);
  const mismatch = errorOf(() => session.addFile('model.safetensors', truncated));
  assert.equal(mismatch.code, 'part_mismatch');
  assert.match(mismatch.message, /weights \(model\.safetensors\): expected \d+ bytes, found 500/);
  assert.equal(errorOf(() => session.load()).code, 'part_mismatch');
  addAll(session);
  session.load();
  assert.match(errorOf(() => session.start('a', '{"top_p": 2}', '{}')).message, /top_p/);
  assert.equal(errorOf(() => session.start('a', '{"top_p": ', '{}')).code, 'bad_json');
  assert.equal(errorOf(() => session.start('a', '{}', '{"rows": 2}')).code, 'invalid_option');
  assert.equal(errorOf(() => session.step([77])).code, 'not_loaded');
  assert.equal(errorOf(() => session.decode(Int32Array.of(1, 9999))).code, 'invalid_token');
  assert.equal(errorOf(() => session.start('git '.repeat(400), '{}', '{}')).code, 'context_full');
  assert.ok(runRow(session, 'git', { seed: 1 }).result.ids.length > 0);
});

test('a row gives the text of the command line for the same seed, step by step', (t) => {
  const session = loaded(t);
  const expected = vitrine('native', [
    ...['generate', '--bundle', join(folder, 'bundle'), '--prompt', 'git comm', '--seed', '21', '--parity', '--json'],
  ]).json();
  const { steps, result } = runRow(session, 'git comm', { seed: 21 }, { parity: true });
  assert.deepEqual(result.ids, expected.ids);
  assert.equal(result.text, expected.text);
  assert.deepEqual(result.policy, expected.policy);
  assert.deepEqual(result.parity, expected.parity);
  assert.equal(steps.map(({ text }) => text).join(''), result.text);
  assert.deepEqual(steps.filter(({ token }) => token !== null).map(({ token }) => token), result.ids);
  for (const step of steps) {
    assert.equal(step.parity.differing_bits, 0);
    assert.ok(step.full.multiply_adds >= step.cached.multiply_adds);
    assert.ok(step.cached.ms >= 0);
  }
});

test('a cancelled row ends as aborted, keeps its tokens, and the next one is right', (t) => {
  const session = loaded(t);
  const { result: whole } = runRow(session, 'npm run', { seed: 4 });
  const { row } = JSON.parse(session.start('npm run', '{"seed": 4}', '{}'));
  session.step([row]);
  session.step([row]);
  session.cancel(row);
  const cut = JSON.parse(session.finish(row));
  assert.equal(cut.finish_reason, 'aborted');
  assert.deepEqual(cut.ids, whole.ids.slice(0, 2));
  assert.equal(errorOf(() => session.finish(row)).code, 'not_loaded');
  const { result } = runRow(session, 'npm run', { seed: 4 }, { parity: true });
  assert.deepEqual(result.ids, whole.ids);
  assert.ok(result.reused_positions > 0);
  assert.equal(result.parity.differing_bits, 0);
});

test('a seed that is not given differs from row to row and is reported', (t) => {
  const session = loaded(t);
  const [a, b] = [runRow(session, 'git', {}).result, runRow(session, 'git', {}).result];
  assert.notEqual(a.policy.seed, b.policy.seed);
  assert.deepEqual(runRow(session, 'git', { seed: a.policy.seed }).result.ids, a.ids);
});

test('a distribution comes with a step that asks for it', (t) => {
  const session = loaded(t);
  const { steps } = runRow(session, 'git', { seed: 2, top_k: 6, max_new_tokens: 2 }, { trace: 10 });
  const { stages, tokens, chosen_rank: rank } = steps[0].distribution;
  assert.deepEqual(stages.map(({ name }) => name), ['model', 'penalties', 'temperature', 'top_k', 'top_p', 'min_p']);
  assert.equal(stages[3].kept, 6);
  assert.equal(tokens.length, 10);
  assert.equal(tokens[rank].token, steps[0].token);
  assert.ok(Math.abs(tokens.reduce((sum, token) => sum + token.probabilities[3], 0) - 1) < 1e-6);
});

test('a count that is none is refused as it was given', (t) => {
  const session = loaded(t);
  const { row } = JSON.parse(session.start('git', '{}', '{}'));
  for (const [count, found] of [[-3, '-3'], [1.5, '1.5'], [NaN, 'NaN'], [2 ** 40, '1099511627776']]) {
    for (const call of [() => session.rewind(row, count), () => session.inspect(row, count), () => session.growth([count])]) {
      const { code, message } = errorOf(call);
      assert.equal(code, 'invalid_option');
      assert.match(message, new RegExp(`: expected a whole number from 0, found ${found}$`));
    }
  }
});

test('typing rewinds the completion to the common prefix', (t) => {
  const session = loaded(t);
  session.complete('git commit -m a', '{}');
  const typed = JSON.parse(session.complete('git commit -m ab', '{}'));
  assert.equal(typed.reused_positions, typed.prompt_tokens - 1);
  assert.equal(typed.policy.mode, 'greedy');
  const fresh = loaded(t);
  assert.equal(JSON.parse(fresh.complete('git commit -m ab', '{}')).text, typed.text);
});

test('text of any kind goes in and out whole', (t) => {
  const session = loaded(t);
  for (const text of ['', 'ab\0cd', 'na\u00efve \u{1F602} \u{1F469}\u200D\u{1F467}', '<|endoftext|>', '\r\n\t ', '\uFEFFx']) {
    const ids = session.encode(text);
    assert.ok(ids instanceof Int32Array);
    assert.equal(session.decode(ids), text);
  }
  // Half a surrogate pair is no text: it becomes U+FFFD, as everywhere on the web.
  assert.equal(session.decode(session.encode('a\ud83d')), 'a\uFFFD');
  const { result } = runRow(session, 'a\ud83d', { seed: 1 });
  assert.ok(result.text.isWellFormed?.() ?? true);
});

test('parity can be checked through the module', (t) => {
  const session = loaded(t);
  const report = JSON.parse(session.checkParity('git', '{"tokens": 30}'));
  const expected = vitrine('wasm', ['parity', '--bundle', join(folder, 'bundle'), '--prompt', 'git', '--tokens', '30', '--json']).json();
  assert.deepEqual(report, expected);
});

test('two sessions live side by side, and memory that grows disturbs neither', (t) => {
  const [a, b] = [loaded(t), loaded(t)];
  const first = runRow(a, 'git', { seed: 9 }).result.ids;
  const { row } = JSON.parse(b.start('git', '{"seed": 9}', '{"parity": true}'));
  b.step([row]);
  const more = [];
  for (let i = 0; i < 10; ++i) more.push(loaded(t));
  while (JSON.parse(b.step([row]))[0].finish_reason === null);
  const result = JSON.parse(b.finish(row));
  assert.deepEqual(result.ids, first);
  assert.equal(result.parity.differing_bits, 0);
  assert.ok(JSON.parse(b.describeCache()).allocated > 0);
});

test('a training that begins has no files, whatever one before it has made', (t) => {
  const session = loaded(t);
  const request = JSON.stringify({ text: 'git status\n'.repeat(30), steps: 1, d_model: 8, n_layers: 1 });
  session.beginTraining(request);
  while (JSON.parse(session.trainStep()).stage !== 'bundle');
  session.endTraining();
  assert.ok(session.trainedFile('model.safetensors').length > 0);
  session.beginTraining(request);
  assert.equal(errorOf(() => session.trainedFile('model.safetensors')).code, 'not_loaded');
});
