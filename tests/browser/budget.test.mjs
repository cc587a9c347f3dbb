// What the page weighs as it crosses a network: its scripts before a lab is opened, and the engine, which is the wasm
// module and the script that Emscripten makes beside it. Sizes decide; the time until it is of use is printed, no more.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { inside, launchBrowser, pageFolder, untilReady, withPage } from './support/browser-page.mjs';

const budgets = { script: 100_000, engine: 250_000 };
const engineFiles = ['vitrine-module.wasm', 'vitrine-module.mjs'];

let browser;
before(async () => (browser = await launchBrowser()));
after(() => browser?.close());

const weight = async (file) => gzipSync(await readFile(path.join(pageFolder, file)), { level: 9 }).length;

test('the whole page, scrolled to its end, loads at most 100 kB of JavaScript and an engine of 250 kB, gzipped', async () => {
  await withPage(browser, { fragment: '' }, async (page) => {
    await untilReady(page);
    const usable = await page.evaluate(() => performance.now());
    for (const section of await page.$$('main > section')) {
      await section.evaluate((element) => element.scrollIntoView());
      await page.waitForFunction((element) => element.querySelector(':not(:defined)') === null, {}, section);
    }
    await inside(page, 'vitrine-lanes >>> vitrine-line-chart', 'canvas');
    const loaded = await page.evaluate(() => performance.getEntriesByType('resource').map((entry) => entry.name));
    const scripts = [...new Set(loaded.map((url) => new URL(url).pathname.slice(1)))].filter((file) => /\.js$/.test(file));
    assert.ok(scripts.includes('main.js') && scripts.includes('worker.js') && scripts.length > 10, scripts.join(' '));
    const weigh = async (files) => {
      const sizes = await Promise.all(files.map(weight));
      const list = files.map((file, index) => `${file} ${sizes[index]}`).join(', ');
      return { total: sizes.reduce((sum, size) => sum + size, 0), list };
    };
    const [script, engine] = await Promise.all([weigh(scripts), weigh(engineFiles)]);
    console.log(`scripts ${script.total} bytes gzipped, engine ${engine.list}; usable ${usable.toFixed(0)} ms after navigation`);
    assert.ok(script.total <= budgets.script, `scripts: ${script.total} bytes: ${script.list}`);
    assert.ok(engine.total <= budgets.engine, `engine: ${engine.total} bytes: ${engine.list}`);
  });
});
