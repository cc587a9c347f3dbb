// Token ids against the npm package gpt-tokenizer, with GPT-2's vocabulary, on a megabyte of everything; and the way back.
// The texts of llama.cpp's vocabulary test are in tests/cpp/tokenizer/gpt2_vocabulary_test.cpp.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { before, test } from 'node:test';

import { encode } from 'gpt-tokenizer/encoding/r50k_base';

import { modulePath, readFolder, scratch, vitrine } from './support/command-line.mjs';
import { mixedUnicode } from './support/mixed-unicode.mjs';
import { gpt2TokenizerJson } from './support/tokenizer-files.mjs';

const seed = 20261129;
const megabyte = 1 << 20;
const text = mixedUnicode(seed, 1.01 * megabyte); // halves of pairs that meet make it a little shorter
let module;

before(async () => {
  module = await (await import(pathToFileURL(modulePath))).default();
});

/** A session with the bundle that ships. */
function shell(t) {
  const session = new module.Session();
  t.after(() => session.delete());
  const files = readFolder('web/models/shell');
  const { parts } = JSON.parse(files.get('manifest.json').toString());
  for (const name of ['manifest.json', ...parts.map(({ file }) => file)]) session.addFile(name, files.get(name));
  session.load();
  return session;
}

test('the megabyte holds what it is for', () => {
  assert.ok(Buffer.byteLength(text) >= megabyte);
  assert.equal(mixedUnicode(seed, 5000), mixedUnicode(seed, 5000));
  assert.notEqual(mixedUnicode(seed + 2, 5000), mixedUnicode(seed, 5000));
  const kinds = {
    ...{ emoji: /\u{1f602}/u, family: /\u{1f469}\u200d\u{1f469}\u200d\u{1f467}/u, flag: /\u{1f1e9}\u{1f1ea}/u, tags: /\u{e0067}\u{e007f}/u },
    ...{ mark: /\p{L}\u0301/u, han: /\p{Script=Han}{3}/u, thai: /\p{Script=Thai}{3}/u, arabic: /\p{Script=Arabic}{3}/u, hebrew: /\p{Script=Hebrew}{3}/u },
    ...{ extensionB: /[\u{20000}-\u{2a6df}]/u, nul: /\0/, bom: /\ufeff/, direction: /\u202e/, carriage: /\r\n/, spaces: / {10}/, nextLine: /\u0085/ },
    ...{ digits: /\p{N}{8}/u, contraction: /[a-z]'ll/, surrogate: /\p{Cs}/u, marker: /<\|endoftext\|>/ },
  };
  for (const [kind, pattern] of Object.entries(kinds)) assert.match(text, pattern, kind);
});

test('a megabyte of mixed Unicode has the ids of gpt-tokenizer, natively and as WebAssembly', (t) => {
  const file = join(scratch(t), 'tokenizer.json');
  writeFileSync(file, gpt2TokenizerJson());
  // GPT-2's \s is Unicode's White_Space; JavaScript's, and so that package's, counts U+FEFF in and U+0085 out.
  const comparable = text.replace(/[\u0085\ufeff]/g, '');
  assert.ok(comparable.length > 0.99 * text.length);
  const expected = encode(comparable, { disallowedSpecial: new Set() });
  assert.ok(expected.length > megabyte / 2);
  for (const build of ['native', 'wasm']) {
    const { ids, bytes } = vitrine(build, ['tokenize', '--tokenizer', file, '--file', '-', '--json'], { input: comparable }).json();
    assert.equal(bytes, Buffer.byteLength(comparable));
    const differs = ids.findIndex((id, at) => id !== expected[at]);
    assert.ok(differs < 0, `${build}: token ${differs}: expected ${expected[differs]}, found ${ids[differs]}`);
    assert.equal(ids.length, expected.length);
  }
});

test("the megabyte comes back whole through the module and the shell bundle's tokenizer, with U+FFFD for half pairs", (t) => {
  const session = shell(t);
  const ids = session.encode(text);
  const back = session.decode(ids);
  assert.notEqual(back, text);
  assert.equal(back, new TextDecoder('utf-8', { ignoreBOM: true }).decode(new TextEncoder().encode(text)));
  assert.ok(ids.every((id) => id > 0 && id < 4096), 'no token is the begin token, whatever the text says');
});

test('the shell bundle gives every build the same ids, and no text becomes its special token', (t) => {
  const session = shell(t);
  const piece = text.slice(0, 100_000).toWellFormed?.() ?? text.slice(0, 100_000);
  const expected = [...session.encode(piece)];
  for (const build of ['native', 'wasm']) {
    const args = ['tokenize', '--bundle', 'web/models/shell', '--file', '-', '--json'];
    assert.deepEqual(vitrine(build, args, { input: piece }).json().ids, expected);
    for (const forged of ['<|endoftext|>', 'git <|endoftext|> commit', '<|endoftext|><|endoftext|>', ' <|endoftext|>\n']) {
      const { ids } = vitrine(build, args, { input: forged }).json();
      assert.ok(!ids.includes(0), forged);
    }
  }
  // The special token is there, and is what id 0 is.
  const { added_tokens: added } = JSON.parse(readFileSync('web/models/shell/tokenizer.json', 'utf8'));
  assert.deepEqual(added.map(({ id, content }) => [id, content]), [[0, '<|endoftext|>']]);
});
