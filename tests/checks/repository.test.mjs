// The repository itself, held against every structural check. The checks' own tests are in checks.test.mjs.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { machines } from '../machines.mjs';
import { checkErrorLists, checkLinks, checkMachines, checkMutations, checkPackages, checkReadmeTree, checkVersion } from './documents.mjs';
import { checkLayers, checkWebLayers } from './layers.mjs';
import { checkGolden, checkMirror, checkTwins } from './mirror.mjs';
import { checkRegister } from './register.mjs';
import { checkAscii, checkForbidden, checkLength, checkOpenings, checkPlaces } from './sources.mjs';
import { files, readTree } from './tree.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const tree = readTree(root);

const checks = {
  'the layers of src/ include downwards only': checkLayers,
  'the folders of web/src import downwards only': checkWebLayers,
  'every source has its test': checkMirror,
  'every kernel has its double twin': checkTwins,
  'every kernel is among the golden results': checkGolden,
  'sources are ASCII': checkAscii,
  'every source begins with a sentence about itself': checkOpenings,
  'no source file is longer than a reader takes in': checkLength,
  'nothing in the sources breaks the contract of exactness or the silence of the library': checkForbidden,
  'no file names a path of one machine or the host of a registry': checkPlaces,
  'links in documents lead somewhere': checkLinks,
  'the tree in the README is the tree': checkReadmeTree,
  'C++, TypeScript and the documents know the same error codes': checkErrorLists,
  'the product has one version': checkVersion,
  'the code and the document know the same faults and detectors': checkMutations,
  'the document tells of every machine that can be reached': (files) => checkMachines(files, machines.map(({ name }) => name)),
  'every field input has a test case that exists, or a reason': checkRegister,
  'packages have exact versions, hashes and no addresses': checkPackages,
};

for (const [name, check] of Object.entries(checks)) {
  test(name, () => {
    const problems = check(tree);
    assert.equal(problems.length, 0, `\n  ${problems.join('\n  ')}`);
  });
}

test('C++ sources are laid out by clang-format 14', (t) => {
  if (spawnSync('clang-format-14', ['--version']).error) return t.skip('clang-format-14 is not installed');
  const sources = files(tree, /^(src|tests|wasm)\/.*\.(hpp|cpp)$/).map(([path]) => path);
  const { status, stderr } = spawnSync('clang-format-14', ['--dry-run', '--Werror', ...sources], { cwd: root, encoding: 'utf8' });
  const wrong = [...new Set([...stderr.matchAll(/^(\S+?):\d+:\d+: error/gm)].map((found) => found[1]))];
  assert.equal(status, 0, `run npm run format; it would change:\n  ${wrong.join('\n  ') || stderr}`);
});

test('shell scripts are valid bash', () => {
  for (const [path] of files(tree, /\.sh$|^\.ci\/run$/)) {
    const { status, stderr } = spawnSync('bash', ['-n', path], { cwd: root, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  }
});
