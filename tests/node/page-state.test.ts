// What a visitor sets: as typed and as it is sent, and in an address and back. No browser.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import type { VitrineStates } from '../../web/src/public-types';
import { noFault } from '../../web/src/runs/fault-trial';
import { placeOf, readState, saysSomething, writeState } from '../../web/src/state/address';
import { bundleDifferences, bundleMark } from '../../web/src/state/bundle-mark';
import { forms, type Stateful } from '../../web/src/state/element-states';
import { exampleText } from '../../web/src/state/example-text';
import { fieldOf, initialFields, numberOrText, policyOptions } from '../../web/src/state/policy-fields';
import { initialSampling } from '../../web/src/state/sampling-fields';

test('what is typed as a number is sent as one, and anything else as it is', () => {
  const numbers = {
    ...initialFields.numbers,
    temperature: ' 0.5 ',
    top_k: 'many',
    top_p: '',
    min_p: '1e-2',
    seed: 'NaN',
  };
  assert.deepEqual(policyOptions({ mode: 'sample', numbers, stop: '' }), {
    mode: 'sample',
    temperature: 0.5,
    top_k: 'many',
    min_p: 0.01,
    seed: 'NaN',
    max_new_tokens: 48,
  });
});

test('a number that JavaScript would round is sent as it was typed, for the engine to refuse', () => {
  assert.deepEqual(['9007199254740991', '9007199254740992', '9007199254740993', '-9007199254740993', '9007199254740993e0', '1e400'].map(numberOrText), [
    Number.MAX_SAFE_INTEGER,
    '9007199254740992',
    '9007199254740993',
    '-9007199254740993',
    '9007199254740993e0',
    '1e400',
  ]);
});

test('mode greedy gives no option that only sampling has', () => {
  assert.deepEqual(policyOptions({ ...initialFields, mode: 'greedy' }), { mode: 'greedy', max_new_tokens: 48 });
});

test('stop strings are one a line, with escapes', () => {
  const { stop } = policyOptions({ ...initialFields, stop: '  #\n\\n\nback\\\\slash' }) as { stop: string[] };
  assert.deepEqual(stop, ['  #', '\n', 'back\\slash']);
});

test('an error is shown at the field that it names', () => {
  assert.equal(fieldOf('policy.top_p: expected a number in (0, 1], found 7'), 'top_p');
  assert.equal(fieldOf('"max_new_tokens": expected 1 or more'), 'max_new_tokens');
  assert.equal(fieldOf('stop: expected texts'), 'stop');
  assert.equal(fieldOf('prompt: expected at least one token'), null);
});

const numbers = { ...initialFields.numbers, seed: '42', top_p: '' };
/** Of each element something that a visitor may set, and nothing that it has by itself. */
const set: VitrineStates = {
  'vitrine-autocomplete': { text: 'git commit -m "a & b"' },
  'vitrine-generator': { prompt: 'tar #1 ', fields: { mode: 'greedy', numbers, stop: 'a\nb' } },
  'vitrine-parity': { prompt: 'ls', tokens: '20', seed: '' },
  'vitrine-lanes': { prompt: 'kubectl get' },
  'vitrine-sampling': {
    prompt: 'npm',
    fields: { numbers: { ...initialSampling.numbers, min_p: '', penalty_window: '8', seed: '9' }, penaltyPrompt: true },
    tokens: 11,
  },
  'vitrine-inside': { text: 'ls -la', position: 2 },
  'vitrine-faults': { fault: 'rope_twice' },
  'vitrine-training': { text: 'one\ntwo', way: 'overfit', steps: '12', seed: '3' },
};
const places = (Object.keys(set) as Stateful[]).map((name, index) => placeOf(name, `${index}.`));

test('an element begins by itself as an address that says nothing has it', () => {
  interface Declaration {
    tagName: string;
    members: Array<{ name: string; default?: string }>;
  }
  const { modules } = JSON.parse(readFileSync('custom-elements.json', 'utf8')) as { modules: Array<{ declarations: Declaration[] }> };
  const declarations = modules.flatMap((module) => module.declarations);
  /** What the constructors call by name. */
  const named: Record<string, unknown> = { noFault, initialFields, initialSampling, exampleText };
  for (const { name } of places) {
    const members = declarations.find(({ tagName }) => tagName === name)?.members ?? [];
    const begins = (key: string): unknown => {
      const written = members.find((member) => member.name === key)?.default ?? '';
      return written in named ? named[written] : JSON.parse(written.replaceAll("'", '"'));
    };
    const own = Object.keys(forms[name].initial).map((key) => [key, begins(key)]);
    assert.deepEqual(Object.fromEntries(own), forms[name].initial, name);
  }
});

test('one address carries the state of every element and gives it back', () => {
  const values = new URLSearchParams();
  for (const place of places) writeState(place, set[place.name], values);
  const read = new URLSearchParams(`${values}`);
  for (const place of places) assert.deepEqual(readState(place, read), set[place.name], place.name);
});

test('an address does not say what is as it is at first', () => {
  const values = new URLSearchParams('mine=1');
  const page = placeOf('vitrine-autocomplete', '', { text: 'docker run --' });
  for (const place of [...places, page]) {
    const initial = readState(place, new URLSearchParams());
    writeState(place, initial, values);
    assert.deepEqual(readState(place, values), initial, place.name);
  }
  assert.equal(`${values}`, 'mine=1');
  assert.deepEqual(readState(page, values), { text: 'docker run --' });
  writeState(page, { text: '' }, values);
  assert.equal(`${values}`, 'mine=1&text=');
});

test('a text that is too long for an address is not carried, and what stood there goes', () => {
  const place = placeOf('vitrine-training');
  const training = set['vitrine-training'];
  const values = new URLSearchParams();
  for (const [text, isCarried] of [['a'.repeat(3900), true], ['a'.repeat(4001), false], ['\u4f60'.repeat(500), false]] as const) {
    writeState(place, training, values);
    writeState(place, { ...training, text }, values);
    assert.equal(values.get('text'), isCarried ? text : null);
    assert.deepEqual([values.get('way'), values.get('steps'), values.get('seed')], ['overfit', '12', '3']);
  }
});

test('an address that says what is none is read as at first, and a position that is none is left for its element to refuse', () => {
  const state = (name: Stateful, query: string) => readState(placeOf(name), new URLSearchParams(query));
  assert.deepEqual(state('vitrine-generator', 'mode=nonsense&unknown=1'), { prompt: 'docker run', fields: initialFields });
  assert.deepEqual(state('vitrine-training', 'way=sideways'), state('vitrine-training', ''));
  assert.deepEqual(state('vitrine-inside', 'position=-1'), { text: 'docker run --rm -it', position: -1 });
  assert.deepEqual(state('vitrine-inside', 'position=abc'), { text: 'docker run --rm -it', position: 'abc' });
});

test('an address that names a place of the page carries no state', () => {
  const carries = (fragment: string): boolean => saysSomething([placeOf('vitrine-generator'), placeOf('vitrine-lanes', 'lanes.')], new URLSearchParams(fragment));
  assert.deepEqual(['try', '', 'seed=3', 'prompt=', 'lanes.prompt=x'].map(carries), [false, false, true, true, true]);
});

test('a bundle that differs from the one of an address is told by part, and the same one is not', () => {
  const part = (name: string, hash: string) => ({ name, file: name, bytes: 1, sha256: hash.repeat(64) });
  const loaded = [part('weights', 'a'), part('tokenizer', 'b')];
  assert.equal(bundleMark(loaded), 'weights.aaaaaaaa*tokenizer.bbbbbbbb');
  assert.deepEqual(bundleDifferences(bundleMark(loaded), loaded), []);
  assert.deepEqual(bundleDifferences('', loaded), []);
  assert.deepEqual(bundleDifferences('weights.cccccccc*template.dddddddd', loaded), [
    ['weights', 'cccccccc', 'aaaaaaaa'],
    ['template', 'dddddddd', ''],
    ['tokenizer', '', 'bbbbbbbb'],
  ]);
});
