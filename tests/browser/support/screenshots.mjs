// Keeps what a failing test saw: a PNG in build/screenshots, named after the test. It takes no picture of a test that passes.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { root } from '../../../wasm/build.mjs';

const folder = path.join(root, 'build/screenshots');

/** Runs `body`; when it throws, `takePng` gives the picture, and the error says where it is. */
export async function withScreenshot(name, takePng, body) {
  try {
    return await body();
  } catch (error) {
    const file = path.join(folder, `${name.replaceAll(/[^A-Za-z0-9]+/g, '-')}.png`);
    try {
      await mkdir(folder, { recursive: true });
      await writeFile(file, await takePng());
      error.message += `\n(screenshot: ${path.relative(root, file)})`;
    } catch {
      // A page that is gone has no picture; the error is the test's own.
    }
    throw error;
  }
}
