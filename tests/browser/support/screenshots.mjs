// Keeps what a failing test saw: a PNG in build/screenshots, named after the test. It takes no picture of a test that passes.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { root } from '../../../wasm/build.mjs';

const folder = path.join(root, 'build/screenshots');

/** What a page shows as text, through its shadow roots: the failure of a test without a picture at hand. */
export const visibleText = (page) =>
  page.evaluate(() => {
    const textOf = (node) =>
      node instanceof Text
        ? node.data
        : node instanceof Element && (/^(style|script)$/.test(node.localName) || !node.checkVisibility())
          ? ''
          : [...(node.shadowRoot ?? node).childNodes].map(textOf).join(' ');
    return textOf(document.body).replaceAll(/\s+/g, ' ').trim();
  });

/** Runs `body`; when it throws, `takePng` gives the picture, and the error says where it is and what the page says. */
export async function withScreenshot(name, takePng, body, readText = () => '') {
  try {
    return await body();
  } catch (error) {
    const file = path.join(folder, `${name.replaceAll(/[^A-Za-z0-9]+/g, '-')}.png`);
    try {
      await mkdir(folder, { recursive: true });
      await writeFile(file, await takePng());
      error.message += `\n(screenshot: ${path.relative(root, file)})\n${(await readText()).slice(0, 1500)}`;
    } catch {
      // A page that is gone has no picture; the error is the test's own.
    }
    throw error;
  }
}
