// How the command line reads its options and what it does with its streams, native and as WebAssembly: nothing is
// guessed, and nothing is lost in silence.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { builds, corpus, programs, refused, scratch, train, trainOptions, vitrine } from './support/command-line.mjs';

let folder;
let bundle;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'vitrine-usage-'));
  const trained = train('native', folder);
  assert.equal(trained.status, 0, trained.stdout + trained.stderr);
  bundle = join(folder, 'bundle');
});
after(() => rmSync(folder, { recursive: true, force: true }));

const generate = (...args) => ['generate', '--bundle', bundle, '--prompt', 'git', '--seed', '1', '--max-new-tokens', '3', ...args];

/** Runs a build behind a shell, for what the shell alone can do with streams and bytes; $@ is the command line. */
function shell(build, script, args) {
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script, 'bash', ...programs[build], ...args], { encoding: 'utf8', input: '' });
  return { status, stdout, stderr };
}

test('a number is decimal and nothing else, in every option that takes one', () => {
  for (const [option, ...texts] of [
    ['--seed', '', '1,2', '0x10', '1_0', ' 1', '+1', '99999999999999999999'],
    ['--max-new-tokens', '1_0', "1'0"],
    ['--threads', '-1'],
    ['--rows', '1.0'],
    ['--temperature', '', '1,5', '0x1p1', '1e999', 'nan'],
    ['--top-p', '.', '0.5 '],
  ]) {
    for (const text of texts) {
      const { message } = refused('native', [...generate(), option, text], 'invalid_option');
      assert.match(message, new RegExp(`^${option}: expected a (whole|decimal) number.*, found "`), `${option} ${text}`);
    }
  }
  for (const text of ['1,2,3', '', '[1,2]', '0b1', '2147483648']) {
    refused('native', ['tokenize', '--bundle', bundle, '--decode', text], 'invalid_option');
  }
  refused('native', ['train', '--data', join(folder, 'train.txt'), '--out', join(folder, 'x'), '--lr', '1e'], 'invalid_option');
  for (const text of ['1,2', '0x10', '']) refused('wasm', [...generate(), '--seed', text], 'invalid_option');
  for (const text of ['1,5', '0x1p1', '1e999']) refused('wasm', [...generate(), '--temperature', text], 'invalid_option');
});

test('zeros in front change no number: they are what a number field of the page takes too', () => {
  const { policy } = vitrine('native', ['generate', '--bundle', bundle, '--prompt', 'git', '--seed', '010', '--temperature', '00.5', '--json']).json();
  assert.equal(policy.seed, 10);
  assert.equal(policy.temperature, 0.5);
});

test('a range is named with what was found', () => {
  const { message } = refused('native', generate('--rows', '65'), 'invalid_option');
  assert.equal(message, '--rows: expected a whole number from 1 to 64, found "65"');
});

test('a text in brackets is that text, and not a list', () => {
  for (const build of builds) {
    const text = (value) => vitrine(build, ['tokenize', '--bundle', bundle, '--json', `--text=${value}`]).json();
    for (const value of ['[[]]', '[[aa]]', '[a,b]', '[', '\u001A[']) {
      assert.equal(text(value).tokens.join(''), value);
      assert.equal(text(value).bytes, value.length);
    }
    assert.deepEqual(vitrine(build, [...generate(), '--json', '--stop', '[a,b]']).json().policy.stop, ['[a,b]']);
  }
});

test('an argument that is not UTF-8 is refused before any work, by its place', () => {
  for (const build of builds) {
    for (const option of ['--stop', '--prompt']) {
      const args = generate('--json').filter((arg) => arg !== '--prompt' && arg !== 'git');
      const { status, stdout } = shell(build, `"$@" ${option} $'\\xff'`, args);
      assert.equal(status, 2, stdout);
      assert.match(JSON.parse(stdout).error.message, /^argument \d+: expected UTF-8 without U\+FFFD, found /);
    }
  }
});

test('a command that does not exist is named, and so are those that do', () => {
  for (const build of builds) {
    const { message } = refused(build, ['foo', '--bundle', 'x'], 'invalid_option');
    assert.match(message, /^command: expected one of train, .*inspect, .*found "foo"$/);
    assert.match(refused(build, [], 'invalid_option').message, /^command: expected one of .*, found none$/);
  }
});

test('the faults that can be injected are listed', () => {
  assert.match(vitrine('native', ['parity', '--help']).stdout.replaceAll(/\s+/g, ' '), /to see the check fail: .*position_off_by_one/);
});

test('--json may stand before the command', () => {
  assert.deepEqual(vitrine('native', ['--json', 'inspect', '--bundle', bundle]).json().name, 'tiny');
  assert.equal(vitrine('native', ['--json', 'inspect', '--bundle', join(folder, 'none')]).json().error.code, 'file_not_found');
});

test('a result that cannot be written is no success', () => {
  for (const build of builds) {
    for (const args of [['--help'], ['generate', '--help'], ['inspect', '--bundle', bundle, '--json'], generate(), ['parity', '--bundle', bundle, '--tokens', '20']]) {
      const { status, stderr } = shell(build, '"$@" > /dev/full', args);
      assert.equal(status, 3, `${build} ${args}`);
      assert.match(stderr, /vitrine: file_unwritable: stdout: expected to write the result/);
    }
  }
  // Node opens /dev/null in the place of a stream that is closed, so WebAssembly cannot know.
  assert.equal(shell('native', '"$@" >&-', ['inspect', '--bundle', bundle]).status, 3);
});

test('a stdin that cannot be read is not an empty one', () => {
  for (const build of builds) {
    const { status, stderr } = shell(build, '"$@" < /', ['tokenize', '--bundle', bundle, '--file', '-']);
    assert.equal(status, 3);
    assert.match(stderr, /vitrine: file_unreadable: stdin: expected to read it, found: /);
  }
  assert.equal(shell('native', '"$@" <&-', ['tokenize', '--bundle', bundle, '--file', '-']).status, 3);
});

test('stdin goes to one option', () => {
  for (const build of builds) {
    assert.match(
      refused(build, ['tokenize', '--tokenizer', '-', '--file', '-'], 'invalid_option', { input: readFileSync(join(bundle, 'tokenizer.json')) }).message,
      /^stdin: expected one option that reads it/,
    );
  }
});

test('an empty text to score is refused by its name', () => {
  const empty = join(folder, 'empty.txt');
  writeFileSync(empty, '');
  for (const build of builds) {
    assert.equal(refused(build, ['eval', '--bundle', bundle, '--data', empty], 'bad_data').message, `${empty}: expected text, found none`);
    assert.equal(refused(build, ['eval', '--bundle', bundle, '--data', '-'], 'bad_data').message, 'stdin: expected text, found none');
  }
});

test('tokenize asks for something to do, and takes the empty text for a text', () => {
  for (const build of builds) {
    assert.match(refused(build, ['tokenize', '--bundle', bundle], 'invalid_option').message, /expected one of --text, --file and --decode, found none/);
    assert.deepEqual(vitrine(build, ['tokenize', '--bundle', bundle, '--text', '', '--json']).json().ids, []);
  }
});

test('an empty path is none', () => {
  for (const args of [['inspect', '--bundle', ''], generate('--policy', ''), ['tokenize', '--tokenizer', '', '--text', 'x']]) {
    assert.match(refused('native', args, 'invalid_option').message, /^--[a-z]+: expected a path, found ""$/);
  }
});

test('generate prints the text and nothing else on stdout', () => {
  for (const build of builds) {
    const { text } = vitrine(build, [...generate(), '--json']).json();
    const plain = vitrine(build, generate());
    assert.equal(plain.stdout, text.endsWith('\n') ? text : `${text}\n`);
    assert.match(plain.stderr, /^\[\w+; seed 1; prefill .*\]\n$/);
    const rows = vitrine(build, generate('--rows', '2'));
    assert.match(rows.stdout, /^--- row 1\n[^]*\n--- row 2\n[^]*\n$/);
    assert.doesNotMatch(rows.stdout, /seed/);
  }
});

test('a baseline reads each file for itself, and its output is tried before anything is counted', (t) => {
  const path = scratch(t);
  const lines = corpus(40);
  const half = lines.indexOf('\n', lines.length / 2);
  writeFileSync(join(path, 'a.txt'), lines.slice(0, half)); // no newline at its end
  writeFileSync(join(path, 'b.txt'), lines.slice(half + 1));
  writeFileSync(join(path, 'b-first.txt'), lines.slice(half + 1) + lines.slice(0, half));
  writeFileSync(join(path, 'empty.txt'), '');
  const count = (...files) => ['baseline', '--bundle', bundle, '--order', '3', '--data', ...files.map((name) => join(path, name))];
  for (const build of builds) {
    const ngrams = (...files) => vitrine(build, [...count(...files), '--json']).json().ngrams;
    assert.deepEqual(ngrams('a.txt', 'b.txt'), ngrams('b-first.txt'));
    assert.match(refused(build, count('a.txt', 'empty.txt'), 'bad_data').message, /empty\.txt: expected text, found none/);
    assert.match(refused(build, [...count('a.txt'), '--held-out', join(path, 'empty.txt')], 'bad_data').message, /empty\.txt: expected text/);
    // An order that cannot be counted is found later than the place.
    assert.match(refused(build, [...count('a.txt').with(4, '99'), '--out', join(path, 'no/file')], 'file_unwritable').message, /no\/file/);
  }
  const file = join(path, 'baseline.bin');
  assert.equal(vitrine('native', [...count('b.txt'), '--out', file]).status, 0);
  const { text } = vitrine('native', generate('--baseline', file, '--json')).json();
  const plain = vitrine('native', generate('--baseline', file));
  assert.equal(plain.stdout, text.endsWith('\n') ? text : `${text}\n`);
  assert.match(plain.stderr, /^\[\w+; seed 1; by the baseline\]\n$/);
});

test('a bias is a token and a decimal number', () => {
  for (const text of ['5', '5=', '5=0x10', '5=1,5', '=1', 'x=1', '05=1', '5=nan']) {
    assert.match(refused('native', generate('--logit-bias', text), 'invalid_option').message, /logit_bias: expected/);
  }
  assert.deepEqual(vitrine('native', generate('--logit-bias', '5=-1.5', '--json')).json().policy.logit_bias, { 5: -1.5 });
});

test('as many rows as --rows takes fit, however short the context is', () => {
  assert.equal(vitrine('native', generate('--rows', '64', '--json')).json().rows.length, 64);
});

test('a policy file is an object, and what is wrong in it is reported with its name', (t) => {
  const file = join(scratch(t), 'policy.json');
  for (const build of builds) {
    for (const [text, code, message] of [
      ['[]', 'invalid_option', `${file}: policy: expected an object, found an array of 0`],
      ['null', 'invalid_option', `${file}: policy: expected an object, found null`],
      ['"x"', 'invalid_option', `${file}: policy: expected an object, found "x"`],
      ['{"temperature": "0"}', 'invalid_option', `${file}: policy: temperature: `],
      ['{', 'bad_json', file],
    ]) {
      writeFileSync(file, text);
      for (const options of [[], ['--top-k', '3']]) {
        const found = refused(build, generate('--policy', file, ...options), code).message;
        assert.ok(found.startsWith(message), found);
      }
    }
  }
});

test('options stand above the policy file, --greedy above its temperature', (t) => {
  const file = join(scratch(t), 'policy.json');
  writeFileSync(file, JSON.stringify({ temperature: 0.5, top_p: 0.9, stop: ['x'] }));
  const policy = (...options) => vitrine('native', [...generate('--policy', file, ...options), '--json']).json().policy;
  assert.equal(policy('--greedy').mode, 'greedy');
  assert.deepEqual(policy('--greedy').stop, ['x']);
  const { temperature, top_p: topP, stop } = policy('--temperature', '2', '--stop', 'y');
  assert.deepEqual([temperature, topP, stop], [2, 0.9, ['y']]);
});

test('what a manifest says cannot command the terminal', (t) => {
  const path = scratch(t);
  const options = trainOptions.with(trainOptions.indexOf('--name') + 1, 'a\u001b[2J\u009b"\u00e9');
  assert.equal(train('native', path, { options }).status, 0);
  for (const build of builds) {
    const { stdout } = vitrine(build, ['inspect', '--bundle', join(path, 'bundle')]);
    assert.match(stdout, /^"a\\x1b\[2J\\xc2\\x9b\\"\u00e9" "1\.0\.0"\n/);
    assert.doesNotMatch(stdout, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  }
});
