// An application that has Vitrine from its package, bundled by Vite and by esbuild, in Chromium: the package holds all that
// is needed, and the documented steps (docs/embed.md) are enough.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { root } from '../../wasm/build.mjs';
import { launchBrowser, openTab, untilText } from './support/browser-page.mjs';
import { serveFiles } from './support/hosts.mjs';
import { withScreenshot } from './support/screenshots.mjs';

let browser;
let app;

before(async () => {
  browser = await launchBrowser();
  app = mkdtempSync(path.join(tmpdir(), 'vitrine-app-'));
  const installed = path.join(app, 'node_modules/vitrine');
  mkdirSync(installed, { recursive: true });
  execFileSync(process.execPath, ['web/build-package.mjs', 'types'], { cwd: root });
  execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', app], { cwd: root });
  const [archive] = readdirSync(app).filter((name) => name.endsWith('.tgz'));
  execFileSync('tar', ['-xzf', path.join(app, archive), '-C', installed, '--strip-components=1']);
  cpSync(path.join(installed, 'build/page'), path.join(app, 'public/vitrine'), { recursive: true });
  writeFileSync(path.join(app, 'package.json'), '{ "name": "app", "private": true, "type": "module" }');
  writeFileSync(
    path.join(app, 'main.js'),
    `import { elementNames, replaceMessages } from 'vitrine';
    replaceMessages({ 'parity.check': 'Vergleichen' });
    document.body.dataset.elements = elementNames.length;`,
  );
  writeFileSync(path.join(app, 'index.html'), page('/main.js'));
});

after(async () => {
  await browser?.close();
  if (app) rmSync(app, { recursive: true, force: true });
});

const page = (script) => `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>An app</title></head><body>
  <script type="module" src="${script}"></script>
  <vitrine-autocomplete base="vitrine/" text="git comm"></vitrine-autocomplete>
  <vitrine-parity base="vitrine/"></vitrine-parity>
</body></html>`;

async function itWorks(t, folder) {
  const site = await serveFiles(folder, { cors: false });
  const tab = await openTab(browser);
  const errors = [];
  tab.on('pageerror', (error) => errors.push(error.message));
  try {
    await withScreenshot(t.name, () => tab.screenshot(), async () => {
      await tab.goto(site.url);
      assert.match(await untilText(tab, 'vitrine-autocomplete', '[data-ghost]', /\S/), /\S/);
      await untilText(tab, 'vitrine-parity', '[part=check]', /Vergleichen/);
      assert.equal(await tab.evaluate(() => document.body.dataset.elements), '11');
      assert.equal(tab.workers().length, 1, 'one engine for both');
      assert.deepEqual(errors, []);
    });
  } finally {
    await tab.close();
    await site.close();
  }
}

test('an application bundled by Vite shows the elements', { timeout: 300_000 }, async (t) => {
  const { build } = await import('vite');
  await build({ root: app, base: './', logLevel: 'error', configFile: false });
  await itWorks(t, path.join(app, 'dist'));
});

test('an application bundled by esbuild shows the elements', { timeout: 300_000 }, async (t) => {
  const { build } = await import('esbuild');
  const outdir = path.join(app, 'bundled');
  cpSync(path.join(app, 'public'), outdir, { recursive: true });
  await build({
    absWorkingDir: app,
    entryPoints: ['main.js'],
    outdir,
    bundle: true,
    format: 'esm',
    splitting: true,
    logLevel: 'error',
  });
  writeFileSync(path.join(outdir, 'index.html'), page('main.js'));
  await itWorks(t, outdir);
});

test('the package holds elements, engine, model, types, manifest and command line, and no source', () => {
  const names = readdirSync(path.join(app, 'node_modules/vitrine'), { recursive: true }).map(String);
  for (const wanted of [
    'build/page/vitrine.js',
    'build/page/vitrine-classic.js',
    'build/page/worker.js',
    'build/page/vitrine-module.wasm',
    'build/page/models/shell/model.safetensors',
    'build/types/embed.d.ts',
    'custom-elements.json',
    'wasm/vitrine.mjs',
    'LICENSE',
  ]) {
    assert.ok(names.includes(wanted), wanted);
  }
  assert.deepEqual(names.filter((name) => /^(src|tests|web)\//.test(name)), []);
});
