// What the page weighs as it crosses a network: its scripts with every section, the one that Emscripten makes among them,
// and the wasm module. Sizes decide; the time until it is of use is printed, no more.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { inside, launchBrowser, pageFolder, untilReady, withPage } from './support/browser-page.mjs';

/** Bytes, gzipped: all scripts before a lab is opened, and the module. */
const budgets = { scripts: 100_000, wasm: 250_000 };

let browser;
before(async () => (browser = await launchBrowser()));
after(() => browser?.close());

const weight = async (file) => gzipSync(await readFile(path.join(pageFolder, file)), { level: 9 }).length;

/** The scripts that the page has loaded so far: their sum, and each with its own. */
async function scripts(page) {
  const loaded = await page.evaluate(() => performance.getEntriesByType('resource').map((entry) => entry.name));
  // What the worker itself loads is told to nobody but the worker.
  const files = [...new Set([...loaded.map((url) => new URL(url).pathname.slice(1)), 'vitrine-module.mjs'])];
  const names = files.filter((file) => /\.m?js$/.test(file));
  for (const name of ['main.js', 'worker.js']) assert.ok(names.includes(name), `${name} is among ${names.join(' ')}`);
  const sizes = await Promise.all(names.map(weight));
  return {
    count: names.length,
    sum: sizes.reduce((sum, size) => sum + size, 0),
    list: names.map((name, index) => `${name} ${sizes[index]}`).join(', '),
  };
}

/** When the last byte arrived that the worker asked for, in milliseconds since 1970. */
const lastByte = (page) =>
  page.workers()[0].evaluate(() => {
    const ends = performance.getEntriesByType('resource').map(({ responseEnd }) => responseEnd);
    return performance.timeOrigin + Math.max(...ends);
  });

test('scripts with every section stay below 100 kB, wasm below 250 kB', async () => {
  await withPage(browser, { fragment: '' }, async (page) => {
    await untilReady(page);
    const usable = await page.evaluate(() => performance.timeOrigin + performance.now());
    const opened = await scripts(page);
    for (const section of await page.$$('main > section')) {
      await section.evaluate((element) => element.scrollIntoView());
      await page.waitForFunction((element) => element.querySelector(':not(:defined)') === null, {}, section);
    }
    await inside(page, 'vitrine-lanes >>> vitrine-line-chart', 'canvas');
    const all = await scripts(page);
    const wasm = await weight('vitrine-module.wasm');
    console.log(`gzipped: scripts ${opened.sum} bytes, ${all.sum} with every section, wasm ${wasm}`);
    const begun = await page.evaluate(() => performance.timeOrigin);
    console.log(`usable ${(usable - begun).toFixed(0)} ms after navigation, ${(usable - (await lastByte(page))).toFixed(0)} ms after the last byte`);
    assert.ok(all.count > opened.count + 3, `${opened.count} scripts, then ${all.count}`);
    assert.ok(all.sum <= budgets.scripts, `${all.sum} bytes: ${all.list}`);
    assert.ok(wasm <= budgets.wasm, `wasm: ${wasm} bytes`);
  });
});
