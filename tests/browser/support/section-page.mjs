// A page that holds one element and nothing else, as a course would embed it: beside the built page's engine and styles,
// the element's own script. How such a section must look in every scheme and width is asserted here; what it does, by
// its own test.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { build } from 'esbuild';

import { root } from '../../../wasm/build.mjs';
import { violations } from './axe.mjs';
import { copyOfPage, withPage } from './browser-page.mjs';

const documentWith = (markup) => `<!doctype html>
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
export async function sectionFolder(name) {
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
  await writeFile(path.join(copy.folder, 'index.html'), documentWith(`<vitrine-${name}></vitrine-${name}>`));
  return copy;
}

const looks = [
  { width: 1280, scheme: 'light' },
  { width: 1280, scheme: 'dark' },
  { width: 320, scheme: 'light' },
  { width: 1280, scheme: 'light', forced: 'active' },
];

/** In every scheme and width, once `prepare` has brought the section there: axe-core is content, nothing scrolls sideways. */
export async function holdsItsLooks(browser, folder, prepare) {
  for (const { width, scheme, forced = 'none' } of looks) {
    const features = [
      { name: 'prefers-color-scheme', value: scheme },
      { name: 'forced-colors', value: forced },
    ];
    await withPage(browser, { folder, width, features }, async (page) => {
      await prepare(page);
      const where = `${width} pixels, ${scheme}, forced colours ${forced}`;
      assert.deepEqual(await violations(page), [], where);
      const widths = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      assert.deepEqual(widths, [width, width], `${where}: nothing scrolls sideways`);
    });
  }
}

/** Each figure's conclusion, and whether it has a table of at least one row. */
export async function figuresOf(page, host) {
  return page.$$eval(`${host} >>> figure`, (figures) =>
    figures.map((figure) => ({
      conclusion: figure.querySelector('figcaption')?.textContent.trim().replaceAll(/\s+/g, ' ') ?? '',
      rows: figure.querySelectorAll('tbody tr').length,
    })),
  );
}
