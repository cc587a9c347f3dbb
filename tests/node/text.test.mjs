// Text at the edges: what a prompt may hold, and what a model may spell, one byte a token, on the command line and through
// the module. The model is scripted: it says what the test wants. The page's protocol is in engine-text.test.ts.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { after, before, test } from 'node:test';

import { modulePath, scratch, vitrine } from './support/command-line.mjs';
import { scriptedBundle } from './support/scripted-bundle.mjs';

const builds = ['native', 'wasm'];
const code = (letter) => letter.charCodeAt(0);
const chain = (...bytes) => bytes.slice(1).map((next, i) => [bytes[i], next]);

/** After each of these letters the model spells something in single bytes; then, but for h, a newline, which ends it. */
const script = [
  ...chain(code('h'), 0xe2, 0x82, 0xe2), // two thirds of a character, again and again
  ...chain(code('e'), 0xf0, 0x9f, 0x98, 0x80, 10), // U+1F600
  ...chain(code('c'), 0xe8, 0xb5, 0x8b, 10), // U+8D4B
  ...chain(code('n'), 0, 10),
  ...chain(code('r'), 0xef, 0xbf, 0xbd, 10), // U+FFFD itself
];
const spelled = { e: '\u{1f600}', c: '\u8d4b', n: '\0', r: '\ufffd' };
/** Another, that spells a byte order mark: it begins like U+FFFD. */
const markScript = chain(code('b'), 0xef, 0xbb, 0xbf, code('x'), 10);

let bundle;
let files;
let module;

function writeBundle(folder, script) {
  const written = scriptedBundle(script);
  for (const [name, bytes] of written) writeFileSync(join(folder, name), bytes);
  return written;
}

before(async () => {
  bundle = mkdtempSync(join(tmpdir(), 'vitrine-text-'));
  files = writeBundle(bundle, script);
  module = await (await import(pathToFileURL(modulePath))).default();
});
after(() => rmSync(bundle, { recursive: true, force: true }));

function loaded(t, from = files) {
  const session = new module.Session();
  t.after(() => session.delete());
  for (const [name, bytes] of from) session.addFile(name, bytes);
  session.load();
  return session;
}

/** Every step's text, and the result. */
function runRow(session, prompt, policy = {}) {
  const { row } = JSON.parse(session.start(prompt, JSON.stringify(policy), '{"parity": true}'));
  const texts = [];
  for (let finish = null; finish === null; ) {
    const step = JSON.parse(session.step([row]))[0];
    texts.push(step.text);
    finish = step.finish_reason;
  }
  return { texts, result: JSON.parse(session.finish(row)) };
}

const generate = (build, prompt, ...options) => vitrine(build, ['generate', '--bundle', bundle, '--prompt', prompt, ...options, '--json']).json();

test('a text that ends in half a character ends in one replacement character, and its ids keep the bytes', (t) => {
  for (const build of builds) {
    const { text, ids, finish_reason: reason } = generate(build, 'h', '--max-new-tokens', '2');
    assert.deepEqual([text, ids, reason], ['\ufffd', [0xe2, 0x82], 'length']);
    assert.equal(generate(build, 'h', '--max-new-tokens', '3').text, '\ufffd\ufffd');
  }
  const { texts, result } = runRow(loaded(t), 'h', { max_new_tokens: 2 });
  assert.deepEqual(texts, ['', '\ufffd']);
  assert.deepEqual([result.text, result.ids], ['\ufffd', [0xe2, 0x82]]);
  assert.equal(result.parity.differing_bits, 0);
});

test('a character of one byte a token appears with its last byte, and nothing that was spelled is trimmed', (t) => {
  const session = loaded(t);
  for (const [letter, text] of Object.entries(spelled)) {
    for (const build of builds) assert.equal(generate(build, letter).text, text, build);
    const { texts, result } = runRow(session, letter);
    assert.equal(result.text, text);
    assert.equal(result.finish_reason, 'stop_token');
    // The newline's step adds nothing; before it each byte has a step, and the last byte of a character has its text.
    const bytes = Buffer.from(text);
    const last = (at) => at + 1 === bytes.length || (bytes[at + 1] & 0xc0) !== 0x80;
    assert.deepEqual(texts.map((part) => part !== ''), [...bytes.map((_, at) => (last(at) ? 1 : 0)), 0].map(Boolean));
  }
});

test('a byte order mark that a model spells is text', (t) => {
  const folder = scratch(t);
  const marked = writeBundle(folder, markScript);
  for (const build of builds) {
    const args = ['generate', '--bundle', folder, '--prompt', 'b', '--json'];
    assert.equal(vitrine(build, args).json().text, '\ufeffx');
  }
  assert.deepEqual(runRow(loaded(t, marked), 'b').texts, ['', '', '\ufeff', 'x', '']);
});

test('a stream cancelled inside a character gives back a replacement character, and the next row is right', (t) => {
  const session = loaded(t);
  const { row } = JSON.parse(session.start('e', '{}', '{}'));
  for (let i = 0; i < 2; ++i) assert.equal(JSON.parse(session.step([row]))[0].text, '');
  session.cancel(row);
  const cut = JSON.parse(session.finish(row));
  assert.deepEqual([cut.text, cut.ids, cut.finish_reason], ['\ufffd', [0xf0, 0x9f], 'aborted']);
  assert.equal(runRow(session, 'e').result.text, '\u{1f600}');
});

test('NUL, a byte order mark, CRLF and half a pair in a prompt are text like any other', (t) => {
  const session = loaded(t);
  const prompts = ['a\0b', '\ufeffe', 'a\r\ne', '\ud83d', '\ude02e', 'x\ud83d\ude02', '<|endoftext|>e', ' \t '];
  for (const prompt of prompts) {
    const bytes = Buffer.from(prompt); // half a pair as U+FFFD, as everywhere
    const { result } = runRow(session, prompt, { max_new_tokens: 4 });
    assert.equal(result.prompt_tokens, 1 + bytes.length, JSON.stringify(prompt));
    assert.equal(result.parity.differing_bits, 0);
    assert.deepEqual([...session.encode(prompt)], [...bytes]);
    const completed = JSON.parse(session.complete(prompt, '{"max_new_tokens": 4}'));
    assert.equal(completed.finish_reason === 'length' || completed.finish_reason === 'stop_token', true);
    // No argument of a program can hold a NUL, and one with U+FFFD is refused: the next test.
    if (/[\0\ufffd]/.test(bytes.toString())) continue;
    for (const build of builds) {
      const { ids, prompt_tokens: count } = generate(build, prompt, '--max-new-tokens', '4');
      assert.equal(count, result.prompt_tokens, `${build}: ${JSON.stringify(prompt)}`);
      assert.deepEqual(ids, result.ids);
    }
  }
});

test('a file of any bytes is tokenized whole: NUL, a byte order mark, CRLF, half a character, a surrogate', () => {
  const inputs = ['ab\0cd', '\ufeffx\r\n', '\0'].map((text) => Buffer.from(text));
  for (const bytes of [...inputs, Buffer.from([0xe2, 0x82]), Buffer.from([0xed, 0xa0, 0xbd]), Buffer.from([0xff, 0x00, 0xfe])]) {
    for (const build of builds) {
      const { ids, bytes: size } = vitrine(build, ['tokenize', '--bundle', bundle, '--file', '-', '--json'], { input: bytes }).json();
      assert.deepEqual(ids, [...bytes], build);
      assert.equal(size, bytes.length);
    }
  }
});

test('a prompt that is empty begins with the begin token', (t) => {
  for (const build of builds) assert.equal(generate(build, '', '--max-new-tokens', '2').prompt_tokens, 1);
  assert.equal(runRow(loaded(t), '', { max_new_tokens: 2 }).result.prompt_tokens, 1);
});

test('a text with nothing to learn from is refused by name, and one of a single line trains', (t) => {
  const folder = scratch(t);
  const train = (build, text, name) => {
    writeFileSync(join(folder, 'train.txt'), text);
    const shape = ['--vocab-size', '400', '--d-model', '8', '--layers', '1', '--heads', '1', '--kv-heads', '1', '--d-ff', '8', '--context', '16'];
    const run = ['--steps', '1', '--batch-rows', '16', '--warmup', '1', '--out', join(folder, name), '--json'];
    return vitrine(build, ['train', '--data', join(folder, 'train.txt'), ...shape, ...run]);
  };
  for (const build of builds) {
    const empty = train(build, '', `${build}-empty`);
    assert.equal(empty.status, 3);
    assert.equal(empty.json().error.code, 'bad_data');
    // Fewer merges than asked for: the vocabulary ends where the pairs do.
    for (const [text, most] of [['a', 257], ['   ', 258], ['\0\r\n', 257]]) {
      const trained = train(build, text, `${build}-${most}-${text.length}`);
      assert.equal(trained.status, 0, trained.stdout);
      assert.ok(trained.json().vocab_size <= most, `${JSON.stringify(text)}: ${trained.json().vocab_size}`);
    }
  }
});
