// Policies across builds: what the native command line echoes gives the same tokens as WebAssembly in Node, command line
// and module, and the tokens are those that were recorded. And options as JavaScript may hold them.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { after, before, test } from 'node:test';

import { modulePath, readFolder, scratch, train, vitrine } from './support/command-line.mjs';

let folder;
let bundle;
let session;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vitrine-policy-'));
  const trained = train('native', folder);
  assert.equal(trained.status, 0, trained.stdout);
  bundle = join(folder, 'bundle');
  const { default: create } = await import(pathToFileURL(modulePath));
  const module = await create();
  session = new module.Session();
  const files = readFolder(bundle);
  session.addFile('manifest.json', files.get('manifest.json'));
  for (const [name, bytes] of files) if (name !== 'manifest.json') session.addFile(name, bytes);
  session.load();
});
after(() => {
  session?.delete();
  rmSync(folder, { recursive: true, force: true });
});

/** One of every kind. Token 199 is the newline that ends a document of this bundle. */
const policies = [
  { seed: 1 },
  { seed: 2 ** 53 - 1, temperature: 1.7, max_new_tokens: 40 },
  { mode: 'greedy', max_new_tokens: 30 },
  { mode: 'greedy', max_new_tokens: 30, repetition_penalty: 1.3, penalty_prompt: true },
  { seed: 3, temperature: 0.5, top_k: 40, top_p: 0.9, min_p: 0.02 },
  { seed: 4, presence_penalty: 0.8, frequency_penalty: 0.4, penalty_window: 8 },
  { seed: 5, logit_bias: { 0: -100, 65: 3.25 } },
  { seed: 6, min_new_tokens: 12, max_new_tokens: 20, stop_tokens: [0, 199], logit_bias: { 199: 8 } },
  { seed: 7, stop: ['it', ' -', '\n'], stop_tokens: [], max_new_tokens: 60 },
];
const prompts = ['git commit', '', 'docker run --', '\u8d4b \u{1F602}'];

const sha256 = (text) => createHash('sha256').update(text).digest('hex');

/** A run through the module. */
function runModule(prompt, policy) {
  const { row } = JSON.parse(session.start(prompt, JSON.stringify(policy), '{}'));
  while (JSON.parse(session.step([row]))[0].finish_reason === null);
  return JSON.parse(session.finish(row));
}

const same = ({ ids, text, finish_reason: reason, policy }) => ({ ids, text, reason, policy });

test('a run replayed from its echoed policy gives the same tokens in every build, and those that were recorded', (t) => {
  const file = join(scratch(t), 'policy.json');
  const record = [];
  for (const policy of policies) {
    for (const prompt of prompts) {
      const run = (build, options) => {
        writeFileSync(file, JSON.stringify(options));
        const { status, stdout, json } = vitrine(build, ['generate', '--bundle', bundle, '--prompt', prompt, '--policy', file, '--json']);
        assert.equal(status, 0, stdout);
        return same(json());
      };
      const first = run('native', { ...policy, seed: policy.seed ?? 0 });
      assert.deepEqual(run('native', first.policy), first);
      assert.deepEqual(run('wasm', first.policy), first);
      assert.deepEqual(same(runModule(prompt, first.policy)), first);
      record.push(first.ids.join(' '));
    }
  }
  // The bundle is trained here, so this holds training to its bits as well. Another hash is another meaning of a policy,
  // of training or of the model: see docs/policy.md on the version.
  assert.equal(sha256(record.join('\n')), 'd0c43fb2cbc6b8ac38b4564667b445c378bde9449a3dea49080a85334abf9af3');
});

test('a policy that no seed is given to gets one that differs, is told, and gives the run again in the other build', () => {
  const args = ['generate', '--bundle', bundle, '--prompt', 'npm', '--max-new-tokens', '20', '--json'];
  const [a, b] = ['native', 'wasm'].map((build) => vitrine(build, args).json());
  assert.notEqual(a.policy.seed, b.policy.seed);
  assert.deepEqual(same(vitrine('wasm', [...args, '--seed', `${a.policy.seed}`]).json()), same(a));
  assert.deepEqual(same(vitrine('native', [...args, '--seed', `${b.policy.seed}`]).json()), same(b));
  const [c, d] = [session.complete('npm', '{"mode":"sample"}'), session.complete('npm', '{"mode":"sample"}')].map(JSON.parse);
  assert.notEqual(c.policy.seed, d.policy.seed);
  assert.deepEqual(JSON.parse(session.complete('npm', JSON.stringify(d.policy))).ids, d.ids);
});

/** The error that starting a row with these options throws. */
function refusal(policy, options = {}) {
  try {
    session.cancel(JSON.parse(session.start('git', JSON.stringify(policy), JSON.stringify(options))).row);
  } catch (error) {
    return error;
  }
  return assert.fail(`${JSON.stringify(policy)} ${JSON.stringify(options)} was accepted`);
}

test('no integer option takes a number that is negative, too large or none, nor a text', () => {
  const wrong = [-1, -(2 ** 31), 2 ** 31, 2 ** 53, 2 ** 64, 1e21, 0.5, NaN, Infinity, -Infinity, '1', true, null, [1]];
  const fine = (name, value) => (name === 'seed' || name === 'stream') && value === 2 ** 31;
  for (const value of wrong) {
    for (const name of ['version', 'top_k', 'penalty_window', 'seed', 'max_new_tokens', 'min_new_tokens']) {
      if (fine(name, value)) continue;
      const error = refusal({ presence_penalty: 1, [name]: value });
      assert.equal(error.code, 'invalid_option', `${name} ${value}`);
      assert.match(error.message, new RegExp(`policy: ${name}: expected`), `${name} ${value}`);
    }
    assert.match(refusal({ stop_tokens: [value] }).message, /stop_tokens/);
    if (typeof value === 'number') assert.match(refusal({ logit_bias: { [value]: 1 } }).message, /logit_bias/);
    for (const name of ['trace', 'stream']) {
      if (!fine(name, value)) assert.match(refusal({}, { [name]: value }).message, new RegExp(`${name}: expected`), `${name} ${value}`);
    }
  }
});

test('no number option takes what is not a number within its range', () => {
  const names = ['temperature', 'top_p', 'min_p', 'repetition_penalty', 'presence_penalty', 'frequency_penalty'];
  for (const name of names) {
    for (const value of [NaN, Infinity, -Infinity, '1', '0', true, null, 1e300, -1e300, [0.5]]) {
      const error = refusal({ [name]: value });
      assert.equal(error.code, 'invalid_option');
      assert.match(error.message, new RegExp(`policy: ${name}: expected`), `${name} ${value}`);
    }
  }
  for (const [name, value] of [['temperature', 0], ['temperature', -0], ['temperature', 1e-45], ['top_p', 0], ['top_p', 1.0000001]]) {
    assert.match(refusal({ [name]: value }).message, new RegExp(name));
  }
});

test('a row is named by its own number alone, not by one that is the same modulo 2^32', () => {
  const { row } = JSON.parse(session.start('git', '{"seed":1}', '{}'));
  for (const other of [row + 2 ** 32, row - 2 ** 32, row + 0.5, NaN, Infinity, -row]) {
    for (const call of ['step', 'cancel', 'finish']) {
      assert.throws(() => session[call](call === 'step' ? [other] : other), { code: 'not_loaded' }, `${call} ${other}`);
    }
  }
  session.cancel(row);
  assert.equal(JSON.parse(session.finish(row)).finish_reason, 'aborted');
});

test('the command line takes no empty text and no other text for a number, in either build', () => {
  const base = ['generate', '--bundle', bundle, '--prompt', 'git', '--json'];
  const help = vitrine('native', ['generate', '--help']).stdout;
  const names = [...help.matchAll(/^ +(--[a-z-]+) (?:U?INT|FLOAT)/gm)].map(([, name]) => name);
  for (const name of ['--threads', '--rows', '--seed', '--top-k', '--temperature', '--penalty-window']) {
    assert.ok(names.includes(name), `${name} of ${names}`);
  }
  for (const name of names) {
    for (const value of ['', ' ', 'nan', 'one', '-1', '18446744073709551616', '1e400']) {
      // A penalty may be negative.
      if (value === '-1' && /presence|frequency/.test(name)) continue;
      for (const build of value === '' ? ['native', 'wasm'] : ['native']) {
        const refused = vitrine(build, [...base, name, value]);
        assert.equal(refused.status, 2, `${build} ${name} '${value}': ${refused.stdout}`);
        assert.equal(refused.json().error.code, 'invalid_option');
        assert.match(refused.json().error.message, new RegExp(name.slice(2).replaceAll('-', '[-_]')));
      }
    }
  }
});
