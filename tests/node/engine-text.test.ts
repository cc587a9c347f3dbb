// Text at the edges through the page's protocol, with the real module and a scripted model: what crosses between page and
// worker is whole and well-formed. The same without the protocol is in text.test.mjs.

import assert from 'node:assert/strict';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { before, test } from 'node:test';
import type { MainModule } from 'vitrine-module';

import type { RunStep } from '../../web/src/engine/protocol';
import { scriptedBundle } from './support/scripted-bundle.mjs';
import { servesFiles, urls, wire, type Wired } from './support/wired-model';

const chain = (...bytes: number[]): Array<[number, number]> => bytes.slice(1).map((next, i) => [bytes[i] as number, next]);
const script = [...chain(0x68, 0xe2, 0x82, 0xe2), ...chain(0x65, 0xf0, 0x9f, 0x98, 0x80, 10), ...chain(0x6e, 0, 10)];

let wired: Wired;

before(async () => {
  const moduleFile = path.resolve('build/wasm-release/vitrine-module.mjs');
  const { default: create } = (await import(pathToFileURL(moduleFile).href)) as { default: () => Promise<MainModule> };
  const module = await create();
  wired = wire({ fetch: servesFiles(scriptedBundle(script)), createSession: async () => new module.Session() });
  await wired.model.load(urls);
});

/** A step for every token, each with well-formed text, which together is the result's. */
async function generate(prompt: string, policy: Record<string, unknown> = {}) {
  const steps: RunStep[] = [];
  const result = await wired.model.generate(prompt, { policy, parity: true, onStep: (step) => steps.push(step) });
  const tokens = steps.filter(({ token }) => token !== null);
  assert.equal(tokens.length, result.ids.length);
  for (const { text, piece } of steps) {
    for (const part of [text, piece]) assert.doesNotMatch(part, /\p{Cs}/u, 'half a surrogate pair');
  }
  assert.equal(steps.map(({ text }) => text).join(''), result.text);
  assert.equal(result.parity.differing_bits, 0);
  return { texts: tokens.map(({ text }) => text), result };
}

test('a character of one byte a token crosses once it is whole', async () => {
  assert.deepEqual((await generate('e')).texts, ['', '', '', '\u{1f600}', '']);
  assert.deepEqual((await generate('n')).texts, ['\0', '']);
});

test('half a character at the end crosses as one replacement character', async () => {
  const { texts, result } = await generate('h', { max_new_tokens: 2 });
  assert.deepEqual([texts, result.text, result.ids], [['', '\ufffd'], '\ufffd', [0xe2, 0x82]]);
});

test('NUL, a byte order mark, CRLF, half a pair and the text of a special token cross in a prompt', async () => {
  for (const prompt of ['a\0b', '\ufeffe', 'a\r\ne', '\ud83d', '\ude02e', '<|endoftext|>', ' ', '']) {
    const bytes = Buffer.from(prompt);
    const { result } = await generate(prompt, { max_new_tokens: 3 });
    assert.equal(result.prompt_tokens, 1 + bytes.length, JSON.stringify(prompt));
    const pieces = await wired.model.tokenize(prompt);
    assert.deepEqual(pieces.map(({ id }) => id), [...bytes]);
    assert.equal((await wired.model.complete(prompt, { max_new_tokens: 3 })).policy['max_new_tokens'], 3);
  }
});

test('a stop string that begins in half a character holds its bytes back and never shows its head', async () => {
  const { result, texts } = await generate('e', { stop: ['\u{1f600}\n', '\u{1f601}'], stop_tokens: [], max_new_tokens: 5 });
  assert.deepEqual([result.text, result.finish_reason], ['', 'stop_string']);
  assert.ok(texts.every((text) => text === ''));
});
