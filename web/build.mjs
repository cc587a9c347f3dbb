// Builds the page into build/page: bundles the scripts, copies the static files, the wasm module and the model bundles.
// It compiles no C++: the module must be there (npm run build:wasm), and the build says so if it is not.
import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { minify } from 'terser';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = path.join(root, 'build/page');
/**
 * What pages and elements are started by; all that the entries of one group import is shared in chunks. The page is a group
 * of its own: who opens it loads nothing else, and fewer, larger files are less to load.
 */
const entryGroups = [
  { main: 'web/src/main.ts', worker: 'web/src/engine/worker.ts' },
  { vitrine: 'web/src/embed.ts', 'embed-frame': 'web/src/embed-frame.ts' },
];
const moduleFolder = path.join(root, 'build/wasm-release');
const moduleFiles = ['vitrine-module.mjs', 'vitrine-module.wasm'];

const notBuilt = (file) => (error) => {
  if (error.code !== 'ENOENT') throw error;
  throw new Error(`build/wasm-release/${file}: expected the wasm module, found nothing; run npm run build:wasm`);
};

/**
 * A script as short as it gets. esbuild leaves what only many passes over a whole file find, and Emscripten the names of
 * variables: together a tenth of all that a page loads.
 */
async function shortened(code, sourceMap = false) {
  const result = await minify(code, { module: true, ecma: 2022, compress: { passes: 3 }, sourceMap });
  return { code: result.code, map: result.map };
}

/** The module's files by name, as they are published. */
async function readModule() {
  const read = moduleFiles.map(async (file) => {
    const bytes = await readFile(path.join(moduleFolder, file)).catch(notBuilt(file));
    return [file, file.endsWith('.mjs') ? Buffer.from((await shortened(bytes.toString())).code) : bytes];
  });
  return Object.fromEntries(await Promise.all(read));
}

/** What the worker compares the module's files with when they do not start. */
const described = (module) =>
  Object.fromEntries(
    Object.entries(module).map(([file, bytes]) => [
      file,
      { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') },
    ]),
  );

/**
 * Templates and style sheets are strings, which no minifier shortens: comments and indentation are taken out of them.
 * Lines stay lines, so that source maps point to the right ones.
 */
const slimTemplates = {
  name: 'slim-templates',
  setup({ onLoad }) {
    onLoad({ filter: /\/web\/.*\.(ts|css)$/ }, async ({ path: file }) => {
      const text = await readFile(file, 'utf8');
      const bare = text.replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ''));
      return { contents: bare.replace(/\n[ \t]+/g, '\n'), loader: file.endsWith('.ts') ? 'ts' : 'text' };
    });
  },
};

async function bundleScripts(entryPoints, module) {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints,
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
    metafile: true,
    plugins: [slimTemplates],
    define: { VITRINE_MODULE_FILES: JSON.stringify(described(module)) },
  });
  for (const file of Object.keys(metafile.outputs).filter((name) => name.endsWith('.js'))) await shorten(path.join(root, file));
  return metafile;
}

/** Shortens a script in place, with the map that leads back to its sources. */
async function shorten(file) {
  const content = await readFile(`${file}.map`, 'utf8');
  const { code, map } = await shortened(await readFile(file, 'utf8'), { content, url: `${path.basename(file)}.map` });
  await Promise.all([writeFile(file, code), writeFile(`${file}.map`, map)]);
}

async function bundleAllScripts(module) {
  const [page] = await Promise.all(entryGroups.map((entries) => bundleScripts(entries, module)));
  await writeIndex(page);
}

/** The page names what its script imports at once, so that a browser need not read one to know of the next. */
async function writeIndex({ outputs }) {
  const imported = new Set();
  const follow = (file) => {
    for (const { path: target, kind } of outputs[file].imports) {
      if (kind !== 'import-statement' || imported.has(target)) continue;
      imported.add(target);
      follow(target);
    }
  };
  follow('build/page/main.js');
  const links = [...imported].map((file) => `<link rel="modulepreload" href="${path.basename(file)}" />`);
  const page = await readFile(path.join(root, 'web/index.html'), 'utf8');
  const marker = '<!-- modulepreload -->';
  if (!page.includes(marker)) throw new Error(`web/index.html: expected the comment ${marker}, found none`);
  await writeFile(path.join(out, 'index.html'), page.replace(marker, links.join('\n    ')));
}

/** Scripts that are no modules, one file each: the elements, and what a page with frames has. */
async function bundleClassicScripts() {
  const options = {
    absWorkingDir: root,
    outdir: out,
    bundle: true,
    format: 'iife',
    loader: { '.css': 'text' },
    target: 'es2022',
    minify: true,
    sourcemap: true,
    legalComments: 'linked',
    logLevel: 'warning',
  };
  await build({ ...options, entryPoints: { 'vitrine-frame': 'web/src/embed-parent.ts' } });
  await build({
    ...options,
    entryPoints: { 'vitrine-classic': 'web/src/embed.ts' },
    globalName: 'vitrine',
    // The script's own address stands in for the module's.
    banner: { js: 'var vitrineScript = document.currentScript.src;' },
    define: { 'import.meta.url': 'vitrineScript' },
  });
}

/** One file each: what a style sheet imports stands in it. */
async function bundleStyles() {
  await build({
    absWorkingDir: root,
    entryPoints: ['page', 'embed', 'lesson'].map((name) => `web/${name}.css`),
    outdir: out,
    bundle: true,
    target: 'es2022',
    minify: true,
    logLevel: 'warning',
  });
}

async function copyStaticFiles() {
  for (const file of ['embed.html', 'lesson.html', 'lesson.js', 'icon.svg']) {
    await cp(path.join(root, 'web', file), path.join(out, file));
  }
}

async function writeModule(module) {
  for (const [file, bytes] of Object.entries(module)) await writeFile(path.join(out, file), bytes);
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

/** A hash of all that the page is made of: sources, bundles, module, and the packages by their lock. */
async function hashOfInputs() {
  const hash = createHash('sha256');
  const sources = (await readdir(path.join(root, 'web'), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name))
    .sort();
  const others = [...moduleFiles.map((file) => path.join(moduleFolder, file)), path.join(root, 'package-lock.json')];
  for (const file of [...sources, ...others]) hash.update(`${path.relative(root, file)}\0`).update(await readFile(file).catch(() => ''));
  return hash.digest('hex');
}

async function makePage() {
  await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
  const module = await readModule();
  await Promise.all([
    bundleAllScripts(module),
    bundleClassicScripts(),
    bundleStyles(),
    copyStaticFiles(),
    writeModule(module),
    copyBundles(),
  ]);
}

// Beside the page, not in it; it goes first, so that a build that was cut short is none.
const stamp = path.join(root, 'build/page.sha256');
try {
  const wanted = await hashOfInputs();
  const isBuilt = existsSync(path.join(out, 'index.html')) && (await readFile(stamp, 'utf8').catch(() => '')) === wanted;
  if (!isBuilt) {
    console.log('page: building');
    await rm(stamp, { force: true });
    await makePage();
    await writeFile(stamp, wanted);
  }
} catch (error) {
  console.error(`page: ${error.message}`);
  process.exitCode = 1;
}
