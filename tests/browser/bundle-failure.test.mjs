// A bundle, or a file of the engine, that is missing, truncated, corrupted or stalled, in Chromium: the page names it and
// offers to try again.
import assert from 'node:assert/strict';
import { readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { copyOfPage, inside, launchBrowser, openTab, pageFolder, textOf, untilReady, untilText, withPage } from './support/browser-page.mjs';
import { serveFiles } from './support/hosts.mjs';
import { labAddress, predictAndReveal } from './support/lab.mjs';

let browser;
before(async () => (browser = await launchBrowser()));
after(() => browser?.close());

/** The alert of a page whose bundle was damaged; `then` may go on with that page. */
async function alertAfter(damage, then = async () => {}) {
  const { folder, remove } = await copyOfPage();
  try {
    const bundle = path.join(folder, 'models/shell');
    await damage(bundle);
    let text = '';
    await withPage(browser, { folder }, async (page) => {
      text = await textOf(page, 'vitrine-autocomplete', '[role=alert]');
      await then(page, bundle);
    });
    return text;
  } finally {
    await remove();
  }
}

test('one changed byte in the weights refuses the bundle, naming the part', async () => {
  const text = await alertAfter(async (bundle) => {
    const file = path.join(bundle, 'model.safetensors');
    const bytes = await readFile(file);
    bytes[bytes.length - 5] ^= 1;
    await writeFile(file, bytes);
  });
  assert.match(text, /part_mismatch: .*weights/);
});

test('truncated weights refuse the bundle, naming the part', async () => {
  const text = await alertAfter((bundle) => truncate(path.join(bundle, 'model.safetensors'), 1000));
  assert.match(text, /part_mismatch: .*weights/);
});

test('a missing part is named, and trying again loads it once it is there', async () => {
  const away = (bundle) => [path.join(bundle, 'tokenizer.json'), path.join(bundle, 'elsewhere.json')];
  const text = await alertAfter(
    async (bundle) => rename(...away(bundle)),
    async (page, bundle) => {
      await rename(...away(bundle).reverse());
      await (await inside(page, 'vitrine-autocomplete', '[role=alert] button')).click();
      await untilReady(page);
    },
  );
  assert.match(text, /file_not_found: part "tokenizer" \(tokenizer\.json\)/);
});

test('a manifest that is no JSON is told as such', async () => {
  const text = await alertAfter((bundle) => writeFile(path.join(bundle, 'manifest.json'), '{"parts": ['));
  assert.match(text, /bad_json: .*manifest/);
});

test('a bundle that is not there is told, and the page stands', async () => {
  const text = await alertAfter((bundle) => rm(bundle, { recursive: true }));
  assert.match(text, /file_not_found: part "manifest"/);
});

/** The page gives a script a minute, and then looks at it for a few seconds more. */
const stallPatience = 120_000;

test('a file of the engine that begins to come and stalls ends in an error that names it, in little more than a minute', async () => {
  const files = ['worker.js', 'vitrine-module.mjs', 'vitrine-module.wasm'];
  const alerts = files.map(async (stalls) => {
    const site = await serveFiles(pageFolder, { stalls });
    const page = await openTab(browser);
    try {
      await page.goto(site.url);
      const found = () => document.querySelector('vitrine-autocomplete')?.shadowRoot?.querySelector('[role=alert]')?.textContent;
      return await (await page.waitForFunction(found, { timeout: stallPatience })).jsonValue();
    } finally {
      await page.close();
      await site.close();
    }
  });
  for (const [index, text] of (await Promise.all(alerts)).entries()) {
    assert.ok(text.includes(`file_unreadable: engine: ${files[index]} (http`), text);
    assert.match(text, /expected its bytes, found none for 5 s, after 1 bytes/);
    assert.match(text, /Try again/);
  }
});

test("a worker's script that is not there, is cut or is another text is told by name, and trying again loads it", async () => {
  const { folder, remove } = await copyOfPage();
  try {
    const script = path.join(folder, 'worker.js');
    const whole = await readFile(script);
    const alert = (page, pattern) => untilText(page, 'vitrine-autocomplete', '[role=alert]', pattern);
    await rm(script);
    await withPage(browser, { folder, errors: 'any' }, async (page) => {
      await alert(page, /file_not_found: engine: worker\.js \(http:.*\): expected status 200, found 404/);
      for (const text of [whole.subarray(0, 3000), '<!doctype html><title>Sign in</title>']) {
        await writeFile(script, text);
        await (await inside(page, 'vitrine-autocomplete', '[role=alert] button')).click();
        await alert(page, new RegExp(`not_loaded: engine: http:.*worker\\.js: expected a worker to begin, found worker\\.js of ${text.length} bytes`));
      }
      await writeFile(script, whole);
      await (await inside(page, 'vitrine-autocomplete', '[role=alert] button')).click();
      await untilReady(page);
    });
  } finally {
    await remove();
  }
});

test('the figure of a lab whose model did not load says so, and tries again', async () => {
  const { folder, remove } = await copyOfPage();
  try {
    const manifest = path.join(folder, 'models/shell/manifest.json');
    await rename(manifest, `${manifest}.away`);
    await withPage(browser, { folder, fragment: labAddress('kv-cache-growth') }, async (page) => {
      await predictAndReveal(page, 'It grows.');
      const figure = 'vitrine-lab >>> vitrine-lab-growth';
      assert.match(await textOf(page, figure, '[data-idle]'), /file_not_found: part "manifest"/);
      await rename(`${manifest}.away`, manifest);
      await (await inside(page, figure, '[data-idle] button')).click();
      assert.match(await textOf(page, figure, 'figcaption'), /At 256 positions/);
    });
  } finally {
    await remove();
  }
});

/** Takes the code of <vitrine-cache> away, the page's and that of the embed, and gives what brings it back. */
async function withoutCache(folder) {
  // The names of the scripts are hashes.
  const scripts = (await readdir(folder)).filter((file) => /^chunk-.*\.js$/.test(file));
  const texts = await Promise.all(scripts.map((file) => readFile(path.join(folder, file), 'utf8')));
  const defining = scripts.filter((_, index) => texts[index].includes('customElements.define("vitrine-cache"'));
  assert.ok(defining.length > 0, 'the script of vitrine-cache was found');
  const move = (from, to) =>
    Promise.all(defining.map((script) => rename(path.join(folder, script + from), path.join(folder, script + to))));
  await move('', '.away');
  return () => move('.away', '');
}

test('define() loads code again that did not load before', async () => {
  const { folder, remove } = await copyOfPage();
  try {
    const bringBack = await withoutCache(folder);
    // A frame that names no element loads the code of none.
    await withPage(browser, { folder, fragment: 'embed.html?element=none', errors: 'any' }, async (page) => {
      const define = () =>
        page.evaluate(async () => {
          const { define } = await import(new URL('vitrine.js', location.href).href);
          return define('vitrine-cache').then(() => 'defined', String);
        });
      assert.match(await define(), /^TypeError: /);
      await bringBack();
      assert.equal(await define(), 'defined');
      assert.ok(await page.evaluate(() => customElements.get('vitrine-cache') !== undefined));
    });
  } finally {
    await remove();
  }
});

test('a section whose code is not there says so, and loads it once it is, on the page as it stands', async () => {
  const { folder, remove } = await copyOfPage();
  try {
    const bringBack = await withoutCache(folder);
    await withPage(browser, { folder, errors: 'any' }, async (page) => {
      await untilReady(page);
      await page.$eval('#cache', (section) => section.scrollIntoView());
      const alert = await page.waitForSelector('vitrine-cache [role=alert]');
      assert.match(await alert.evaluate((element) => element.textContent), /did not load: /);
      // A page that was loaded anew, or could not be, would know nothing of it.
      await page.evaluate(() => (globalThis.isTheSamePage = true));
      const again = await page.$('vitrine-cache button');
      await page.setOfflineMode(true);
      await again.click();
      await page.waitForFunction((element) => /did not load again: /.test(element.textContent), {}, alert);
      await page.setOfflineMode(false);
      await bringBack();
      await again.click();
      await inside(page, 'vitrine-cache', '[data-row="1"]');
      assert.equal(await page.$('vitrine-cache > *'), null, 'what stood in its place is gone');
      assert.equal(await page.evaluate(() => globalThis.isTheSamePage), true);
    });
  } finally {
    await remove();
  }
});
