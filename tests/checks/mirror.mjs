// Tests mirror sources: src/X/y.hpp has tests/cpp/X/y_test.cpp, a kernel has a twin in double, and its outputs are among the
// golden results. What the tests say is not looked at.
import { files } from './tree.mjs';

/** Sources without a test file of their own, each with the reason. */
export const withoutTest = new Map([
  ['src/base/finding', 'a struct without functions'],
  ['src/base/function_ref', 'a reference to a callable; every user of it is a test of it'],
  ['src/base/token_id', 'a type name'],
  ['src/base/tokenizer_data', 'a struct without functions'],
  ['src/kernels/rope_pairing', 'an enumeration'],
  ['src/session/row_types', 'structs without functions'],
  ['src/tokenizer/unicode_classes', 'a generated table; pre_tokenizer_test holds it against GPT-2 texts'],
]);

/** Kernels without a twin in src/kernels/reference, each with the reason. */
export const withoutTwin = new Map([
  ['rope_pairing', 'an enumeration'],
  ['simd', 'names the instructions; computes nothing'],
  ['tile', 'the register tile inside matmul and attention, whose twins cover it'],
  ['scalar_math', 'compared with the double functions of the C library in its test'],
]);

/** Sources without a test, and exceptions that no longer are any. */
export function checkMirror(tree, exceptions = withoutTest) {
  const problems = [];
  const parts = new Set();
  for (const [path] of files(tree, /^src\/.*\.(hpp|cpp)$/)) {
    // A twin is tested by the test of its kernel; the command line as a program, from outside, in tests/node.
    if (!/^src\/(kernels\/reference|cli)\//.test(path)) parts.add(path.replace(/\.(hpp|cpp)$/, ''));
  }
  for (const part of parts) {
    const test = `${part.replace(/^src/, 'tests/cpp')}_test.cpp`;
    if (tree.has(test) && exceptions.has(part)) problems.push(`${part}: has a test now; take it off the exceptions`);
    if (!tree.has(test) && !exceptions.has(part)) problems.push(`${part}: expected a test in ${test}`);
  }
  for (const part of exceptions.keys()) {
    if (!parts.has(part)) problems.push(`${part}: an exception for a file that is not there`);
  }
  return problems;
}

/** Kernels without a double twin, twins without a kernel, and exceptions that no longer are any. */
export function checkTwins(tree, exceptions = withoutTwin) {
  const names = (folder) =>
    files(tree, new RegExp(`^src/kernels/${folder}[^/]+\\.hpp$`)).map(([path]) => path.replace(/.*\/|\.hpp$/g, ''));
  const kernels = names('');
  const twins = new Set(names('reference/'));
  const problems = [];
  for (const kernel of kernels) {
    if (!twins.has(kernel) && !exceptions.has(kernel)) {
      problems.push(`src/kernels/${kernel}.hpp: expected a twin in src/kernels/reference/${kernel}.hpp`);
    }
    if (twins.has(kernel) && exceptions.has(kernel)) {
      problems.push(`src/kernels/${kernel}.hpp: has a twin now; take it off the exceptions`);
    }
  }
  for (const twin of twins) {
    if (!kernels.includes(twin)) problems.push(`src/kernels/reference/${twin}.hpp: expected a kernel src/kernels/${twin}.hpp`);
  }
  for (const kernel of exceptions.keys()) {
    if (!kernels.includes(kernel)) problems.push(`src/kernels/${kernel}.hpp: an exception for a file that is not there`);
  }
  return problems;
}

/** Kernels that tests/golden/kernels.cpp does not call; those that count places and sizes compute no result. */
export function checkGolden(tree) {
  const golden = tree.get('tests/golden/kernels.cpp') ?? '';
  const problems = [];
  for (const [path, text] of files(tree, /^src\/kernels\/[^/]+\.hpp$/)) {
    const open = text.replace(/^namespace detail \{[\s\S]*?^\}  \/\/ namespace detail$/gm, '');
    const kernels = /(?<!^template <class Arch>\n)^(?:template <class Arch = DefaultArch>\n|inline |constexpr (?!size_t))[\w:]+ (\w+)\(/gm;
    for (const [, name] of open.matchAll(kernels)) {
      if (!new RegExp(`\\b(?:kernels|k)::${name}(?:<Arch>)?\\(`).test(golden)) problems.push(`${path}: ${name}: expected a hash of its outputs in tests/golden/kernels.cpp`);
    }
  }
  return problems;
}
