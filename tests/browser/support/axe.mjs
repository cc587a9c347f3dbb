// What axe-core finds wrong with a page, in words that a failing test can show.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

const source = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Violations as "rule: element". Frames are left out: they are pages of their own. */
export async function violations(page) {
  await page.evaluate(source);
  // A colour that is on its way to another is neither.
  await new Promise((resolve) => setTimeout(resolve, 250));
  const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'], iframes: false }));
  assert.ok(found.passes.length > 5, 'axe-core looked at the page');
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.flat().join(' ')}: ${failureSummary.split('\n')[1]?.trim()}`),
  );
}
