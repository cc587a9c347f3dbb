// The program of README.md's section "From Node", run as it stands there by an application that has the package.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { root } from '../../wasm/build.mjs';

test('the program of the README completes a command in Node, and finds no bit that differs', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'vitrine-application-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const [, program] = /## From Node\n[\s\S]*?```js\n([\s\S]*?)```/.exec(await readFile(path.join(root, 'README.md'), 'utf8')) ?? [];
  assert.ok(program, 'README.md: expected a program after "## From Node"');
  await mkdir(path.join(folder, 'node_modules'));
  await symlink(root, path.join(folder, 'node_modules/vitrine'));
  await writeFile(path.join(folder, 'program.mjs'), program);
  const { stdout } = await promisify(execFile)(process.execPath, ['program.mjs'], { cwd: folder });
  assert.match(stdout, /^stop-timeout <int>.* 0 bits differ in \d{6,} logits\n$/);
});
