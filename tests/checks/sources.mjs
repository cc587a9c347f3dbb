// What a line of source may not hold: bytes beyond ASCII, calls that break the contract, machine paths, a file too long.
// It knows words, not meanings; layers.mjs knows the includes.
import { codeOnly, files, lineAt } from './tree.mjs';

const code = /^(src|tests|wasm|web|\.ci)\/.*\.(hpp|cpp|ts|mjs|cjs|css|html|sh|cmake)$|^(CMakeLists\.txt|.*\.cmake|\.ci\/run)$/;
const models = /^web\/models\/[^/]+\/(?!.*\.mjs$)/;

export function checkAscii(tree) {
  const problems = [];
  for (const [path, text] of files(tree, code)) {
    const found = /[^\x09\x0a\x20-\x7e]/.exec(text);
    if (found) {
      const point = found[0].codePointAt(0).toString(16).padStart(4, '0');
      problems.push(`${path}:${lineAt(text, found.index)}: expected ASCII, found U+${point}`);
    }
  }
  return problems;
}

/** Sources without a first sentence that says what the file is, or how it goes about it. */
export function checkOpenings(tree, exceptions = withoutOpening) {
  return files(tree, /^(src|wasm|web\/src)\/.*\.(hpp|cpp|ts)$/)
    .filter(([path, text]) => !/^\/\/ \S/.test(text) && !exceptions.has(path))
    .map(([path]) => `${path}: expected a comment in the first line that says what the file is`);
}

/** To be taken off, one by one, as these files are next worked on. */
const withoutOpening = new Set(['src/cache/kv_cache.cpp', 'src/model/block.cpp', 'src/model/transformer.cpp']);

export const maxLines = 400;

/** Files longer than a reader takes in at once. */
export function checkLength(tree, exceptions = [/\/unicode_classes\.hpp$/]) {
  const problems = [];
  for (const [path, text] of files(tree, /^(src|tests|wasm|web)\/.*\.(hpp|cpp|ts|mjs|sh)$/)) {
    const lines = text.split('\n').length - 1;
    if (lines > maxLines && !exceptions.some((pattern) => pattern.test(path))) {
      problems.push(`${path}: expected at most ${maxLines} lines, found ${lines}`);
    }
  }
  return problems;
}

const cpp = /^(src|wasm|tests\/cpp|tests\/fuzz|tests\/bench|tests\/golden)\/.*\.(hpp|cpp)$/;
const library = /^(src\/(?!cli\/)|wasm\/).*\.(hpp|cpp)$/;
const modelCode = /^src\/(kernels\/(?!reference\/)|layers|model|cache|sampling|generate)\b.*\.(hpp|cpp)$/;
// The bench compiles a variant without the contract, to tell what the contract costs.
const flags = /^(?!tests\/bench\/)(.*CMakeLists\.txt|.*\.cmake|CMakePresets\.json|.*\.sh|wasm\/.*\.mjs)$/;

/** Words that a kind of file may not hold, each with the reason. Comments and strings do not count. */
const forbidden = [
  { in: flags, word: /-ffast-math|-Ofast|-ffp-contract=(?!off)|-mrelaxed-simd|-mfma\b|-funsafe/, raw: true, why: 'results would depend on the machine' },
  { in: cpp, word: /std::\w+_distribution\b|std::(?:mt19937|minstd_rand|shuffle)|\bs?rand\s*\(/, why: 'randomness comes from base/rng.hpp, with a declared seed' },
  { in: /^src\/(?!cli\/).*\.(hpp|cpp)$/, word: /std::random_device\b/, why: 'a seed that nobody chose comes from the edges, src/cli and wasm, and is told' },
  { in: modelCode, word: /std::(?:exp2?|expm1|sin|cos|tan|tanh|log|log2|log10|log1p|pow|cbrt|erf|hypot|fma)f?\s*\(/, why: "the C library's functions differ between machines: use kernels/scalar_math.hpp" },
  { in: /^src\/(?!kernels\/simd\.hpp).*\.(hpp|cpp)$/, word: /xsimd::(?:sqrt|rsqrt|reciprocal|fn?m[as]|exp|min|max|reduce_\w+)\b/, why: "xsimd's own is estimated or ordered by the machine: use kernels/simd.hpp" },
  { in: library, word: /#\s*include\s*<(?:iostream|print|cassert|csignal)>|\b(?:std::)?(?:f?printf|f?puts|perror)\s*\(|std::(?:cout|cerr|clog)\b/, why: 'src/ never prints' },
  { in: library, word: /std::(?:exit|quick_exit|_Exit|abort|terminate)\s*\(|(?<![\w.>:] ?)(?:exit|_exit|abort)\s*\((?=[^)]*\)\s*;)/, why: 'src/ never ends the program' },
  { in: /^web\/src\/.*\.ts$/, word: /Math\.random\b|crypto\.getRandomValues/, why: 'randomness comes from the engine, with a declared seed' },
  { in: /^web\/src\/.*\.ts$/, word: /\beval\s*\(|new Function\b|\.innerHTML\b|document\.write\b/, why: "the page's Content-Security-Policy forbids it, or should" },
  { in: /^(src|wasm|web|tests)\/.*\.(hpp|cpp|ts|mjs|sh)$/, word: /\b(?:TO[D]O|FIX[M]E|XX[X])\b(?!\(#\d+\))/, raw: true, why: 'work that is left belongs in an issue' },
];

export function checkForbidden(tree) {
  const problems = [];
  for (const rule of forbidden) {
    for (const [path, text] of files(tree, rule.in)) {
      if (path.startsWith('tests/checks/')) continue;
      const source = rule.raw ? text : codeOnly(text);
      for (const found of source.matchAll(new RegExp(rule.word, 'g'))) {
        problems.push(`${path}:${lineAt(text, found.index)}: found '${found[0].trim()}': ${rule.why}`);
      }
    }
  }
  return problems;
}

/** Paths of one machine, and hosts of package registries and mirrors: neither belongs in any file. */
const places = [
  /(?<![\w.])\/(?:root|home|work|Users)\/[\w.-]+/,
  /\b(?:registry\.)?npm(?:js|mirror)\.(?:org|com)\b|\bregistry\.yarnpkg\b|\b(?:deb|security|snapshot|ftp)[\w.]*\.debian\.org\b|\bpypi\.org\b|\bnodesource\.com\b|\bcrates\.io\b/,
];

export function checkPlaces(tree) {
  const problems = [];
  for (const [path, text] of tree) {
    if (path.startsWith('tests/checks/') || models.test(path)) continue;
    for (const place of places) {
      for (const found of text.matchAll(new RegExp(place, 'g'))) {
        problems.push(`${path}:${lineAt(text, found.index)}: found '${found[0]}': no machine's path and no registry's host`);
      }
    }
  }
  return problems;
}
