// Builds the page into build/page: bundles the scripts, copies the static files, the wasm module and the model bundles.
// It compiles no C++: the module must be there (npm run build:wasm), and the build says so if it is not.
import { build } from 'esbuild';
import { cp, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = path.join(root, 'build/page');
const moduleFolder = path.join(root, 'build/wasm-release');

async function bundleScripts() {
  await build({
    absWorkingDir: root,
    entryPoints: { main: 'web/src/main.ts', worker: 'web/src/engine/worker.ts' },
    outdir: out,
    bundle: true,
    format: 'esm',
    splitting: true,
    chunkNames: 'chunk-[hash]',
    loader: { '.css': 'text' },
    target: 'es2022',
    minify: true,
    sourcemap: true,
    legalComments: 'linked',
    logLevel: 'warning',
  });
}

async function copyStaticFiles() {
  for (const file of ['index.html', 'page.css', 'icon.svg']) {
    await cp(path.join(root, 'web', file), path.join(out, file));
  }
}

async function copyModule() {
  for (const file of ['vitrine-module.mjs', 'vitrine-module.wasm']) {
    await cp(path.join(moduleFolder, file), path.join(out, file)).catch((error) => {
      if (error.code !== 'ENOENT') throw error;
      throw new Error(`build/wasm-release/${file}: expected the wasm module, found nothing; run npm run build:wasm`);
    });
  }
}

/** Only what a manifest lists is published, beside the manifest itself. */
async function copyBundles() {
  const models = path.join(root, 'web/models');
  for (const name of await readdir(models)) {
    const source = path.join(models, name);
    const target = path.join(out, 'models', name);
    const text = await readFile(path.join(source, 'manifest.json'), 'utf8').catch(() => null);
    if (text === null) continue;
    await mkdir(target, { recursive: true });
    const files = ['manifest.json', ...JSON.parse(text).parts.map((part) => part.file)];
    for (const file of files) await cp(path.join(source, file), path.join(target, file));
  }
}

try {
  await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
  await Promise.all([bundleScripts(), copyStaticFiles(), copyModule(), copyBundles()]);
} catch (error) {
  console.error(`page: ${error.message}`);
  process.exitCode = 1;
}
