// What a package has beside the page: the types of its public face in build/types, and the custom-elements manifest in
// custom-elements.json. The page must be built (npm run build:page): its folder is what the package serves.
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { main, root, run } from '../wasm/build.mjs';
import { makeManifest } from './manifest.mjs';

await main(async () => {
  const types = path.join(root, 'build/types');
  await rm(types, { recursive: true, force: true });
  const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
  const options = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--rootDir', 'web/src', '--outDir', types];
  await run(process.execPath, [compiler, '-p', 'web', ...options], { cwd: root });
  const manifest = await makeManifest(root);
  await writeFile(path.join(root, 'custom-elements.json'), `${JSON.stringify(manifest, null, 2)}\n`);
});
