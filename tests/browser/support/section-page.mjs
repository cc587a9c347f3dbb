// A page that holds one element and nothing else, as a course would embed it: beside the built page's engine and styles,
// the element's own script. It asserts nothing.
import { build } from 'esbuild';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import assert from 'node:assert/strict';

import { root } from '../../../wasm/build.mjs';
import { copyOfPage, withPage } from './browser-page.mjs';

const document = (markup) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta http-equiv="Content-Security-Policy" content="default-src 'self'; script-src 'self' 'wasm-unsafe-eval'" />
    <title>One section of Vitrine</title>
    <link rel="icon" href="icon.svg" type="image/svg+xml" />
    <link rel="stylesheet" href="page.css" />
    <script type="module" src="section.js"></script>
  </head>
  <body>
    <main class="page"><h1>One section</h1>${markup}</main>
  </body>
</html>
`;

/** A folder with the element of this name on its page; `remove` deletes it. */
export async function sectionFolder(name, markup = `<vitrine-${name}></vitrine-${name}>`) {
  const copy = await copyOfPage();
  await build({
    absWorkingDir: root,
    entryPoints: { section: `web/src/elements/${name}.ts` },
    outdir: copy.folder,
    bundle: true,
    format: 'esm',
    splitting: true,
    chunkNames: 'section-[hash]',
    loader: { '.css': 'text' },
    target: 'es2022',
    logLevel: 'warning',
  });
  await writeFile(path.join(copy.folder, 'index.html'), document(markup));
  return copy;
}

/** What axe-core finds wrong, as "rule: element". */
export async function violations(page) {
  const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await page.evaluate(axe);
  const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  assert.ok(found.passes.length > 10, 'axe-core looked at the page');
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.flat().join(' ')}`));
}

/** How the section looks and fits in each of these: nothing wrong for axe-core, nothing that scrolls sideways. */
export async function holdsItsLooks(browser, folder, prepare) {
  const looks = [
    { width: 1280, scheme: 'light' },
    { width: 1280, scheme: 'dark' },
    { width: 320, scheme: 'light' },
    { width: 1280, scheme: 'light', forced: true },
  ];
  for (const { width, scheme, forced } of looks) {
    const features = [
      { name: 'prefers-color-scheme', value: scheme },
      { name: 'prefers-reduced-motion', value: 'reduce' },
      ...(forced ? [{ name: 'forced-colors', value: 'active' }] : []),
    ];
    await withPage(browser, { folder, width, features }, async (page) => {
      await prepare(page);
      const where = `${width} ${scheme}${forced ? ' forced colours' : ''}`;
      assert.deepEqual(await violations(page), [], where);
      const widths = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
      assert.deepEqual(widths, [width, width], `${where}: nothing scrolls sideways`);
      if (process.env.VITRINE_SHOTS) {
        const file = path.join(process.env.VITRINE_SHOTS, `${await page.evaluate(() => document.querySelector('main > :not(h1)').localName)}-${where.replaceAll(' ', '-')}.png`);
        await page.screenshot({ path: file, fullPage: true });
      }
    });
  }
}
