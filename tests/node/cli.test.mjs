// The command line as its users meet it, native and as WebAssembly: the same bytes on stdout, the same exit statuses.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { builds, corpus, programs, readFolder, scratch, train, trainOptions, vitrine } from './support/command-line.mjs';

let folder;
let bundle;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'vitrine-cli-'));
  const trained = train('native', folder);
  assert.equal(trained.status, 0, trained.stdout + trained.stderr);
  bundle = join(folder, 'bundle');
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** Runs both builds, checks that they print the same, and gives what they print. */
function both(args, options) {
  const [native, wasm] = builds.map((build) => vitrine(build, args, options));
  assert.equal(wasm.stdout, native.stdout);
  assert.equal(wasm.status, native.status);
  return native;
}

test('--help documents every command and the exit statuses, --version names the version', () => {
  for (const build of builds) {
    const help = vitrine(build, ['--help']);
    assert.equal(help.status, 0);
    for (const name of ['train', 'tokenize', 'generate', 'parity', 'detectors', 'eval', 'inspect', 'baseline']) assert.match(help.stdout, new RegExp(`  ${name} `));
    assert.match(help.stdout, /Exit status: 0 done; 1 a check failed/);
    assert.equal(vitrine(build, ['generate', '--help']).status, 0);
    assert.match(vitrine(build, ['--version']).stdout, /^vitrine \d+\.\d+\.\d+\n$/);
  }
});

test('wrong usage ends with 2, on stderr or as JSON', () => {
  for (const args of [[], ['no-such-command'], ['generate'], ['parity', '--no-such-option'], ['eval', '--bundle', 'x']]) {
    for (const build of builds) {
      const plain = vitrine(build, args);
      assert.equal(plain.status, 2, args.join(' '));
      assert.match(plain.stderr, /^vitrine: invalid_option: ./);
      assert.equal(plain.stdout, '');
      const json = vitrine(build, [...args, '--json']);
      assert.equal(json.status, 2);
      assert.equal(json.json().error.code, 'invalid_option');
    }
  }
});

test('bad input ends with 3 and names its code', () => {
  assert.equal(both(['inspect', '--bundle', join(folder, 'none'), '--json']).json().error.code, 'file_not_found');
  const eval_ = both(['eval', '--bundle', bundle, '--data', join(folder, 'none.txt'), '--json']);
  assert.equal(eval_.json().error.code, 'file_not_found');
  assert.equal(eval_.status, 3);
  assert.equal(both(['eval', '--bundle', bundle, '--data', '-', '--json'], { input: '' }).json().error.code, 'bad_data');
});

test('a damaged or truncated part is refused by name', (t) => {
  const copy = scratch(t);
  const files = readFolder(bundle);
  for (const [name, bytes] of files) writeFileSync(join(copy, name), bytes);
  const damaged = Buffer.from(files.get('model.safetensors'));
  damaged[damaged.length - 5] ^= 64;
  for (const bytes of [damaged, damaged.subarray(0, 1000)]) {
    writeFileSync(join(copy, 'model.safetensors'), bytes);
    const refused = both(['inspect', '--bundle', copy, '--json']);
    assert.equal(refused.status, 3);
    assert.equal(refused.json().error.code, 'part_mismatch');
    assert.match(refused.json().error.message, /weights \(model\.safetensors\)/);
  }
});

test('training gives the same bundle, byte for byte, native and as WebAssembly', (t) => {
  const other = scratch(t);
  const trained = train('wasm', other);
  assert.equal(trained.status, 0, trained.stdout + trained.stderr);
  const [native, wasm] = [readFolder(bundle), readFolder(join(other, 'bundle'))];
  assert.deepEqual([...wasm.keys()], [...native.keys()]);
  for (const [name, bytes] of native) assert.ok(bytes.equals(wasm.get(name)), name);
  assert.deepEqual([...native.keys()], [
    ...['config.json', 'generation_config.json', 'manifest.json', 'model.safetensors', 'template.json', 'tokenizer.json'],
  ]);
});

test('a context shorter than a self-test still gives a bundle that loads', (t) => {
  const other = scratch(t);
  writeFileSync(join(other, 'train.txt'), corpus(20));
  const options = trainOptions.with(trainOptions.indexOf('--context') + 1, '4');
  const trained = vitrine('native', ['train', '--data', join(other, 'train.txt'), '--out', join(other, 'bundle'), ...options]);
  assert.equal(trained.status, 0, trained.stderr);
  const described = vitrine('native', ['inspect', '--bundle', join(other, 'bundle'), '--json']).json();
  assert.deepEqual([described.architecture.max_seq_len, described.self_test.tokens], [4, 4]);
});

test('a run that is interrupted goes on from its checkpoint to the same bundle', async (t) => {
  const other = scratch(t);
  const checkpoint = ['--checkpoint', join(other, 'checkpoint'), '--checkpoint-every', '2', '--log-every', '1'];
  writeFileSync(join(other, 'train.txt'), corpus(120));
  writeFileSync(join(other, 'held-out.txt'), corpus(15, 1000));
  const files = ['--data', join(other, 'train.txt'), '--held-out', join(other, 'held-out.txt'), '--out', join(other, 'bundle')];
  const child = spawn(programs.native[0], ['train', ...files, ...trainOptions, ...checkpoint], { stdio: ['ignore', 'ignore', 'pipe'] });
  let progress = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    progress += text;
    child.kill('SIGINT');
  });
  const [status] = await once(child, 'close');
  // Eight small steps may all be done before the signal arrives; then there is nothing to resume, and that is fine too.
  if (status !== 0) {
    assert.equal(status, 130);
    assert.match(progress, /vitrine: aborted: train: interrupted after step \d+/);
    assert.equal(train('native', other, { extra: checkpoint }).json().error.code, 'invalid_option');
  }
  const resumed = train('native', other, { extra: [...checkpoint, '--resume'] });
  assert.equal(resumed.status, 0, resumed.stdout);
  for (const [name, bytes] of readFolder(bundle)) assert.ok(bytes.equals(readFileSync(join(other, 'bundle', name))), name);
  const curve = readFileSync(join(other, 'checkpoint/loss.jsonl'), 'utf8').trim().split('\n').map(JSON.parse);
  assert.deepEqual(curve.map(({ step }) => step), [1, 2, 3, 4, 5, 6, 7, 8]);
});

test('a run that is interrupted without a checkpoint says that nothing is kept', async (t) => {
  const other = scratch(t);
  writeFileSync(join(other, 'train.txt'), corpus(120));
  const options = trainOptions.with(trainOptions.indexOf('--steps') + 1, '1000000');
  const args = ['train', '--data', join(other, 'train.txt'), ...options, '--log-every', '1', '--out', join(other, 'bundle')];
  const child = spawn(programs.native[0], args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let progress = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    progress += text;
    child.kill('SIGINT');
  });
  const [status] = await once(child, 'close');
  assert.equal(status, 130);
  assert.match(progress, /vitrine: aborted: train: interrupted after step \d+; nothing is kept without --checkpoint\n$/);
});

test('generate prints text, ids, finish reason and the effective policy, the same in both builds', () => {
  const args = ['generate', '--bundle', bundle, '--prompt', 'git comm', '--seed', '11', '--json'];
  const result = both(args);
  assert.equal(result.status, 0);
  const { text, ids, finish_reason: reason, policy, decode } = result.json();
  assert.equal(typeof text, 'string');
  assert.ok(ids.length > 0);
  assert.ok(['length', 'stop_token', 'context_full'].includes(reason));
  assert.equal(policy.seed, 11);
  assert.equal(policy.mode, 'sample');
  assert.ok(!('ms' in decode));
  assert.equal(both(args).stdout, result.stdout);
  assert.notEqual(both([...args.slice(0, 6), '12', '--json']).stdout, result.stdout);
  assert.ok('ms' in vitrine('native', [...args, '--timing']).json().decode);
});

test('a seed that is not given is drawn, reported, and gives the same text again', () => {
  const args = ['generate', '--bundle', bundle, '--prompt', 'npm', '--json'];
  for (const build of builds) {
    const [first, second] = [vitrine(build, args), vitrine(build, args)].map((run) => run.json());
    assert.notEqual(first.policy.seed, second.policy.seed);
    const again = both([...args, '--seed', `${first.policy.seed}`]).json();
    assert.deepEqual(again.ids, first.ids);
  }
});

test('every policy option arrives; a wrong one is refused by name with status 2', (t) => {
  const base = ['generate', '--bundle', bundle, '--prompt', 'git', '--seed', '1', '--json'];
  const options = ['--temperature', '0.5', '--top-k', '7', '--top-p', '0.9', '--min-p', '0.01', '--max-new-tokens', '5', '--stop', 'x', '--stop', 'yz'];
  const { policy } = both([...base, ...options]).json();
  const neutral = {
    ...{ logit_bias: {}, repetition_penalty: 1, presence_penalty: 0, frequency_penalty: 0 },
    ...{ penalty_window: 0, penalty_prompt: false, min_new_tokens: 0, context_overflow: 'stop' },
  };
  assert.deepEqual(policy, {
    ...{ version: 1, mode: 'sample', ...neutral, temperature: 0.5, top_k: 7, top_p: 0.9, min_p: 0.01, seed: 1 },
    ...{ max_new_tokens: 5, stop_tokens: policy.stop_tokens, stop: ['x', 'yz'] },
  });
  const penalties = [
    ...['--repetition-penalty', '1.1', '--presence-penalty', '-0.5', '--frequency-penalty', '0.25', '--penalty-window', '9', '--penalty-prompt'],
    ...['--logit-bias', '7=-2.5', '--logit-bias', '299=1e1', '--min-new-tokens', '2', '--context-overflow', 'stop'],
  ];
  assert.deepEqual(both([...base, ...penalties, '--max-new-tokens', '4']).json().policy, {
    ...{ ...policy, temperature: 1, top_k: 0, top_p: 1, min_p: 0, max_new_tokens: 4, min_new_tokens: 2, stop: [] },
    ...{ repetition_penalty: 1.1, presence_penalty: -0.5, frequency_penalty: 0.25, penalty_window: 9, penalty_prompt: true },
    ...{ logit_bias: { 7: -2.5, 299: 10 }, context_overflow: 'stop' },
  });
  const file = join(scratch(t), 'policy.json');
  writeFileSync(file, JSON.stringify({ mode: 'greedy', max_new_tokens: 3 }));
  const greedy = both([...base, '--policy', file]).json();
  assert.equal(greedy.policy.mode, 'greedy');
  assert.equal(greedy.ids.length, 3);
  assert.deepEqual(both([...base, '--greedy', '--max-new-tokens', '3']).json().ids, greedy.ids);
  for (const [name, ...wrong] of [
    ['temperature', '--temperature', '0'],
    ['temperature', '--temperature', 'nan'],
    ['temperature', '--greedy', '--temperature', '1'],
    ['top_k', '--top-k', '-1'],
    ['top_p', '--top-p', '1.0000001'],
    ['min_p', '--min-p', '-0.1'],
    ['seed', '--seed', '-1'],
    ['max_new_tokens', '--max-new-tokens', '0'],
    ['stop', '--stop', ''],
    ['mode', '--mode', 'best'],
    ['repetition_penalty', '--repetition-penalty', '0'],
    ['presence_penalty', '--presence-penalty', '2.5'],
    ['frequency_penalty', '--frequency-penalty', '3'],
    ['penalty_window', '--presence-penalty', '1', '--penalty-window', '2147483648'],
    ['penalty_prompt', '--penalty-prompt'],
    ['logit_bias', '--logit-bias', '300=1'],
    ['logit_bias', '--logit-bias', '5'],
    ['logit_bias', '--logit-bias', '5=much'],
    ['logit_bias', '--logit-bias', '5=1', '--logit-bias', '5=2'],
    ['min_new_tokens', '--min-new-tokens', '9007199254740992'],
    ['context_overflow', '--context-overflow', 'shift'],
  ]) {
    const refused = both([...base, ...wrong]);
    assert.equal(refused.status, 2, wrong.join(' '));
    assert.equal(refused.json().error.code, 'invalid_option');
    assert.match(refused.json().error.message, new RegExp(name));
  }
});

test('rows of a batch are those that each stream gives alone', () => {
  const args = ['generate', '--bundle', bundle, '--prompt', 'git', '--seed', '3', '--json'];
  const { rows } = both([...args, '--rows', '4']).json();
  assert.equal(rows.length, 4);
  assert.deepEqual(rows[0].ids, vitrine('native', args).json().ids);
  assert.ok(new Set(rows.map(({ ids }) => ids.join())).size > 1);
});

test('generate --parity compares every token with the full prefix', () => {
  const { parity, ids } = both(['generate', '--bundle', bundle, '--prompt', 'git', '--seed', '3', '--parity', '--json']).json();
  assert.equal(parity.tokens, ids.length);
  assert.equal(parity.identical_tokens, ids.length);
  assert.equal(parity.differing_bits, 0);
});

test('parity prints its report, ends with 0 when nothing differs, and can fail', () => {
  const args = ['parity', '--bundle', bundle, '--tokens', '40', '--json'];
  const report = both(args);
  assert.equal(report.status, 0);
  const { tokens, logits_compared: compared, differing_bits: bits, schedules } = report.json();
  assert.equal(tokens, 40);
  assert.equal(bits, 0);
  assert.equal(compared, schedules.reduce((sum, schedule) => sum + schedule.logits_compared, 0));
  assert.deepEqual(
    schedules.map(({ name }) => name),
    ['decode', 'chunks_1', 'chunks_3', 'chunks_7', 'chunks_16', 'batch_5', 'rewind_retype'],
  );
  for (const schedule of schedules) {
    assert.ok(schedule.logits_compared >= 40 * 300);
    assert.deepEqual(Object.keys(schedule), ['name', 'logits_compared', 'differing_bits']);
  }
  const broken = both([...args, '--inject', 'position_off_by_one']);
  assert.equal(broken.status, 1);
  assert.ok(broken.json().differing_bits > 0);
  assert.equal(broken.json().schedules[0].first_difference.token, 1);
  assert.equal(both(['parity', '--bundle', bundle, '--tokens', '49', '--json']).status, 2);
});

test('a cache of a narrower dtype keeps the promise, says so in every result, and has bits of its own', () => {
  const rowBytes = { f32: (d) => 4 * d, f16: (d) => 2 * d, q8: (d) => d + 4 };
  const { architecture: a } = vitrine('native', ['inspect', '--bundle', bundle, '--json']).json();
  const losses = [];
  for (const [dtype, bytes] of Object.entries(rowBytes)) {
    const option = ['--bundle', bundle, '--cache-dtype', dtype, '--json'];
    const result = both(['generate', '--prompt', 'git commit', '--seed', '3', '--parity', ...option]).json();
    assert.equal(result.cache_dtype, dtype);
    assert.equal(result.parity.tokens, result.ids.length);
    assert.equal(result.parity.differing_bits, 0);
    const positions = result.prompt_tokens + result.ids.length - 1;
    assert.equal(result.cache.formula, 2 * a.n_layers * a.n_kv_heads * bytes(a.head_dim) * positions);
    const parity = both(['parity', '--tokens', '40', ...option]).json();
    assert.equal(parity.cache_dtype, dtype);
    assert.equal(parity.differing_bits, 0);
    const scores = both(['eval', '--data', join(folder, 'held-out.txt'), ...option]).json();
    assert.equal(scores.cache_dtype, dtype);
    losses.push(scores.loss_nats);
  }
  assert.equal(new Set(losses).size, 3);
  const wrong = both(['generate', '--bundle', bundle, '--prompt', 'git', '--cache-dtype', 'F16', '--json']);
  assert.equal(wrong.status, 2);
  assert.match(wrong.json().error.message, /cache_dtype: expected f32, f16 or q8, found "F16"/);
});

test('eval scores the held-out text as the manifest says', () => {
  const scores = both(['eval', '--bundle', bundle, '--data', join(folder, 'held-out.txt'), '--json']).json();
  const { held_out: stated } = JSON.parse(readFileSync(join(bundle, 'manifest.json'), 'utf8'));
  for (const key of ['documents', 'tokens', 'bytes', 'loss_nats', 'bits_per_byte', 'next_token_accuracy']) {
    assert.equal(scores[key], stated[key], key);
  }
  assert.equal(scores.documents, 15);
  assert.equal(scores.bytes, readFileSync(join(folder, 'held-out.txt')).length);
  assert.ok(Math.abs(scores.bits_per_byte - (scores.loss_nats * scores.tokens) / scores.bytes / Math.LN2) < 1e-12);
  const piped = both(['eval', '--bundle', bundle, '--data', '-', '--json'], { input: corpus(15, 1000) });
  assert.deepEqual(piped.json(), scores);
});

test('a baseline is counted, written, scored and continued alike in both builds', (t) => {
  const path = scratch(t);
  const data = ['--bundle', bundle, '--data', join(folder, 'train.txt'), '--held-out', join(folder, 'held-out.txt')];
  const counted = builds.map((build) => vitrine(build, ['baseline', ...data, '--order', '9', '--out', join(path, build), '--json']));
  assert.equal(counted[0].status, 0, counted[0].stdout + counted[0].stderr);
  assert.equal(counted[1].stdout, counted[0].stdout);
  assert.ok(readFileSync(join(path, 'native')).equals(readFileSync(join(path, 'wasm'))));
  const { order, ngrams, discounts, held_out: scores } = counted[0].json();
  assert.equal(order, 9);
  assert.deepEqual([ngrams.length, discounts.length], [9, 9]);
  const baseline = ['--bundle', bundle, '--baseline', join(path, 'native'), '--json'];
  assert.deepEqual(both(['eval', ...baseline, '--data', join(folder, 'held-out.txt')]).json(), scores);
  const model = both(['eval', '--bundle', bundle, '--data', join(folder, 'held-out.txt'), '--json']).json();
  assert.deepEqual(Object.keys(scores), Object.keys(model));
  for (const key of ['documents', 'tokens', 'bytes']) assert.equal(scores[key], model[key], key);
  // It counted every line; the model has seen eight batches.
  assert.ok(scores.bits_per_byte < model.bits_per_byte / 2);
  const args = ['generate', ...baseline, '--prompt', 'git commit'];
  const { ids, policy } = both([...args, '--seed', '4']).json();
  assert.ok(ids.length > 0);
  assert.equal(policy.seed, 4);
  assert.deepEqual(both([...args, '--seed', '4']).json().ids, ids);
  assert.match(both([...args, '--greedy', '--seed', '4']).json().text, /^ .*  # commit with /);
});

test('a baseline that is damaged, of another tokenizer or asked for a proof is refused by name', (t) => {
  const path = scratch(t);
  const file = join(path, 'baseline');
  const counted = both(['baseline', '--bundle', bundle, '--data', join(folder, 'train.txt'), '--order', '2', '--out', file, '--json']);
  assert.equal(counted.json().held_out, null);
  const score = (bytes) => {
    writeFileSync(join(path, 'spoiled'), bytes);
    return both(['eval', '--bundle', bundle, '--baseline', join(path, 'spoiled'), '--data', '-', '--json'], { input: 'git\n' });
  };
  const whole = readFileSync(file);
  assert.equal(score(whole).status, 0);
  const flipped = Buffer.from(whole);
  flipped[flipped.length - 5] ^= 1;
  for (const bytes of [flipped, whole.subarray(0, 1000), Buffer.alloc(0), readFileSync(join(bundle, 'model.safetensors'))]) {
    const refused = score(bytes);
    assert.equal(refused.status, 3);
    assert.equal(refused.json().error.code, 'bad_data');
  }
  const foreign = both(['eval', '--bundle', 'web/models/shell', '--baseline', file, '--data', '-', '--json'], { input: 'git\n' });
  assert.equal(foreign.json().error.code, 'bad_data');
  assert.match(foreign.json().error.message, /the bundle's tokenizer/);
  const proof = both(['generate', '--bundle', bundle, '--baseline', file, '--parity', '--json']);
  assert.equal(proof.status, 2);
  for (const [name, ...wrong] of [['order', '--order', '0'], ['order', '--order', '33'], ['discount', '--discount', '1.5']]) {
    const refused = both(['baseline', '--bundle', bundle, '--data', join(folder, 'train.txt'), ...wrong, '--json']);
    assert.equal(refused.status, 2);
    assert.match(refused.json().error.message, new RegExp(name));
  }
});

test('tokenize and its way back keep every byte', () => {
  const text = 'git commit -m "na\u00efve \u{1F602}\t<|endoftext|>"\n';
  const { ids, tokens, bytes } = both(['tokenize', '--bundle', bundle, '--file', '-', '--json'], { input: text }).json();
  assert.equal(bytes, Buffer.byteLength(text));
  assert.equal(ids.length, tokens.length);
  const back = both(['tokenize', '--tokenizer', join(bundle, 'tokenizer.json'), '--json', '--decode', ...ids.map(String)]);
  assert.equal(back.json().text, text);
});

test('inspect describes what it verified', () => {
  const [described, other] = builds.map((build) => vitrine(build, ['inspect', '--bundle', bundle, '--json']).json());
  // How weights are packed depends on the width of the machine's vectors; nothing else does.
  assert.ok(described.memory.weights > 4 * described.parameters && other.memory.weights > 4 * described.parameters);
  assert.deepEqual({ ...other, memory: null }, { ...described, memory: null });
  assert.equal(described.name, 'tiny');
  assert.equal(described.self_test.passed, true);
  assert.equal(described.architecture.d_model, 24);
  assert.equal(described.training.steps, 8);
  assert.match(vitrine('native', ['inspect', '--bundle', bundle]).stdout, /self-test passed/);
});
