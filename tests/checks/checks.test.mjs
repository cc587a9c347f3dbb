// Each structural check sees the fault that it is for, and passes what is sound. The repository is not read here.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { compareRuns, costTable } from '../bench/cost.mjs';
import { compare } from '../golden/recorded.mjs';
import { judge as judgeMachine, table } from '../machines.mjs';
import { judge, summary } from '../run.mjs';
import { readDoctest } from '../run-doctest.mjs';
import { readFuzzer } from '../run-fuzz.mjs';
import { readReport } from '../run-node.mjs';
import { anchors, checkErrorLists, checkLinks, checkMachines, checkMutations, checkPackages, checkReadmeTree, checkVersion, treeFolders } from './documents.mjs';
import { checkLayers, checkWebLayers } from './layers.mjs';
import { checkGolden, checkMirror, checkTwins } from './mirror.mjs';
import { checkRegister } from './register.mjs';
import { checkAscii, checkForbidden, checkLength, checkOpenings, checkPlaces, maxLines } from './sources.mjs';
import { codeOnly } from './tree.mjs';

const tree = (files) => new Map(Object.entries(files));

/** The check finds exactly these problems, one pattern each, in the order of the files. */
function finds(check, files, ...patterns) {
  const problems = check(tree(files));
  assert.equal(problems.length, patterns.length, problems.join('\n'));
  patterns.forEach((pattern, i) => assert.match(problems[i], pattern));
}

test('an include that goes down is sound, one that goes up or sideways is not', () => {
  const sources = { 'src/base/error.hpp': '', 'src/kernels/norm.hpp': '', 'src/model/block.hpp': '', 'src/tensor/view.hpp': '' };
  finds(checkLayers, { ...sources, 'src/layers/linear.hpp': '#include "kernels/norm.hpp"\n#include "base/error.hpp"\n' });
  finds(checkLayers, { ...sources, 'src/layers/linear.hpp': '#include "model/block.hpp"\n' }, /layers may not include model/);
  finds(checkLayers, { ...sources, 'src/tensor/tensor.hpp': '#include "kernels/norm.hpp"\n' }, /tensor may not include kernels/);
});

test('an include by a relative path, and a folder that is no layer, are found', () => {
  finds(checkLayers, { 'src/base/a.hpp': '#include "b.hpp"\n', 'src/base/b.hpp': '' }, /expected a path from src/);
  finds(checkLayers, { 'src/misc/a.hpp': '' }, /src\/misc is no layer/);
});

test('other libraries are included by their own file alone', () => {
  finds(checkLayers, { 'src/kernels/simd.hpp': '#include <xsimd/xsimd.hpp>\n', 'src/base/json.hpp': '#include <nlohmann/json.hpp>\n' });
  finds(checkLayers, { 'src/kernels/norm.hpp': '#include <xsimd/xsimd.hpp>\n' }, /xsimd\/xsimd\.hpp, which only/);
  finds(checkLayers, { 'src/io/a.cpp': '#include <nlohmann/json.hpp>\n' }, /nlohmann/);
  finds(checkLayers, { 'src/session/a.cpp': '#include <emscripten/val.h>\n' }, /emscripten/);
});

test('the binding includes session and base alone', () => {
  const sources = { 'src/session/session.hpp': '', 'src/model/block.hpp': '', 'src/base/error.hpp': '' };
  finds(checkLayers, { ...sources, 'wasm/bindings.cpp': '#include "session/session.hpp"\n#include "base/error.hpp"\n' });
  finds(checkLayers, { ...sources, 'wasm/bindings.cpp': '#include "model/block.hpp"\n' }, /wasm includes session/);
});

test('a view imports no element, and of the engine types alone', () => {
  finds(checkWebLayers, { 'web/src/views/a.ts': "import type { Step } from '../engine/protocol';\n" });
  finds(checkWebLayers, { 'web/src/views/a.ts': "import { Model } from '../engine/client';\n" }, /views may not import engine/);
  finds(checkWebLayers, { 'web/src/views/a.ts': "import type { El } from '../elements/x';\n" }, /views may not import elements/);
  finds(checkWebLayers, { 'web/src/elements/a.ts': "import {\n  draw,\n} from '../views/x';\n" });
  finds(checkWebLayers, { 'web/src/runs/a.ts': "import { draw } from '../views/x';\n" }, /runs may not import views/);
  finds(checkWebLayers, { 'web/src/misc/a.ts': '' }, /web\/src\/misc is no layer/);
});

test('the engine is reached through its client', () => {
  finds(checkWebLayers, { 'web/src/elements/a.ts': "import { LanguageModel } from '../engine/client';\n" });
  finds(checkWebLayers, { 'web/src/main.ts': "import { toEngineError } from './engine/errors';\nimport type { Run } from './engine/host';\n" });
  finds(checkWebLayers, { 'web/src/elements/a.ts': "import { EngineHost } from '../engine/host';\n" }, /its door is client/);
  finds(checkWebLayers, { 'web/src/main.ts': "import { downloadBundle } from './engine/loader';\n" }, /its door is client/);
  finds(checkWebLayers, { 'web/src/engine/worker.ts': "import { EngineHost } from './host';\n" });
});

test('a source without its test is found, and so is an exception that is none', () => {
  const none = new Map();
  const check = (exceptions) => (files) => checkMirror(files, exceptions);
  finds(check(none), { 'src/base/rng.hpp': '', 'tests/cpp/base/rng_test.cpp': '' });
  finds(check(none), { 'src/base/rng.hpp': '' }, /expected a test in tests\/cpp\/base\/rng_test\.cpp/);
  finds(check(new Map([['src/base/rng', '']])), { 'src/base/rng.hpp': '', 'tests/cpp/base/rng_test.cpp': '' }, /take it off/);
  finds(check(new Map([['src/base/old', '']])), {}, /not there/);
});

test('a kernel without a double twin is found, and so are a twin without a kernel and an exception that is none', () => {
  const check = (exceptions) => (files) => checkTwins(files, new Map(exceptions));
  const simd = check([['simd', '']]);
  finds(simd, { 'src/kernels/norm.hpp': '', 'src/kernels/reference/norm.hpp': '', 'src/kernels/simd.hpp': '' });
  finds(check([]), { 'src/kernels/norm.hpp': '' }, /expected a twin/);
  finds(check([]), { 'src/kernels/reference/norm.hpp': '' }, /expected a kernel/);
  finds(simd, { 'src/kernels/simd.hpp': '', 'src/kernels/reference/simd.hpp': '' }, /take it off/);
  finds(simd, {}, /not there/);
});

test('a byte beyond ASCII and a file that is too long are found', () => {
  finds(checkAscii, { 'src/a.cpp': 'int x;\n// caf\u00e9\n' }, /a\.cpp:2: expected ASCII, found U\+00e9/);
  finds(checkAscii, { 'src/a.cpp': 'int x;\r\n' }, /U\+000d/);
  finds(checkLength, { 'src/a.cpp': '\n'.repeat(maxLines) });
  finds(checkLength, { 'src/a.cpp': '\n'.repeat(maxLines + 1) }, /found 401/);
});

test('a source that says nothing about itself is found', () => {
  const check = (files) => checkOpenings(files, new Set(['src/old.cpp']));
  finds(check, { 'src/a.cpp': '// A sum.\nint x;\n', 'web/src/a.ts': '// A view.\n', 'src/old.cpp': 'int x;\n' });
  finds(check, { 'src/a.cpp': '#include "a.hpp"\n// Late.\n', 'web/src/a.ts': '//\n' }, /src\/a\.cpp: expected a comment/, /a\.ts/);
});

test('flags and functions that break the contract are found', () => {
  finds(checkForbidden, { 'wasm/flags.cmake': '-ffp-contract=off', 'tests/bench/CMakeLists.txt': '-ffp-contract=fast' });
  finds(checkForbidden, { 'tests/CMakeLists.txt': '-mrelaxed-simd' }, /-mrelaxed-simd/);
  finds(checkForbidden, { 'wasm/flags.cmake': '-ffast-math\n-ffp-contract=fast' }, /-ffast-math/, /-ffp-contract=/);
  finds(checkForbidden, { 'src/model/a.cpp': 'y = std::exp(x);' }, /scalar_math/);
  finds(checkForbidden, { 'src/kernels/a.hpp': 'v = xsimd::sqrt(x);', 'src/kernels/simd.hpp': 'return xsimd::sqrt(x);' }, /src\/kernels\/a\.hpp.*simd\.hpp/);
  finds(checkForbidden, { 'src/kernels/reference/a.hpp': 'y = std::exp(x);' });
  finds(checkForbidden, { 'src/training/a.cpp': 'std::normal_distribution<float> d;' }, /declared seed/);
  finds(checkForbidden, { 'src/session/a.cpp': 'std::random_device device;', 'src/cli/a.cpp': 'std::random_device device;' }, /edges/);
  finds(checkForbidden, { 'web/src/views/a.ts': 'const x = Math.random();' }, /declared seed/);
});

test('a library that prints or ends the program is found; a method called abort is not', () => {
  finds(checkForbidden, { 'src/io/a.cpp': '#include <iostream>\nstd::cout << 1;' }, /iostream/, /cout/);
  finds(checkForbidden, { 'src/io/a.cpp': '  std::abort();\n  exit(1);' }, /std::abort/, /exit/);
  finds(checkForbidden, { 'src/cli/main.cpp': 'std::cout << 1; std::exit(1);' });
  finds(checkForbidden, { 'src/session/a.cpp': 'void Session::abort(RowId row) {\n  generator->abort(row);\n}\nvoid abort(RowId row);' });
  finds(checkForbidden, { 'src/io/a.cpp': '// never std::abort()\nconst char* text = "exit(1);";' });
});

test('work left to do without an issue is found', () => {
  finds(checkForbidden, { 'src/io/a.cpp': `// ${'TO'}DO: more` }, /belongs in an issue/);
  finds(checkForbidden, { 'src/io/a.cpp': `// ${'TO'}DO(#12): more` });
});

test("a machine's path and a registry's host are found", () => {
  finds(checkPlaces, { 'README.md': 'see /home/someone/x' }, /someone/);
  finds(checkPlaces, { 'package-lock.json': `https://registry.${'npm'}js.org/a` }, /npmjs/);
  finds(checkPlaces, { 'wasm/setup.sh': 'root=$folder/root; see tests/work/x' });
});

test('anchors are those of the headings, code blocks aside', () => {
  const text = '# A `b` [c](d)\n## Two words!\n## Two words!\n```\n# not one\n```\n';
  assert.deepEqual([...anchors(text)], ['a-b-c', 'two-words', 'two-words-1']);
});

test('links that lead to no file, no heading or no line are found', () => {
  const files = { 'docs/a.md': '# One\n', 'src/x.cpp': 'a\nb\n' };
  finds(checkLinks, { ...files, 'README.md': '[a](docs/a.md#one) [x](src/x.cpp#L2) [s](src/) [w](https://example.org) [r](#r)\n# R\n' });
  finds(checkLinks, { ...files, 'README.md': '[a](docs/b.md) [h](docs/a.md#two) [l](src/x.cpp#L3)' }, /nowhere/, /no heading 'two'/, /no line 3/);
  finds(checkLinks, { ...files, 'README.md': '`[a](docs/b.md)`\n```\n[a](docs/b.md)\n```\n' });
  finds(checkLinks, { ...files, 'docs/c.md': '[up](../../other/x.md)' }, /leaves the repository/);
});

test("the README's tree is read by its indentation, and held against the folders", () => {
  const readme = '```\nsrc/        all C++\n  base/     errors\n  io/       files\ndocs/       words\n```\n';
  assert.deepEqual(treeFolders(readme), ['src', 'src/base', 'src/io', 'docs']);
  finds(checkReadmeTree, { 'README.md': readme, 'src/base/a.hpp': '', 'src/io/a.hpp': '', 'docs/a.md': '' });
  finds(checkReadmeTree, { 'README.md': readme, 'src/base/a.hpp': '', 'docs/a.md': '', 'web/a.ts': '' }, /names src\/io\//, /leaves out web\//);
  finds(checkReadmeTree, {}, /expected a README/);
});

test('error lists that differ by a code or by a word are found', () => {
  const files = {
    'src/base/error.hpp': 'enum class ErrorCode {\n  a,\n  b,\n};\n{ErrorCode::a, "a",\n "First."}, {ErrorCode::b, "b", "It\'s second."}',
    'docs/errors.md': "| `a` | First. |\n| `b` | It's second. |\n",
    'web/src/engine/errors.ts': "  a: 'First.',\n  b: \"It's second.\",\n",
  };
  finds(checkErrorLists, files);
  finds(checkErrorLists, { ...files, 'docs/errors.md': '| `a` | First. |\n' }, /docs\/errors\.md: expected the codes a, b; found a/);
  finds(checkErrorLists, { ...files, 'web/src/engine/errors.ts': "  a: 'Other.',\n  b: \"It's second.\",\n" }, /expected 'First\.', found 'Other\.'/);
});

test('a version that is not that of the others is found', () => {
  const files = {
    'CMakeLists.txt': 'project(vitrine VERSION 0.2.0 LANGUAGES CXX)',
    'package.json': '{"version":"0.2.0"}',
    'package-lock.json': '{"version":"0.2.0"}',
  };
  finds(checkVersion, files);
  finds(checkVersion, { ...files, 'CMakeLists.txt': 'project(vitrine VERSION 0.1.0)' }, /CMakeLists\.txt: expected version 0\.2\.0 .*, found 0\.1\.0/);
  finds(checkVersion, { ...files, 'package-lock.json': '{"version":"0.1.0"}' }, /package-lock\.json/);
  finds(checkVersion, { ...files, 'CMakeLists.txt': 'project(vitrine)' }, /found none/);
});

test('a machine that the document leaves out, and one that is none, are found', () => {
  const check = (files) => checkMachines(files, ['native SSE2', 'wasm (testing), this Node']);
  const document = '## What was seen\n\n| machine | equal |\n|---|---|\n| native SSE2 | 9 |\n| wasm (testing), this Node | 9 |\n\n## Else\n';
  finds(check, { 'docs/machines.md': document });
  finds(check, { 'docs/machines.md': document.replace('SSE2', 'SSE') }, /expected a row of 'native SSE2'/, /'native SSE' is no machine/);
  finds(check, { 'docs/machines.md': document.replace('What was seen', 'Other') }, /native SSE2/, /this Node/);
});

test('a kernel whose outputs no golden result holds is found', () => {
  const kernel = 'template <class Arch = DefaultArch>\nfloat sum(const float* x, size_t n) noexcept {\n';
  const inner = 'namespace detail {\ninline float part(float x) {}\n}  // namespace detail\ntemplate <class Arch>\ninline float lane(Vec<Arch> x) {}\n';
  const header = `${kernel}${inner}inline float widen(int x) {}\nconstexpr size_t place(size_t i) {}\n`;
  const calls = 'k::sum<Arch>(x, n); kernels::widen(1);';
  finds(checkGolden, { 'src/kernels/reduce.hpp': header, 'tests/golden/kernels.cpp': calls });
  finds(checkGolden, { 'src/kernels/reduce.hpp': header, 'tests/golden/kernels.cpp': calls.replace('sum', 'sum_of_squares') }, /reduce\.hpp: sum: expected a hash/);
  finds(checkGolden, { 'src/kernels/reduce.hpp': header, 'tests/golden/kernels.cpp': calls.replace('widen', 'narrow') }, /reduce\.hpp: widen: expected/);
});

test('faults and detectors that the document leaves out, names otherwise or gives another owner are found', () => {
  const row = (name, meaning, owner) => `| \`${name}\` | ${meaning} | [${owner}](../${owner}) |\n`;
  const document = (mutations, detectors, done) => `## The detectors\n\n${detectors}\n## The mutations\n\n${mutations}\n## What is done about each\n\n${done}`;
  const fault = row('a', 'First.', 'src/x.cpp');
  const detector = row('d', 'Looks.', 'src/y.cpp');
  const files = {
    'src/model/fault.hpp': 'FaultEntry{Fault::a, "a", "src/x.cpp",\n "First."},',
    'src/session/detectors.cpp': 'DetectorEntry{"d", "src/y.cpp", "Looks.", run},',
    'src/x.cpp': '',
    'src/y.cpp': '',
  };
  const check = (text, ...patterns) => finds(checkMutations, { ...files, 'docs/exactness.md': text }, ...patterns);
  check(document(fault, detector, '| `a` | x | y |\n'));
  check(document('', detector, ''), /The mutations: expected a; found $/, /a: expected 'First\.'/, /a: expected its owner/);
  check(document(fault, row('d', 'Sees.', 'src/y.cpp'), '| `a` | x | y |\n'), /d: expected 'Looks\.'/);
  check(document(row('a', 'First.', 'src/z.cpp'), detector, '| `a` | x | y |\n'), /a: expected its owner src\/x\.cpp/);
  check(document(fault, detector, ''), /What is done about each: expected a; found $/);
  finds(checkMutations, {}, /expected entries in the code/, /expected entries in the code/);
});

test('a field input without a case or a reason, and a case that is not there, are found', () => {
  const cpp = 'TEST_CASE("a text "\n          "in two pieces") {}';
  const check = (register) => (files) => checkRegister(new Map([...files, ['docs/field-inputs.md', register]]));
  const files = { 'tests/cpp/a_test.cpp': cpp, 'tests/node/a.test.mjs': "test('does it', () => {});" };
  const cpp1 = '- **1.** x#1: broke.\n  [a](../tests/cpp/a_test.cpp): "a text in two pieces"';
  finds(check(`${cpp1};\n  [a](../tests/node/a.test.mjs): "does it"\n- **3.** y: broke. Not tried: no such thing.\n`), files);
  finds(check('- **1.** x: broke.\n\n## Next\nNot tried: other words.\n'), files, /1: expected a test case, or 'Not tried:'/);
  finds(check(cpp1.replace('two', 'three')), files, /has no case 'a text in three pieces'/);
  finds(check(cpp1.replace('a_test', 'b_test')), files, /b_test\.cpp is not there/);
  finds(check(`${cpp1} and [b](../tests/node/a.test.mjs)`), files, /expected each test file with a case's name/);
  finds(check(`${cpp1}\n${cpp1}`), files, /1: expected a number above 1/);
  finds(check('nothing'), files, /expected entries/);
  finds(checkRegister, files, /expected the register/);
});

test('a package with an address, without a hash or with a loose version is found', () => {
  const lock = (entry) => JSON.stringify({ packages: { '': {}, 'node_modules/a': entry } });
  const files = { 'package.json': '{"devDependencies":{"a":"1.0.0"}}', 'package-lock.json': lock({ integrity: 'sha512-x' }) };
  finds(checkPackages, files);
  finds(checkPackages, { ...files, 'package-lock.json': lock({ integrity: 'sha512-x', resolved: 'https://x' }) }, /address/);
  finds(checkPackages, { ...files, 'package-lock.json': lock({}) }, /no hash/);
  finds(checkPackages, { ...files, 'package.json': '{"devDependencies":{"a":"^1.0.0"}}' }, /exact version/);
});

test('blanking keeps line breaks, and leaves code alone', () => {
  assert.equal(codeOnly('a(); // b\n/* c\n */ d("e");'), 'a();     \n    \n    d(" ");');
});

test('a doctest program counts only what it says it ran', () => {
  const line = (total, passed, failed) => `[doctest] test cases: ${total} | ${passed} passed | ${failed} failed | 0 skipped`;
  assert.deepEqual(readDoctest(line(3, 3, 0), 0), { passed: 3, failed: 0, skipped: 0 });
  assert.deepEqual(readDoctest(line(3, 2, 1), 1), { passed: 2, failed: 1, skipped: 0 });
  assert.deepEqual(readDoctest(line(3, 3, 0).replaceAll(/\d+ passed/g, '\x1b[0;32m$&\x1b[0m'), 0), { passed: 3, failed: 0, skipped: 0 });
  assert.match(readDoctest('wasm trap: unreachable', 1).problem, /no summary/);
  assert.match(readDoctest(line(0, 0, 0), 0).problem, /ran no test/);
  assert.match(readDoctest(line(3, 3, 0), 'SIGSEGV').problem, /SIGSEGV/);
  const absent = `TEST CASE:  a\nx.hpp:25: MESSAGE: skipped: no file\nx.hpp:25: MESSAGE: skipped: no other\n${line(3, 3, 0)}`;
  assert.deepEqual(readDoctest(absent, 0), { passed: 2, failed: 0, skipped: 1 });
});

test('a fuzz target counts what it executed, and a finding is told', () => {
  const stats = (count) => `#${count}\tDONE   cov: 9\nstat::number_of_executed_units: ${count}\n`;
  assert.deepEqual(readFuzzer(stats(500), 0), { executions: 500 });
  assert.match(readFuzzer(stats(0), 0).problem, /executed nothing/);
  assert.match(readFuzzer('', 0).problem, /executed nothing/);
  const crash = "terminate called after throwing\n  what():  tensors read back: same_tensors()\n==1== ERROR: libFuzzer: deadly signal\n";
  assert.match(readFuzzer(crash, 77).problem, /ended with 77: tensors read back/);
  assert.match(readFuzzer('x.cpp:3:4: runtime error: shift\nSUMMARY: UndefinedBehaviorSanitizer: undefined-behavior x.cpp', 1).problem, /UndefinedBehavior/);
});

test('a node --test run counts a file without tests as a failure', () => {
  const report = { passed: 2, failed: 0, skipped: 0, files: 2, empty: [] };
  assert.deepEqual(readReport(JSON.stringify(report)).problems, []);
  assert.match(readReport(JSON.stringify({ ...report, empty: ['a.test.mjs'] })).problems[0], /holds no test/);
  assert.match(readReport('').problems[0], /reported nothing/);
});

test('a leg that ran nothing fails the run, and the closing line says so', () => {
  assert.deepEqual(judge({}), { passed: 0, failed: 1, skipped: 0, problems: ['no test ran'], ok: false });
  const good = { name: 'a', seconds: 1, ...judge({ passed: 2 }) };
  assert.match(summary([good]).text, /\n2 passed, 0 failed$/);
  assert.equal(summary([good]).ok, true);
  const bad = summary([good, { name: 'b', seconds: 1, ...judge({}) }]);
  assert.match(bad.text, /\n2 passed, 1 failed$/);
  assert.equal(bad.ok, false);
  assert.equal(summary([]).ok, false);
});

test('a golden result that is another, absent, new or not agreed on is told by name', () => {
  const recorded = { kernels: { exp: 'a', sum: 'b' } };
  assert.deepEqual(compare({ kernels: { exp: 'a', sum: 'b' }, other: {} }, recorded), { equal: 2, differences: [] });
  const of = (kernels) => compare({ kernels }, recorded).differences;
  assert.deepEqual(of({ exp: 'a', sum: 'c' }), ['kernels: sum: expected b, found "c"']);
  assert.deepEqual(of({ exp: 'a' }), ['kernels: sum: expected b, found nothing']);
  assert.deepEqual(of({ exp: 'a', sum: 'b', dot: 'c' }), ['kernels: dot: expected no such entry, found "c"']);
  assert.deepEqual(of({ exp: 'a', sum: { decode: 'b', prefill: 'c' } }), ['kernels: sum: expected b, found {"decode":"b","prefill":"c"}']);
  assert.equal(compare({}, recorded).differences.length, 2);
  assert.equal(compare({}, { kernels: {} }).differences.length, 1);
});

test('a machine is equal only when all was compared, nothing differs and its kernel tests passed', () => {
  const good = { equal: 3, differences: [], kernelTests: { passed: 2, failed: 0 }, versions: ['g++ 12'] };
  assert.equal(judgeMachine('a', good).result, 'equal');
  assert.equal(judgeMachine('a', { ...good, differences: ['sum'] }).result, 'different');
  assert.equal(judgeMachine('a', { ...good, equal: 0 }).result, 'failed');
  assert.equal(judgeMachine('a', { ...good, kernelTests: { passed: 2, failed: 1 } }).result, 'failed');
  assert.equal(judgeMachine('a', { ...good, kernelTests: { problem: 'crashed' } }).result, 'failed');
  const absent = judgeMachine('b', { why: 'no such compiler' });
  assert.equal(absent.result, 'not run');
  assert.equal(table([judgeMachine('a', good), absent]).ok, true);
  assert.equal(table([absent]).ok, false);
  assert.equal(table([judgeMachine('a', good), judgeMachine('b', { ...good, differences: ['x'] })]).ok, false);
});

test('the cost of the contract is told by medians, and by the ratio of each round', () => {
  const runs = (...values) => values.map((value) => ({ per_second: { dot: value } }));
  const rows = compareRuns(runs(1, 2, 6), runs(2, 1, 3));
  assert.deepEqual(rows, [{ name: 'dot', exact: 2, free: 2, ratio: 2 }]);
  const table = costTable([{ name: 'native', rows }, { name: 'wasm', rows: [{ name: 'dot', exact: 2e9, free: 4e9, ratio: 0.5 }] }]);
  assert.match(table, /^\| dot \| 2 \| 2 \| 2\.00 \| 2\.00 G \| 4\.00 G \| 0\.50 \|$/m);
});
