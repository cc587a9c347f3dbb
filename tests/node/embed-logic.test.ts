// What embedding and labs decide without a document: what an address says, what a lesson holds, what is kept of a result.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';

import { readAppearance, readFrame } from '../../web/src/frame-messages';
import { forgetResult, keepResult, recallResult, type LabResult } from '../../web/src/state/lab-record';
import { lesson, paragraphs, passMark } from '../../web/src/elements/lesson';
import { fill, replaceMessages } from '../../web/src/messages';
import { decimal } from '../../web/src/views/math';

const ours = 'https://files.example';

test('an address is read with its element, appearance and the one origin that the frame talks to', () => {
  const query = '?element=vitrine-lab&name=rope&theme=dark&lang=de-AT&dir=rtl&hide=hint,quiz&origin=https%3A%2F%2Fcourse.example%2Fpage';
  assert.deepEqual(readFrame(query, ours), {
    element: 'vitrine-lab',
    theme: 'dark',
    lang: 'de-AT',
    dir: 'rtl',
    hide: 'hint quiz',
    origin: 'https://course.example',
    attributes: [['name', 'rope']],
  });
});

test('what an address says wrongly is as it is by default', () => {
  const wrong = readFrame('?theme=pink&lang=%22%3E%3Cscript&dir=up&origin=nowhere', ours);
  assert.deepEqual(
    [wrong.theme, wrong.lang, wrong.dir, wrong.origin, wrong.element],
    ['auto', 'en', 'ltr', ours, 'vitrine-autocomplete'],
  );
  // An opaque origin would let every sandboxed page in.
  assert.notEqual(readFrame('?origin=data:text/html,x', ours).origin, 'null');
  assert.deepEqual(readAppearance(new URLSearchParams()), { theme: 'auto', lang: 'en', dir: 'ltr' });
});

const texts = {
  title: 'T',
  question: 'Q',
  hint: 'H',
  task: 'Do',
  reasoning: 'One.\n\nTwo.',
  q1: 'First?',
  q1a: 'no',
  q1b: 'yes',
  q1why: 'So.',
  q2: 'Second?',
  q2a: 'yes',
  q2b: 'no',
  q2c: 'perhaps',
  q2why: 'Thus.',
};

test("a lesson's questions are made of its texts, and of those that replace them", () => {
  const made = lesson('test', texts, ['b', 'a'], () => assert.fail('no figure is drawn here'));
  assert.deepEqual(made.quiz(), [
    { prompt: 'First?', options: ['no', 'yes'], right: 1, why: 'So.' },
    { prompt: 'Second?', options: ['yes', 'no', 'perhaps'], right: 0, why: 'Thus.' },
  ]);
  replaceMessages({ 'lab-test.q1b': 'ja' });
  assert.deepEqual(made.quiz()[0]?.options, ['no', 'ja']);
  assert.deepEqual(paragraphs(texts.reasoning), ['One.', 'Two.']);
  assert.equal(Math.ceil(5 * passMark), 4);
});

test('numbers in formulas have a true minus sign, and no negative zero', () => {
  assert.deepEqual([-1.5, 0.00001, -0.00001, null].map((value) => decimal(value, 2)), ['\u22121.50', '0.00', '0.00', '\u2212\u221e']);
});

const stored = new Map<string, string>();
const storage = {
  getItem: (key: string) => stored.get(key) ?? null,
  setItem: (key: string, value: string) => void stored.set(key, value),
  removeItem: (key: string) => void stored.delete(key),
};
afterEach(() => {
  stored.clear();
  Reflect.deleteProperty(globalThis, 'localStorage');
});
const provide = (value: unknown): void => void Object.defineProperty(globalThis, 'localStorage', { value, configurable: true });

const result = (score: number): LabResult => ({ lab: 'rope', score, passed: score >= passMark, answers: [1], predicted: 'p' });

test('the best result of a lab is kept, and can be forgotten', () => {
  provide(storage);
  keepResult(result(0.8));
  keepResult(result(0.4));
  assert.deepEqual(recallResult('rope'), result(0.8));
  assert.equal(recallResult('parity'), null);
  forgetResult('rope');
  assert.equal(recallResult('rope'), null);
});

test('what is kept is believed only if it is a result of that lab, and storage that fails costs nothing', () => {
  provide(storage);
  for (const text of ['{', 'null', '7', '{"lab":"rope"}', JSON.stringify({ ...result(7) }), JSON.stringify({ ...result(1), lab: 'other' })]) {
    stored.set('vitrine-lab-rope', text);
    assert.equal(recallResult('rope'), null, text);
  }
  provide({ getItem: () => assert.fail('denied'), setItem: () => assert.fail('denied'), removeItem: () => assert.fail('denied') });
  keepResult(result(1));
  forgetResult('rope');
  assert.equal(recallResult('rope'), null);
});

test('a value stands isolated in a text that runs from right to left, and as it is in any other', () => {
  assert.equal(fill('{share} of {all}', { share: '34.5 %', all: 7 }), '34.5 % of 7');
  assert.equal(fill('{share} \u05de\u05ea\u05d5\u05da {all}', { share: '34.5 %', all: 7 }), '\u206834.5 %\u2069 \u05de\u05ea\u05d5\u05da \u20687\u2069');
});
