// The golden hashes in Chromium: those of the golden program, and the shell model's texts through the shipped module.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { root } from '../../wasm/build.mjs';
import { buildPage } from '../golden/page/build.mjs';
import { compareWasm } from '../run-golden.mjs';
import { launchBrowser, withPage } from './support/browser-page.mjs';

let browser;
let folder;
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'vitrine-golden-'));
  buildPage(path.join(root, 'build/wasm-release'), path.join(root, 'web/models/shell'), folder);
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await rm(folder, { recursive: true, force: true });
});

test('the golden program and the shipped module make the recorded bits in this browser', async () => {
  await withPage(browser, { folder }, async (page) => {
    const found = await (await page.waitForFunction(() => globalThis.golden)).jsonValue();
    assert.equal(found.error, undefined);
    const { equal, differences } = compareWasm(found);
    assert.deepEqual(differences, []);
    assert.ok(equal > 70, `${equal} entries were compared`);
  });
});
