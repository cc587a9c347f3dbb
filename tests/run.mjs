// `npm test`: sets up, then runs the legs below one after the other and sums them up. `npm test -- native node` runs
// these legs alone. It holds no test itself.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { build, buildParts, main, root, run, setUp, StepFailed } from '../wasm/build.mjs';
import { runDoctest } from './run-doctest.mjs';
import { addUp, holdNative, holdWasm } from './run-golden.mjs';
import { findClang, runFuzz } from './run-fuzz.mjs';
import { runNode } from './run-node.mjs';

async function testNative(preset, targets, env) {
  const folder = await build(preset, targets, env);
  return addUp(await runDoctest(folder, env), await holdNative(folder, env));
}

const legs = {
  checks: {
    about: 'the structure of the sources and documents',
    run: (env) => runNode('checks', env),
  },
  native: {
    about: 'C++, built for this machine',
    async run(env) {
      return testNative('native-release', ['product', 'tests'], env);
    },
  },
  wasm: {
    about: 'C++, built as WebAssembly, under Node',
    async run(env) {
      const folder = await build('wasm-release', ['product', 'tests'], env);
      return addUp(await runDoctest(folder, env), await holdWasm(folder, env));
    },
  },
  node: {
    about: 'TypeScript and the wasm module, under Node; types',
    async run(env) {
      await buildParts(['native', 'wasm', 'page'], env);
      await run('npm', ['run', '--silent', 'typecheck'], { env });
      return runNode('node', env);
    },
  },
  browser: {
    about: 'the page, in Chromium',
    async run(env) {
      await buildParts(['native', 'wasm', 'page'], env);
      await build('wasm-release', ['golden'], env);
      return runNode('browser', env, { concurrency: 1 });
    },
  },
  fuzz: {
    about: 'untrusted input, under libFuzzer and the sanitizers',
    // Enough to see every target work, and the corpus mutated.
    run: (env) => fuzz({ runs: 20_000 }, env),
  },
  // By name only: what the others do, slower.
  'fuzz-long': {
    about: 'the same for VITRINE_FUZZ_MINUTES minutes a target (10), from where the last long run ended',
    byNameOnly: true,
    run: (env) => fuzz({ minutes: Number(env.VITRINE_FUZZ_MINUTES ?? 10) }, env),
  },
  sanitize: {
    about: 'C++, under the address and undefined-behaviour sanitizers',
    byNameOnly: true,
    async run(env) {
      // A test of what memory cannot hold expects an allocation to be refused, not the program to be ended.
      return testNative('sanitize', ['tests'], { ...env, ASAN_OPTIONS: 'allocator_may_return_null=1' });
    },
  },
  baseline: {
    about: 'C++, built for SSE2 only',
    byNameOnly: true,
    async run(env) {
      return testNative('native-baseline', ['tests'], env);
    },
  },
};

/** The corpus under the sanitizers, then the targets for as long as the budget says. */
async function fuzz(budget, env) {
  const clang = findClang(env);
  if (!clang) {
    console.log('  fuzz: skipped: no clang++ with libFuzzer (Debian: libclang-rt-N-dev, or name one in VITRINE_CLANG); the legs native and wasm replay the corpus');
    return { skipped: 1 };
  }
  const fuzzEnv = { ...env, VITRINE_CLANG: clang };
  const folder = await build('fuzz', ['test_fuzz', 'fuzz'], fuzzEnv);
  const replayed = await runDoctest(folder, fuzzEnv, /^fuzz$/);
  const fuzzed = await runFuzz(folder, budget, fuzzEnv);
  return {
    passed: replayed.passed + fuzzed.passed,
    failed: replayed.failed + fuzzed.failed,
    problems: [...replayed.problems, ...fuzzed.problems],
  };
}

/** A leg's result as it counts: a problem, or no test at all, is a failure of the leg itself. */
export function judge({ passed = 0, failed = 0, skipped = 0, problems = [] }) {
  const all = passed + failed + skipped === 0 && problems.length === 0 ? ['no test ran'] : problems;
  return { passed, failed: failed + all.length, skipped, problems: all, ok: failed === 0 && all.length === 0 };
}

async function runLeg(name, env) {
  const started = performance.now();
  console.log(`\n--- ${name}: ${legs[name].about}`);
  let result;
  try {
    result = judge(await legs[name].run(env));
  } catch (error) {
    result = judge({ problems: [error instanceof StepFailed ? error.message : error.stack] });
  }
  for (const problem of result.problems) console.log(`  ${name}: ${problem}`);
  return { name, ...result, seconds: (performance.now() - started) / 1000 };
}

/** The table, and the closing line that a CI reads. */
export function summary(results) {
  const row = (cells) => cells.map((cell, i) => (i < 2 ? cell.padEnd(9) : cell.padStart(8))).join(' ');
  const lines = [row(['leg', 'result', 'passed', 'failed', 'skipped', 'seconds'])];
  const sum = { passed: 0, failed: 0, skipped: 0 };
  for (const { name, ok, passed, failed, skipped, seconds } of results) {
    lines.push(row([name, ok ? 'ok' : 'FAILED', `${passed}`, `${failed}`, `${skipped}`, seconds.toFixed(1)]));
    sum.passed += passed;
    sum.failed += failed;
    sum.skipped += skipped;
  }
  const closing = `${sum.passed} passed, ${sum.failed} failed${sum.skipped > 0 ? `, ${sum.skipped} skipped` : ''}`;
  return { text: `${lines.join('\n')}\n\n${closing}`, ok: sum.failed === 0 && sum.passed > 0 };
}

function chosenLegs(names) {
  const unknown = names.filter((name) => !(name in legs));
  if (unknown.length > 0) throw new StepFailed(`test: expected legs of ${Object.keys(legs).join(', ')}, found '${unknown}'`);
  return names.length > 0 ? names : Object.keys(legs).filter((name) => !legs[name].byNameOnly);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(async () => {
    process.chdir(root);
    const names = chosenLegs(process.argv.slice(2));
    const results = [];
    const started = performance.now();
    try {
      const env = await setUp({ browser: names.includes('browser'), fuzz: names.some((name) => name.startsWith('fuzz')) });
      results.push({ name: 'set-up', ok: true, passed: 0, failed: 0, skipped: 0, seconds: (performance.now() - started) / 1000 });
      if (!env.VITRINE_CHROMIUM) {
        const found = spawnSync('bash', ['-c', 'command -v chromium || command -v chromium-browser || command -v google-chrome']);
        env.VITRINE_CHROMIUM = String(found.stdout).trim();
      }
      for (const name of names) results.push(await runLeg(name, env));
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error;
      console.log(`set-up: ${error.message}`);
      results.push({ name: 'set-up', ok: false, passed: 0, failed: 1, skipped: 0, seconds: (performance.now() - started) / 1000 });
    }
    const { text, ok } = summary(results);
    console.log(`\n${text}`);
    process.exitCode = ok ? 0 : 1;
  });
}
