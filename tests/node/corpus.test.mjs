// The corpus of the shell bundle, made anew: the same bytes as recorded, and the rules that its README states.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';

const shell = 'web/models/shell';
let folder;
const read = (name) => readFileSync(path.join(folder, name), 'utf8');
const linesOf = (name) => read(name).split('\n').slice(0, -1);

before(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'vitrine-corpus-'));
  execFileSync(process.execPath, [`${shell}/make-corpus.mjs`, '--out', folder]);
});
after(() => rmSync(folder, { recursive: true, force: true }));

test('the script makes the bytes that were recorded', () => {
  assert.deepEqual(JSON.parse(read('corpus.json')), JSON.parse(readFileSync(`${shell}/corpus.json`, 'utf8')));
});

test('no held-out line is a training line, and no line occurs twice', () => {
  const training = new Set(linesOf('train.txt'));
  const heldOut = linesOf('held-out.txt');
  assert.equal(training.size, linesOf('train.txt').length);
  assert.equal(new Set(heldOut).size, heldOut.length);
  assert.deepEqual(
    heldOut.filter((line) => training.has(line)),
    [],
  );
  const share = heldOut.length / (heldOut.length + training.size);
  assert.ok(share > 0.045 && share < 0.055, `held out: ${share}`);
});

test('the novel part of the held-out lines has descriptions that no training line has', () => {
  const description = (line) => line.slice(line.indexOf('  # ') + 4);
  const known = new Set(linesOf('train.txt').map(description));
  const novel = linesOf('held-out-novel.txt');
  assert.ok(novel.length > 500);
  assert.deepEqual(
    novel.filter((line) => known.has(description(line))),
    [],
  );
});

test('every line is a command with its description, ASCII, at most 200 bytes, and no tool has more than 300', () => {
  const lines = [...linesOf('train.txt'), ...linesOf('held-out.txt')];
  assert.deepEqual(
    lines.filter((line) => !/^[\x21-\x7e][\x20-\x7e]*  # [\x21-\x7e][\x20-\x7e]*$/.test(line)),
    [],
  );
  assert.deepEqual(
    lines.filter((line) => line.length > 200),
    [],
  );
  const counts = new Map();
  for (const line of lines) {
    const tool = line.slice(0, line.indexOf(' '));
    counts.set(tool, (counts.get(tool) ?? 0) + 1);
  }
  assert.deepEqual(
    [...counts].filter(([, count]) => count > 300),
    [],
  );
  assert.ok(counts.size > 600);
});
