// What the page weighs: its scripts before a lab is opened, and the wasm module, as they cross a network. Sizes decide;
// the time until it is of use is printed, and decides nothing.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { launchBrowser, pageFolder, untilReady, withPage } from './support/browser-page.mjs';

const budgets = { script: 100_000, wasm: 250_000 };

let browser;
before(async () => (browser = await launchBrowser()));
after(() => browser?.close());

const weight = async (file) => gzipSync(await readFile(path.join(pageFolder, file)), { level: 9 }).length;

test('the whole page, scrolled to its end, loads at most 100 kB of JavaScript and 250 kB of wasm, gzipped', async () => {
  await withPage(browser, { fragment: '' }, async (page) => {
    const loaded = new Set();
    page.on('response', (response) => loaded.add(new URL(response.url()).pathname.slice(1)));
    await page.reload();
    await untilReady(page);
    const usable = await page.evaluate(() => performance.now());
    for (const section of await page.$$('main > section')) {
      await section.evaluate((element) => element.scrollIntoView());
      await page.waitForFunction((element) => element.querySelector(':not(:defined)') === null, {}, section);
    }
    await page.waitForNetworkIdle();
    const scripts = [...loaded].filter((file) => /\.m?js$/.test(file));
    assert.ok(scripts.includes('main.js') && scripts.includes('worker.js') && scripts.length > 5, scripts.join(' '));
    const sizes = await Promise.all(scripts.map(weight));
    const script = sizes.reduce((sum, size) => sum + size, 0);
    const wasm = await weight('vitrine-module.wasm');
    console.log(`scripts ${script} bytes gzipped, wasm ${wasm}; usable ${usable.toFixed(0)} ms after navigation`);
    assert.ok(script <= budgets.script, `scripts: ${script} bytes: ${scripts.map((file, i) => `${file} ${sizes[i]}`).join(', ')}`);
    assert.ok(wasm <= budgets.wasm, `wasm: ${wasm} bytes`);
  });
});
