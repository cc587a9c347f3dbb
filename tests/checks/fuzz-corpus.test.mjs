// The corpus of the fuzz targets as it stands, held against the script that makes it. What its inputs do is for
// tests/fuzz/corpus_test.cpp to see.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';

import { makeCorpus, readCorpus } from '../fuzz/make-corpus.mjs';

test('the corpus is what tests/fuzz/make-corpus.mjs makes, findings aside', () => {
  const made = makeCorpus();
  const there = readCorpus();
  const wrong = [...new Set([...made.keys(), ...there.keys()])].filter((path) => !made.has(path) || !there.has(path) || !made.get(path).equals(there.get(path)));
  assert.deepEqual(wrong, [], 'run node tests/fuzz/make-corpus.mjs');
});

test('every target has its corpus and its dictionary, and they have their target', () => {
  const names = (folder, ending) => readdirSync(new URL(folder, import.meta.url)).filter((name) => name.endsWith(ending)).map((name) => name.slice(0, name.length - ending.length)).sort();
  const targets = names('../fuzz', '.cpp').filter((name) => !name.endsWith('_test'));
  assert.deepEqual(readdirSync(new URL('../fuzz/corpus', import.meta.url)).sort(), targets);
  assert.deepEqual(names('../fuzz/dictionaries', '.dict'), targets);
});

test('no input is large', () => {
  for (const [path, bytes] of makeCorpus()) assert.ok(bytes.length <= 16384, `${path}: ${bytes.length} bytes`);
});
