// Lays out the C++ sources with clang-format 14: `npm run format`. tests/checks says whether that is due.
import { fileURLToPath } from 'node:url';

import { main, root, run, setUp } from '../wasm/build.mjs';
import { files, readTree } from './checks/tree.mjs';

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(async () => {
    const env = await setUp();
    const sources = files(readTree(root), /^(src|tests|wasm)\/.*\.(hpp|cpp)$/).map(([path]) => path);
    await run('clang-format-14', ['-i', ...sources], { env });
  });
}
