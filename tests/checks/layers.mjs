// Who may include whom: docs/architecture.md's order of the layers, held against every #include and import.
// It reads no build files; what it finds holds for every build.
import { files } from './tree.mjs';

/** Layers from the lowest up; those on one line are siblings, which never include each other. */
export const order = [
  ['base'],
  ['tensor', 'kernels'],
  ['layers', 'cache', 'tokenizer', 'sampling', 'io'],
  ['model'],
  ['generate', 'training', 'baseline'],
  ['session'],
  ['cli'],
];
const rank = new Map(order.flatMap((layers, i) => layers.map((layer) => [layer, i])));

/** Headers of other projects, each with the only files that may include them. */
const foreign = [
  { header: /^xsimd\//, only: /^src\/kernels\/simd\.hpp$/ },
  { header: /^nlohmann\//, only: /^src\/base\/json\.(hpp|cpp)$/ },
  { header: /^CLI\//, only: /^src\/cli\// },
  { header: /^emscripten/, only: /^(wasm\/bindings|src\/cli\/interruption)\.cpp$/ },
  { header: /^doctest\//, only: /^tests\/(cpp|fuzz)\// },
];

function includes(text) {
  return [...text.matchAll(/^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]/gm)].map(([, mark, name]) => ({
    name,
    ours: mark === '"',
  }));
}

function judgeOne(path, layer, { name, ours }, tree) {
  for (const { header, only } of foreign) {
    if (header.test(name) && !only.test(path)) {
      return `${path}: includes ${name}, which only ${only.source} may`;
    }
  }
  if (!ours || layer === undefined) return null;
  if (!tree.has(`src/${name}`)) return `${path}: includes "${name}", expected a path from src/`;
  const target = name.split('/')[0];
  if (layer === 'wasm') {
    // base holds the vocabulary (error codes); all that computes is reached through session.
    return ['session', 'base'].includes(target) ? null : `${path}: wasm includes session and base alone, found ${name}`;
  }
  if (target === layer || rank.get(target) < rank.get(layer)) return null;
  return `${path}: ${layer} may not include ${target} (${name})`;
}

/** Every include of src/ and wasm/ that goes up, sideways, or to a library that is another file's business. */
export function checkLayers(tree) {
  const problems = [];
  for (const [path, text] of files(tree, /^(src|wasm|tests\/cpp|tests\/fuzz|tests\/bench|tests\/golden)\/.*\.(hpp|cpp)$/)) {
    const [top, folder] = path.split('/');
    const layer = top === 'src' ? folder : top === 'wasm' ? 'wasm' : undefined;
    if (top === 'src' && !rank.has(layer)) problems.push(`${path}: src/${layer} is no layer of the design`);
    for (const include of includes(text)) {
      const problem = judgeOne(path, layer, include, tree);
      if (problem) problems.push(problem);
    }
  }
  return problems;
}

/** The folders of web/src and what each may import from the others; types of the engine go anywhere. */
const web = {
  engine: [],
  styles: [],
  browser: [],
  state: ['engine'],
  runs: ['engine', 'state'],
  views: ['styles', 'runs'],
  elements: ['engine', 'styles', 'browser', 'state', 'runs', 'views'],
  lessons: ['engine', 'state', 'styles', 'runs', 'views', 'elements'],
  sections: ['elements'],
};

/** The files of web/src/engine whose values other folders may use: all else of it is behind the client. */
const doors = ['client', 'errors', 'load-state', 'shared-engine'];

/** Every import in web/src that goes against the order of its folders, or by-passes the engine's client. */
export function checkWebLayers(tree) {
  const problems = [];
  for (const [path, text] of files(tree, /^web\/src\/.*\.ts$/)) {
    const folder = path.split('/').length > 3 ? path.split('/')[2] : undefined; // main.ts and its like may import any
    if (folder !== undefined && !(folder in web)) problems.push(`${path}: web/src/${folder} is no layer of the page`);
    const imports = /^(import type|import|export type|export)\b[^;]*?['"]\.\.?\/([\w-]+)\/([\w-]+)['"]/gm;
    for (const [, kind, target, file] of text.matchAll(imports)) {
      if (target === folder || !(target in web) || (kind.endsWith('type') && target === 'engine')) continue;
      if (folder in web && !web[folder].includes(target)) problems.push(`${path}: ${folder} may not import ${target}`);
      else if (target === 'engine' && !doors.includes(file)) {
        problems.push(`${path}: imports engine/${file}, whose types alone may leave the engine; its door is client`);
      }
    }
  }
  return problems;
}
