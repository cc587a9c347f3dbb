// What a package has beside the page: the types of its public face in build/types, and the custom-elements manifest in
// custom-elements.json. `node web/build-package.mjs types` makes these alone. What browsers load is the page's build.
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { main, root, run } from '../wasm/build.mjs';
import { makeManifest } from './manifest.mjs';

/** Imports of the sources name no file; consumers whose TypeScript resolves as Node does need one. */
async function nameFiles(folder) {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.d.ts'));
  for (const file of files) {
    const text = await readFile(path.join(folder, file), 'utf8');
    await writeFile(path.join(folder, file), text.replaceAll(/((?:from|import) |import\()(['"])(\.{1,2}\/[^'"]+?)(?:\.js)?\2/g, '$1$2$3.js$2'));
  }
}

const makers = {
  async types() {
    const folder = path.join(root, 'build/types');
    await rm(folder, { recursive: true, force: true });
    const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
    const options = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--rootDir', 'web/src', '--outDir', folder];
    await run(process.execPath, [compiler, '-p', 'web', ...options]);
    await nameFiles(folder);
    await cp(path.join(root, 'build/wasm-release/vitrine-module.d.ts'), path.join(folder, 'vitrine-module.d.ts'));
  },
  async manifest() {
    await writeFile(path.join(root, 'custom-elements.json'), `${JSON.stringify(await makeManifest(root), null, 2)}\n`);
  },
};

await main(async () => {
  const names = process.argv.slice(2);
  for (const name of names.length > 0 ? names : Object.keys(makers)) await makers[name]();
});
