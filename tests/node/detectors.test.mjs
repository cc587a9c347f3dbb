// `vitrine detectors` over the shell bundle, in both builds, held against the tables of docs/exactness.md.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { scratch, vitrine } from './support/command-line.mjs';

const bundle = 'web/models/shell';

/** The rows of the table of mutations: { name, caught_by } in its order. */
function documented() {
  const text = readFileSync('docs/exactness.md', 'utf8');
  const table = text.slice(text.indexOf('\n## The mutations'), text.indexOf('\n## What is done'));
  const rows = table.matchAll(/^\| `(\w+)` \|(?:[^|]*\|){2}([^|]*)\|/gm);
  return [...rows].map(([, name, names]) => ({ name, caught_by: [...names.matchAll(/`(\w+)`/g)].map(([, found]) => found) }));
}

for (const build of ['native', 'wasm']) {
  test(`every mutation is caught by the detectors that the document names, and the healthy model by none (${build})`, () => {
    const { status, json } = vitrine(build, ['detectors', '--bundle', bundle, '--json']);
    const report = json();
    assert.deepEqual(report.healthy, []);
    assert.deepEqual(report.mutations, documented());
    assert.equal(report.mutations.length, 13);
    assert.equal(status, 0);
  });
}

test('as text, each mutation stands with its owner and with what each detector saw', () => {
  const { status, stdout } = vitrine('native', ['detectors', '--bundle', bundle]);
  assert.equal(status, 0);
  assert.match(stdout, /^healthy model +quiet\n/);
  assert.match(stdout, /^heads_grouped_by_modulo +src\/layers\/attention\.hpp +caught\n +self_test +logits after .*: expected SHA-256 [0-9a-f]{64}, found [0-9a-f]{64}\n/m);
  assert.match(stdout, /^ +every_prompt_length +the token after a prompt of 17, logit 0: expected \S+ \(0x[0-9A-F]{8}\), found \S+ \(0x[0-9A-F]{8}\)\n/m);
  assert.match(stdout, /\n13 of 13 mutations caught\n$/);
});

test('a bundle without a self-test vector is not healthy, though it serves: the document, the help and the report say so', (t) => {
  const copy = join(scratch(t), 'shell');
  cpSync(bundle, copy, { recursive: true });
  const { self_test, ...manifest } = JSON.parse(readFileSync(join(copy, 'manifest.json'), 'utf8'));
  assert.ok(self_test);
  writeFileSync(join(copy, 'manifest.json'), JSON.stringify(manifest));
  assert.match(vitrine('native', ['inspect', '--bundle', copy]).stdout, /no self-test/);
  const asJson = vitrine('native', ['detectors', '--bundle', copy, '--json']);
  assert.deepEqual([asJson.status, asJson.json().healthy], [1, ['self_test']]);
  assert.deepEqual(
    asJson.json().mutations.filter(({ caught_by }) => caught_by.length === 0).map(({ name }) => name),
    documented().filter(({ caught_by }) => String(caught_by) === 'self_test').map(({ name }) => name),
  );
  const asText = vitrine('native', ['detectors', '--bundle', copy]);
  assert.equal(asText.status, 1);
  const seen = 'expected a self-test vector, found none';
  assert.match(asText.stdout, new RegExp(`^healthy model +NOT QUIET\n +self_test +manifest\.json: ${seen}\n`));
  assert.match(readFileSync('docs/exactness.md', 'utf8'), new RegExp(seen));
  assert.match(vitrine('native', ['detectors', '--help']).stdout, /without a\s+self-test vector does not pass/);
});
