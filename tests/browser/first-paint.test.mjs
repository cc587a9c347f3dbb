// The page's first paint in Chromium: a recorded run while the model loads, and the live model in its place without a
// jump; and what is told when the module's own files are cut, wrong or absent.
import assert from 'node:assert/strict';
import { readFile, rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { recordingFile } from '../../web/record.mjs';
import { copyOfPage, holdBack, inside, launchBrowser, textOf, untilReady, untilText, weights, withPage } from './support/browser-page.mjs';

let browser;
let recording;
before(async () => {
  recording = JSON.parse(await readFile(recordingFile, 'utf8'));
  browser = await launchBrowser();
});
after(() => browser?.close());

const ghost = (page) =>
  page.$eval('vitrine-autocomplete >>> .mirror', (mirror) =>
    [...mirror.querySelectorAll('[data-ghost], [data-comment]')].map((part) => part.textContent).join(''),
  );

/** The sum of all shifts that nobody's input caused, as browsers score them. */
const layoutShift = (page) =>
  page.evaluate(
    () =>
      new Promise((resolve) => {
        const sum = (list) => list.filter((entry) => !entry.hadRecentInput).reduce((total, entry) => total + entry.value, 0);
        let told = 0;
        const observer = new PerformanceObserver((list) => (told += sum(list.getEntries())));
        observer.observe({ type: 'layout-shift', buffered: true });
        setTimeout(() => resolve(told + sum(observer.takeRecords())), 500);
      }),
  );

for (const width of [1280, 320]) {
  test(`a recorded run is shown first, said to be one, and gives way to the live model without a jump, ${width} px`, async () => {
    let held;
    const prepare = async (page) => (held = await holdBack(page, weights));
    await withPage(browser, { fragment: '', width, prepare }, async (page) => {
      const box = await inside(page, 'vitrine-autocomplete', 'textarea');
      assert.equal(await box.evaluate((area) => area.value), recording.text);
      await untilText(page, 'vitrine-autocomplete', '[data-recorded]', /recorded with shell/);
      await untilText(page, 'vitrine-proof', '[data-recorded]', /recorded with shell/);
      const recorded = await ghost(page);
      assert.equal(recorded, recording.completion.text);
      assert.equal(
        await textOf(page, 'vitrine-proof', '[data-parity]'),
        `${recording.result.ids.length} of ${recording.result.ids.length} tokens identical, 0 bits differ`,
      );
      await held.release();
      await untilReady(page);
      await page.waitForFunction(
        () => !document.querySelector('vitrine-proof').shadowRoot.querySelector('[data-recorded]'),
      );
      assert.equal(await page.$('vitrine-autocomplete >>> [data-recorded]'), null);
      assert.equal(await ghost(page), recorded, 'the live model says what was recorded');
      const shift = await layoutShift(page);
      console.log(`layout shift at ${width} px: ${shift}`);
      assert.ok(shift < 0.005, `layout shift: ${shift}`);
    });
  });
}

test('a recorded suggestion can be taken before the model is there', async () => {
  let held;
  const prepare = async (page) => (held = await holdBack(page, weights));
  await withPage(browser, { fragment: '', prepare }, async (page) => {
    await (await inside(page, 'vitrine-autocomplete', '[data-ghost]')).evaluate((part) => part.textContent);
    await (await inside(page, 'vitrine-autocomplete', 'textarea')).click();
    await page.keyboard.press('Tab');
    const value = await page.$eval('vitrine-autocomplete >>> textarea', (box) => box.value);
    assert.equal(value, recording.text + recording.completion.text);
    await held.release();
    await untilReady(page);
  });
});

/** What the page tells when a file of the module was damaged. */
async function alertAfter(damage) {
  const { folder, remove } = await copyOfPage();
  try {
    await damage(path.join(folder, 'vitrine-module.wasm'), path.join(folder, 'vitrine-module.mjs'));
    let text = '';
    await withPage(browser, { folder, errors: 'any' }, async (page) => {
      text = await textOf(page, 'vitrine-autocomplete', '[role=alert]');
    });
    return text;
  } finally {
    await remove();
  }
}

test('a wasm module that was cut short is told with its name, what was expected and what was found', async () => {
  const text = await alertAfter((wasm) => truncate(wasm, 1000));
  assert.match(text, /file_unreadable: engine: vitrine-module\.wasm \(http:.*\): expected \d{6,} bytes, found 1000/);
});

test('a wasm module of the right length that is another one is told by its hash', async () => {
  const text = await alertAfter(async (wasm) => {
    const bytes = await readFile(wasm);
    bytes.fill(0, 8, 64);
    await writeFile(wasm, bytes);
  });
  assert.match(text, /file_unreadable: engine: vitrine-module\.wasm \(http:.*\): expected SHA-256 [0-9a-f]{64}, found [0-9a-f]{64}/);
});

test('a file of the module that is not there is told', async () => {
  assert.match(await alertAfter((wasm) => rm(wasm)), /file_not_found: engine: vitrine-module\.wasm .* found 404/);
  assert.match(await alertAfter((_, script) => rm(script)), /file_not_found: engine: vitrine-module\.mjs .* found 404/);
});
