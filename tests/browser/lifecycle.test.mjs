// What outlives what, in Chromium: elements removed while the model loads, made and destroyed fifty times, and a page that
// is left and come back to. No worker and no error may stay behind.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { build } from 'esbuild';

import { root } from '../../wasm/build.mjs';
import { copyOfPage, holdBack, inside, launchBrowser, until, untilNoWorker, untilReady, untilText, weights, withPage } from './support/browser-page.mjs';

const elements = ['autocomplete', 'generator', 'proof', 'lanes', 'cache', 'bundle', 'status'];

let browser;
let folder;
let remove;
before(async () => {
  ({ folder, remove } = await copyOfPage());
  // A page of its own: the elements, and the count of engines, which the page itself tells nobody.
  const imports = elements.map((name) => `import './elements/${name}';`).join('\n');
  await build({
    stdin: {
      contents: `${imports}\nimport { SharedEngine } from './engine/shared-engine';\nglobalThis.SharedEngine = SharedEngine;`,
      resolveDir: path.join(root, 'web/src'),
      loader: 'ts',
    },
    outfile: path.join(folder, 'elements.js'),
    bundle: true,
    format: 'esm',
    loader: { '.css': 'text' },
    target: 'es2022',
    logLevel: 'warning',
  });
  const html = '<!doctype html><html lang="en"><title>Elements</title><script type="module" src="elements.js"></script><main></main>';
  await writeFile(path.join(folder, 'elements.html'), html);
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await remove?.();
});

/** A page that has the elements' code and, as yet, none of them; `body` gets what counts engines and workers. */
function withElements(body) {
  return withPage(browser, { folder, fragment: 'elements.html' }, async (page) => {
    await page.waitForFunction(() => globalThis.SharedEngine);
    await body(page, {
      engines: () => page.evaluate(() => globalThis.SharedEngine.count),
      workers: async () => page.workers().length,
      untilNone: async () => {
        await page.waitForFunction(() => globalThis.SharedEngine.count === 0);
        await untilNoWorker(page);
      },
    });
  });
}

const tags = elements.map((name) => `vitrine-${name}`);

test('all elements of a page share one engine in one worker', async () => {
  await withElements(async (page, { engines, workers, untilNone }) => {
    assert.equal(await workers(), 0);
    await page.evaluate((names) => {
      for (const name of [...names, ...names]) document.querySelector('main').append(document.createElement(name));
    }, tags);
    await untilReady(page);
    assert.equal(await engines(), 1);
    assert.equal(await workers(), 1);
    await page.evaluate(() => document.querySelector('main').replaceChildren());
    await untilNone();
  });
});

test('elements that are removed while the model loads leave no engine, no worker and no error', async () => {
  await withElements(async (page, { untilNone }) => {
    const { release } = await holdBack(page, weights);
    await page.evaluate((names) => {
      for (const name of names) document.querySelector('main').append(document.createElement(name));
    }, tags);
    await inside(page, 'vitrine-status', '.loading');
    await page.evaluate(() => document.querySelector('main').replaceChildren());
    await release();
    await untilNone();
  });
});

test('fifty times made and destroyed, at every stage of a load, leave no engine, no worker and no error', async () => {
  await withElements(async (page, { untilNone }) => {
    for (let cycle = 0; cycle < 50; cycle += 1) {
      await page.evaluate(
        async (names, wait) => {
          const main = document.querySelector('main');
          main.replaceChildren(...names.map((name) => document.createElement(name)));
          await new Promise((resolve) => setTimeout(resolve, wait));
          main.replaceChildren();
        },
        tags,
        // From at once to long after the grace of an engine that nobody holds.
        (cycle % 10) * 40,
      );
    }
    await untilNone();
    // And the fifty-first works.
    await page.evaluate(() => {
      const box = document.createElement('vitrine-autocomplete');
      box.text = 'git comm';
      document.querySelector('main').append(box);
    });
    await untilText(page, 'vitrine-autocomplete', '[data-ghost]', /./);
    assert.equal(page.workers().length, 1);
  });
});

test('an element that is moved keeps its engine', async () => {
  await withElements(async (page, { engines }) => {
    await page.evaluate(() => document.querySelector('main').append(document.createElement('vitrine-status')));
    await untilReady(page);
    const worker = page.workers()[0];
    await page.evaluate(() => document.body.prepend(document.querySelector('vitrine-status')));
    assert.equal(await engines(), 1);
    await untilReady(page);
    assert.equal(page.workers()[0], worker);
  });
});

/** Puppeteer forbids Chromium to keep a page that is left, which it does for visitors. */
async function withKeptPages(options, body) {
  const keeping = await launchBrowser({ ignoreDefaultArgs: ['--disable-back-forward-cache'] });
  try {
    await withPage(keeping, options, body);
  } finally {
    await keeping.close();
  }
}

/** Leaves the page and comes back: whether it is the one that was kept, or else why it was not. */
async function leaveAndComeBack(page, site) {
  await page.evaluate(() => {
    globalThis.wasKept = new Promise((resolve) => addEventListener('pageshow', ({ persisted }) => resolve(persisted)));
  });
  await page.goto(`${site.url}icon.svg`);
  await page.goBack();
  const answer = await until(page, () => {
    if (!document.querySelector('vitrine-status')) return false;
    const { notRestoredReasons } = performance.getEntriesByType('navigation')[0];
    return globalThis.wasKept ?? `loaded anew: ${JSON.stringify(notRestoredReasons)}`;
  });
  return answer.jsonValue();
}

test('a page that is left is kept by the browser, and completes when the visitor comes back to it', async () => {
  await withKeptPages({}, async (page, site) => {
    await untilReady(page);
    assert.equal(await leaveAndComeBack(page, site), true);
    await untilReady(page);
    await (await inside(page, 'vitrine-autocomplete', 'textarea')).type('git comm');
    await untilText(page, 'vitrine-autocomplete', '[data-ghost]', /./);
  });
});

test('a page that is left while it loads and come back to loads then', async () => {
  let held;
  const prepare = async (page) => (held = await holdBack(page, weights));
  await withKeptPages({ prepare }, async (page, site) => {
    await inside(page, 'vitrine-status', '.loading');
    // Chromium keeps a page that waits for the network for some seconds only: then it is another one that loads.
    await leaveAndComeBack(page, site);
    await held.release();
    await untilReady(page);
  });
});

test('a download that the browser cut off while the page was away begins anew', async () => {
  let held;
  let asked = 0;
  const prepare = async (page) => {
    page.on('request', (request) => (asked += Number(request.url().endsWith(weights))));
    held = await holdBack(page, weights);
  };
  await withPage(browser, { prepare }, async (page) => {
    await inside(page, 'vitrine-status', '.loading');
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
    await held.cutOff();
    await untilReady(page);
    assert.equal(asked, 2);
  });
});
