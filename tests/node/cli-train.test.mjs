// `vitrine train` from outside: what it refuses before the first step, what interruptions leave behind, and that it
// never keeps a model that cannot be used. Figures and bits are compared in cli.test.mjs.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, watch, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

import { builds, corpus, programs, refused, scratch, train, trainOptions, vitrine } from './support/command-line.mjs';

const endless = trainOptions.with(trainOptions.indexOf('--steps') + 1, '100000000');

/** Files to learn from, and the options that name them. */
function data(path, { heldOut = 15 } = {}) {
  writeFileSync(join(path, 'train.txt'), corpus(120));
  writeFileSync(join(path, 'held-out.txt'), corpus(heldOut, 1000));
  return ['--data', join(path, 'train.txt'), '--held-out', join(path, 'held-out.txt')];
}

/** A run that would never end if it began, and that must be refused before. */
function refusedAtOnce(build, args, code) {
  return refused(build, ['train', ...endless, ...args], code, { timeout: 60_000 }).message;
}

/** A native run under way; `lines` is called with each piece of its stderr. Resolves to { status, signal, stderr }. */
async function runUntilEnd(args, onStderr) {
  const child = spawn(programs.native[0], ['train', ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
    onStderr?.(child, stderr);
  });
  const [status, signal] = await once(child, 'close');
  return { status, signal, stderr };
}

const curveSteps = (checkpoint) =>
  readFileSync(join(checkpoint, 'loss.jsonl'), 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line).step);

test('a short context makes a bundle that loads, and that the parity check can pass', (t) => {
  const path = scratch(t);
  for (const context of ['12', '32']) {
    const options = trainOptions.with(trainOptions.indexOf('--context') + 1, context);
    const trained = train('native', path, { options });
    assert.equal(trained.status, 0, trained.stdout);
    const bundle = join(path, 'bundle');
    for (const build of builds) {
      assert.equal(vitrine(build, ['inspect', '--bundle', bundle, '--json']).json().self_test.tokens, Number(context));
      const parity = vitrine(build, ['parity', '--bundle', bundle, '--tokens', context, '--json']);
      assert.equal(parity.status, 0, parity.stdout);
      const names = parity.json().schedules.map(({ name }) => name);
      assert.equal(names.includes('chunks_7'), true);
      assert.equal(names.includes('chunks_16'), context === '32');
    }
  }
});

test('parity on a sequence too short for a schedule does not pass, and names the schedule', (t) => {
  const path = scratch(t);
  assert.equal(train('native', path).status, 0);
  const bundle = join(path, 'bundle');
  for (const build of builds) {
    for (const [tokens, missing] of [
      ['1', ['decode', 'chunks_1', 'chunks_3', 'chunks_7', 'chunks_16', 'batch_5', 'rewind_retype']],
      ['5', ['chunks_7', 'chunks_16', 'rewind_retype']],
      ['16', ['chunks_16']],
      ['17', []],
    ]) {
      const { status, json, stdout } = vitrine(build, ['parity', '--bundle', bundle, '--tokens', tokens, '--json']);
      assert.deepEqual(json().not_exercised, missing, stdout);
      assert.equal(status, missing.length === 0 ? 0 : 1);
    }
    const text = vitrine(build, ['parity', '--bundle', bundle, '--tokens', '16']).stdout;
    assert.match(text, /chunks_16 .*NOT EXERCISED: the sequence is too short\n/);
    assert.match(text, /\nNOT PASSED: 0 bits differ/);
  }
});

test('weights that left the range of float16 are refused by name, and nothing is written', (t) => {
  const path = scratch(t);
  writeFileSync(join(path, 'train.txt'), corpus(120));
  const options = trainOptions.with(trainOptions.indexOf('--steps') + 1, '4');
  for (const build of builds) {
    const { message } = refused(build, ['train', '--data', join(path, 'train.txt'), ...options, '--lr', '1000', '--out', join(path, 'bundle')], 'not_finite');
    assert.match(message, /^model\.[\w.]+: expected numbers that float16 can hold, found /);
    assert.deepEqual(readdirSync(path), ['train.txt']);
  }
});

test('whatever is wrong with the output is said before the first step', (t) => {
  const path = scratch(t);
  const files = data(path);
  writeFileSync(join(path, 'file'), 'a file');
  mkdirSync(join(path, 'foreign'));
  writeFileSync(join(path, 'foreign/letter.txt'), 'dear');
  mkdirSync(join(path, 'app'));
  writeFileSync(join(path, 'app/manifest.json'), '{"name": "a web app"}');
  writeFileSync(join(path, 'empty.txt'), '');
  writeFileSync(join(path, 'config.json'), '{}');
  writeFileSync(join(path, 'list.json'), '[]');
  writeFileSync(join(path, 'broken.json'), '{');
  writeFileSync(join(path, 'seed.json'), '{"seed": 3}');
  writeFileSync(join(path, 'hot.json'), '{"temperature": 0}');
  const at = (name) => join(path, name);
  const licence = (text) => ['--out', at('bundle'), '--part', text];
  const before = readdirSync(path).sort();
  for (const build of builds) {
    for (const [code, message, ...args] of [
      ['file_unwritable', /no\/parent/, '--out', at('no/parent')],
      ['file_unwritable', /file: expected to list this folder/, '--out', at('file')],
      ['file_unwritable', /a folder with 1 other files/, '--out', at('foreign')],
      ['file_unwritable', /a manifest\.json of something else/, '--out', at('app')],
      ['file_unwritable', /a folder with a name of its own/, '--out', `${path}/.`],
      ['file_unwritable', /file\/run: expected to create this folder/, '--checkpoint', at('file/run')],
      ['invalid_option', /expected --out or --checkpoint/],
      ['invalid_option', /part: expected name=path, found "x"/, ...licence('x')],
      ['file_not_found', /nope/, ...licence('x=nope')],
      ['invalid_option', /parts\[5\]: name: expected 1 to 40 lower-case/, ...licence(`A=${at('file')}`)],
      ['invalid_option', /part: expected a name that no other part has, found "weights"/, ...licence(`weights=${at('file')}`)],
      ['invalid_option', /part: expected a name that no other part has, found "architecture"/, ...licence(`architecture=${at('file')}`)],
      ['invalid_option', /part: expected a name that no other part has, found "a"/, ...licence(`a=${at('file')}`), '--part', `a=${at('train.txt')}`],
      ['invalid_option', /every name and file once/, ...licence(`a=${at('config.json')}`)],
      ['invalid_option', /corpus: expected an object/, '--out', at('bundle'), '--corpus', at('list.json')],
      ['bad_json', /broken\.json/, '--out', at('bundle'), '--corpus', at('broken.json')],
      ['invalid_option', /list\.json: policy: expected an object/, '--out', at('bundle'), '--policy', at('list.json')],
      ['invalid_option', /hot\.json: policy: temperature: /, '--out', at('bundle'), '--policy', at('hot.json')],
      ['invalid_option', /seed\.json: .*seed: expected a policy without it/, '--out', at('bundle'), '--policy', at('seed.json')],
      ['invalid_option', /until: expected at most the 100000000 --steps/, '--out', at('bundle'), '--until', '100000001'],
      ['invalid_option', /--checkpoint/, '--out', at('bundle'), '--resume'],
      ['invalid_option', /--checkpoint/, '--out', at('bundle'), '--checkpoint-every', '5'],
    ]) {
      assert.match(refusedAtOnce(build, [...files, ...args], code), message);
    }
    assert.match(refusedAtOnce(build, ['--data', at('train.txt'), '--out', at('bundle'), '--held-out', at('empty.txt')], 'bad_data'), /empty\.txt: expected text, found none/);
    assert.match(refusedAtOnce(build, ['--data', at('train.txt'), at('empty.txt'), '--out', at('bundle')], 'bad_data'), /empty\.txt: expected text/);
    assert.match(refusedAtOnce(build, ['--data', at('train.txt'), '--out', at('bundle'), '--eval-every', '5'], 'invalid_option'), /--held-out/);
    const short = ['--data', at('train.txt'), '--out', at('bundle'), ...trainOptions.with(trainOptions.indexOf('--batch-rows') + 1, '16')];
    assert.equal(refused(build, ['train', ...short], 'invalid_option').message, 'batch_rows: expected at least the context length 48, found 16');
    assert.deepEqual(readdirSync(path).sort(), before);
  }
  assert.equal(readFileSync(at('app/manifest.json'), 'utf8'), '{"name": "a web app"}');
});

test('a checkpoint and the bundle cannot share a folder', (t) => {
  const path = scratch(t);
  assert.match(refusedAtOnce('native', [...data(path), '--checkpoint', join(path, 'run'), '--out', join(path, 'run')], 'file_unwritable'), /other files/);
});

test('a link as --out stays a link, and the folder behind it becomes the bundle', (t) => {
  const path = scratch(t);
  mkdirSync(join(path, 'real'));
  symlinkSync('real', join(path, 'link'));
  for (const build of builds) {
    const trained = train(build, path, { out: 'link' });
    assert.equal(trained.status, 0, trained.stdout);
    writeFileSync(join(path, 'real/README.md'), 'mine');
  }
  assert.deepEqual(readdirSync(path).sort(), ['held-out.txt', 'link', 'real', 'train.txt']);
  assert.equal(existsSync(join(path, 'real/manifest.json')), true);
  assert.equal(vitrine('native', ['inspect', '--bundle', join(path, 'link'), '--json']).status, 0);
});

test('--policy becomes the default policy of the bundle', (t) => {
  const path = scratch(t);
  writeFileSync(join(path, 'policy.json'), '{"temperature": 0.8, "top_p": 0.95, "max_new_tokens": 5}');
  for (const build of builds) {
    const trained = train(build, path, { out: build, extra: ['--policy', join(path, 'policy.json')] });
    assert.equal(trained.status, 0, trained.stdout);
    const config = JSON.parse(readFileSync(join(path, build, 'generation_config.json'), 'utf8'));
    assert.deepEqual([config.do_sample, config.temperature, config.top_p, config.max_new_tokens], [true, 0.8, 0.95, 5]);
    assert.equal(config.eos_token_id.length, 2); // what ends a text is the tokenizer's matter
    const { policy } = vitrine(build, ['inspect', '--bundle', join(path, build), '--json']).json();
    assert.deepEqual([policy.mode, policy.temperature, policy.top_p], ['sample', 0.8, 0.95]);
  }
});

test('a document never reaches from one file into the next', (t) => {
  const path = scratch(t);
  const lines = corpus(120);
  const half = lines.indexOf('\n', lines.length / 2);
  writeFileSync(join(path, 'a.txt'), lines.slice(0, half)); // no newline at its end
  writeFileSync(join(path, 'b.txt'), lines.slice(half + 1));
  writeFileSync(join(path, 'b-first.txt'), lines.slice(half + 1) + lines.slice(0, half));
  const tokens = (unit, ...files) =>
    vitrine('native', ['train', ...trainOptions, '--unit', unit, '--out', join(path, 'out'), '--json', '--data', ...files.map((name) => join(path, name))]).json().train_tokens;
  // One document a line, each with its mark: gluing two lines loses a document, and with it a mark.
  assert.equal(tokens('line', 'a.txt', 'b.txt'), tokens('line', 'b-first.txt'));
  // One document a file.
  assert.equal(tokens('stream', 'a.txt', 'b.txt'), tokens('stream', 'b-first.txt') + 1);
});

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  test(`${signal} ends a run with a checkpoint and status 130`, async (t) => {
    const path = scratch(t);
    const args = [...data(path), ...endless, '--checkpoint', join(path, 'run'), '--log-every', '1'];
    const { status, stderr } = await runUntilEnd(args, (child) => child.kill(signal));
    assert.equal(status, 130, stderr);
    assert.match(stderr, /vitrine: aborted: train: interrupted after step \d+; go on with --resume\n$/);
    assert.equal(existsSync(join(path, 'run/checkpoint.safetensors')), true);
  });
}

test('a signal ends a run as WebAssembly with a checkpoint too, behind the launcher', async (t) => {
  const path = scratch(t);
  const build = join(path, 'build/wasm-release');
  mkdirSync(build, { recursive: true });
  mkdirSync(join(path, 'wasm'));
  cpSync('wasm/vitrine.mjs', join(path, 'wasm/vitrine.mjs'));
  for (const file of ['vitrine.cjs', 'vitrine.wasm']) cpSync(join(dirname(programs.wasm[1]), file), join(build, file));
  const args = ['train', ...data(path), ...endless, '--checkpoint', join(path, 'run'), '--log-every', '1'];
  const launcher = spawn(process.execPath, [join(path, 'wasm/vitrine.mjs'), ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  launcher.stderr.setEncoding('utf8').on('data', (text) => {
    if (stderr === '') launcher.kill('SIGINT');
    stderr += text;
  });
  const [status] = await once(launcher, 'close');
  assert.equal(status, 130, stderr);
  assert.match(stderr, /vitrine: aborted: train: interrupted after step \d+; go on with --resume\n$/);
  assert.equal(existsSync(join(path, 'run/checkpoint.safetensors')), true);
});

test('a signal that was told to be ignored stays ignored', async (t) => {
  const path = scratch(t);
  const args = ['train', ...data(path), ...trainOptions, '--out', join(path, 'bundle'), '--log-every', '1'];
  const child = spawn('bash', ['-c', 'trap "" HUP; exec "$@"', 'bash', programs.native[0], ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  child.stderr.setEncoding('utf8').once('data', () => child.kill('SIGHUP')).resume();
  const [status] = await once(child, 'close');
  assert.equal(status, 0);
});

test('a signal ends the scores of the held-out text too, and the checkpoint has every step', async (t) => {
  const path = scratch(t);
  const args = [...data(path, { heldOut: 60_000 }), ...trainOptions, '--out', join(path, 'bundle'), '--checkpoint', join(path, 'run'), '--log-every', '1'];
  const { status, stderr } = await runUntilEnd(args, (child, text) => {
    if (text.includes('step 8/8')) child.kill('SIGINT');
  });
  assert.equal(status, 130, stderr);
  assert.match(stderr, /interrupted after step 8; go on with --resume\n$/);
  assert.equal(existsSync(join(path, 'bundle')), false);
});

test('--resume goes on from a checkpoint that is there, and to a step that lies ahead', (t) => {
  const path = scratch(t);
  const run = ['--checkpoint', join(path, 'run'), '--checkpoint-every', '2'];
  for (const build of builds) {
    rmSync(join(path, 'run'), { recursive: true, force: true });
    const none = refused(build, ['train', ...data(path), ...trainOptions, ...run, '--resume'], 'file_not_found');
    assert.match(none.message, /run\/checkpoint\.safetensors: expected the checkpoint to go on from/);
    assert.equal(train(build, path, { extra: [...run, '--until', '6'] }).status, 0);
    const back = refused(build, ['train', ...data(path), ...trainOptions, ...run, '--resume', '--until', '4'], 'invalid_option');
    assert.equal(back.message, 'until: expected at least the 6 steps of the checkpoint, found 4');
    assert.equal(train(build, path, { extra: [...run, '--resume', '--until', '6'] }).status, 0);
    assert.equal(train(build, path, { extra: [...run, '--resume'] }).json().steps, 8);
  }
});

test('a run that is killed at any moment loses no line of its loss curve', async (t) => {
  const path = scratch(t);
  const run = join(path, 'run');
  const args = [...data(path), ...endless, '--checkpoint', run, '--checkpoint-every', '1', '--log-every', '1'];
  for (let round = 0; round < 3; ++round) {
    let seen = 0;
    mkdirSync(run, { recursive: true });
    const child = spawn(programs.native[0], ['train', ...args, ...(round > 0 ? ['--resume'] : [])], { stdio: 'ignore' });
    const watcher = watch(run, (_, name) => {
      // The moment after a checkpoint has taken its place.
      if (name === 'checkpoint.safetensors' && ++seen > 2) child.kill('SIGKILL');
    });
    await once(child, 'close');
    watcher.close();
    const steps = Number(/"steps_done\\":(\d+)/.exec(readFileSync(join(run, 'checkpoint.safetensors'), 'latin1'))[1]);
    assert.deepEqual(curveSteps(run).slice(0, steps), Array.from({ length: steps }, (_, i) => i + 1));
  }
});

test('what a killed run leaves behind is cleared away, and its curve cut back to the checkpoint', (t) => {
  const path = scratch(t);
  const run = join(path, 'run');
  const extra = ['--checkpoint', run, '--checkpoint-every', '2', '--log-every', '1'];
  for (const build of builds) {
    rmSync(run, { recursive: true, force: true });
    assert.equal(train(build, path, { extra: [...extra, '--until', '4'] }).status, 0);
    const line = readFileSync(join(run, 'loss.jsonl'), 'utf8').split('\n')[3];
    writeFileSync(join(run, 'loss.jsonl'), `${line.replace('"step":4', '"step":5')}\n${line.replace('"step":4', '"step":6')}\n`, { flag: 'a' });
    writeFileSync(join(run, 'checkpoint.safetensors.tmp-123-0'), 'half');
    writeFileSync(join(run, 'loss.jsonl.tmp-123-1'), 'half');
    writeFileSync(join(run, 'loss.jsonl.tmp-mine'), 'not a temporary');
    mkdirSync(join(path, 'bundle.tmp-123-0'));
    assert.equal(train(build, path, { extra: [...extra, '--resume'] }).status, 0);
    assert.deepEqual(curveSteps(run), [1, 2, 3, 4, 5, 6, 7, 8]);
    assert.deepEqual(readdirSync(run).sort(), ['checkpoint.safetensors', 'loss.jsonl', 'loss.jsonl.tmp-mine']);
    assert.equal(existsSync(join(path, 'bundle.tmp-123-0')), false);
  }
});

test('a loss curve that is missing or damaged is refused by name', (t) => {
  const path = scratch(t);
  const run = join(path, 'run');
  const extra = ['--checkpoint', run, '--log-every', '1'];
  assert.equal(train('native', path, { extra: [...extra, '--until', '4'] }).status, 0);
  const curve = join(run, 'loss.jsonl');
  const lines = readFileSync(curve, 'utf8');
  const args = ['train', ...data(path), ...trainOptions, ...extra, '--resume'];
  for (const build of builds) {
    for (const [code, message, text] of [
      ['bad_json', /loss\.jsonl: line 5: /, `${lines}garbage\n`],
      ['bad_checkpoint', /loss\.jsonl: line 1: step: /, '{"step": "1"}\n'],
      ['bad_checkpoint', /loss\.jsonl: line 5: step: expected an integer from 5 /, lines + lines],
    ]) {
      writeFileSync(curve, text);
      assert.match(refused(build, args, code).message, message);
    }
    rmSync(curve);
    assert.match(refused(build, args, 'file_not_found').message, /loss\.jsonl/);
  }
});

test('a pipe among the files of a bundle is refused, and not waited for', (t) => {
  const path = scratch(t);
  assert.equal(train('native', path).status, 0);
  for (const name of ['template.json', 'manifest.json']) {
    const file = join(path, 'bundle', name);
    rmSync(file);
    assert.equal(spawnSync('mkfifo', [file]).status, 0);
    for (const build of builds) {
      const { message } = refused(build, ['inspect', '--bundle', join(path, 'bundle')], name === 'manifest.json' ? 'file_unreadable' : 'part_mismatch', { timeout: 30_000 });
      assert.match(message, /expected a regular file, found a pipe or a device/);
    }
  }
});

test('progress fits the terminal and is drawn some times a second, not every step', (t) => {
  if (spawnSync('script', ['--version']).error) return t.skip('skipped: no script(1) here to make a terminal');
  const path = scratch(t);
  const options = trainOptions.with(trainOptions.indexOf('--steps') + 1, '1500');
  const command = [programs.native[0], 'train', ...data(path), ...options, '--log-every', '700', '--out', join(path, 'bundle')];
  const quoted = command.map((arg) => `'${arg}'`).join(' ');
  const begin = Date.now();
  const { stdout } = spawnSync('script', ['-qec', `stty cols 70; ${quoted}`, '/dev/null'], { encoding: 'utf8', maxBuffer: 1 << 28, input: '' });
  const seconds = (Date.now() - begin) / 1000;
  const drawings = stdout.split(/[\r\n]/).map((line) => line.replaceAll('\u001b[K', '')).filter((line) => line.startsWith('['));
  assert.ok(drawings.length > 0, stdout);
  assert.ok(drawings.length <= 2 + seconds * 10, `${drawings.length} drawings in ${seconds} s`);
  for (const line of drawings) assert.ok(line.length < 70, line);
  assert.match(stdout, /step 700\/1500  epoch \d+ .* tokens\/s  .* left\r?\n/);
});
