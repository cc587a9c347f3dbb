// The elements are what web/src/public-types.ts says that they are, and a consumer without our libraries can compile with
// the package's types. The first is held by the compiler: this file does not compile otherwise.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';

import type { VitrineAutocomplete } from '../../web/src/elements/autocomplete';
import type { VitrineCache } from '../../web/src/elements/cache';
import type { VitrineFaults } from '../../web/src/elements/faults';
import type { VitrineGenerator } from '../../web/src/elements/generator';
import type { VitrineInside } from '../../web/src/elements/inside';
import type { VitrineLab } from '../../web/src/elements/lab';
import type { VitrineLanes } from '../../web/src/elements/lanes';
import type { VitrineParity } from '../../web/src/elements/parity';
import type { VitrineProof } from '../../web/src/elements/proof';
import type { VitrineSampling } from '../../web/src/elements/sampling';
import type { VitrineTraining } from '../../web/src/elements/training';
import type { ElementName, VitrineElements } from '../../web/src/public-types';

interface Classes {
  'vitrine-autocomplete': VitrineAutocomplete;
  'vitrine-generator': VitrineGenerator;
  'vitrine-proof': VitrineProof;
  'vitrine-parity': VitrineParity;
  'vitrine-lanes': VitrineLanes;
  'vitrine-cache': VitrineCache;
  'vitrine-sampling': VitrineSampling;
  'vitrine-inside': VitrineInside;
  'vitrine-faults': VitrineFaults;
  'vitrine-training': VitrineTraining;
  'vitrine-lab': VitrineLab;
}

/** Names of elements whose class lacks something that is promised. */
type Broken = { [N in ElementName]: Classes[N] extends VitrineElements[N] ? never : N }[ElementName];
const noneBroken: [Broken] extends [never] ? true : Broken = true;

const root = resolve('.');
const compiler = join(root, 'node_modules/typescript/bin/tsc');
let folder: string;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'vitrine-consumer-'));
  execFileSync(process.execPath, ['web/build-package.mjs', 'types'], { cwd: root });
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules/vitrine'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** Bundlers resolve imports by one rule and Node by another: a consumer may have either. The first that fails tells. */
function compile(source: string): { status: number | null; stdout: string } {
  writeFileSync(join(folder, 'app.ts'), source);
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const results = [['esnext', 'bundler'], ['nodenext', 'nodenext']].map(([module, resolution]) => {
    const options = ['--noEmit', '--strict', '--module', `${module}`, '--moduleResolution', `${resolution}`, '--target', 'es2022'];
    const args = [compiler, ...options, '--lib', 'es2023,dom,dom.iterable', '--types', '', '--preserveSymlinks', 'app.ts'];
    return spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  });
  return results.find(({ status }) => status !== 0) ?? { status: 0, stdout: '' };
}

test('the compiler held the elements to their public types', () => {
  assert.ok(noneBroken);
});

test("a consumer's TypeScript knows elements and events from the package alone", () => {
  const { status, stdout } = compile(`
    import { define, replaceMessages, type LabResult } from 'vitrine';
    const lab = document.createElement('vitrine-lab');
    lab.name = 'rope';
    document.addEventListener('vitrine-lab-result', ({ detail }) => { const result: LabResult = detail; result.score.toFixed(2); });
    replaceMessages({ 'lab.reveal': 'Zeigen' });
    void define('vitrine-lab');
  `);
  assert.equal(status, 0, stdout);
});

test('a wrong use does not compile', () => {
  const { status, stdout } = compile(`
    import { define } from 'vitrine';
    void define('vitrine-nothing');
    document.createElement('vitrine-lab').name = 7;
  `);
  assert.notEqual(status, 0);
  assert.match(stdout, /vitrine-nothing/);
  assert.match(stdout, /TS2322/);
});
