// Runs the fuzz targets under libFuzzer: the corpus, then mutations of it. It judges by what libFuzzer says; the corpus
// alone, without Clang and as WebAssembly, is tests/fuzz/corpus_test.cpp.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { root } from '../wasm/build.mjs';

const program = `extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }\n`;

/** A clang++ that has libFuzzer and the sanitizers: VITRINE_CLANG, that of the toolchain's LLVM, or one on PATH. */
export function findClang(env) {
  const llvm = spawnSync('em-config', ['LLVM_ROOT'], { env, encoding: 'utf8' }).stdout?.trim();
  const candidates = env.VITRINE_CLANG ? [env.VITRINE_CLANG] : [...(llvm ? [join(llvm, 'clang++')] : []), 'clang++'];
  const scratch = mkdtempSync(join(tmpdir(), 'vitrine-clang-'));
  try {
    writeFileSync(join(scratch, 'probe.cpp'), program);
    const args = ['-fsanitize=fuzzer,address,undefined', '-o', join(scratch, 'probe'), join(scratch, 'probe.cpp')];
    return candidates.find((clang) => spawnSync(clang, args, { env, stdio: 'ignore' }).status === 0 && spawnSync(join(scratch, 'probe'), ['-runs=1'], { stdio: 'ignore' }).status === 0);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The longest input of a target: what its format needs, and the definition that text is compared with can bear. */
const maxLength = (target) => ({ bundle: 16384, tokenizer_json: 16384, text: 512 })[target] ?? 4096;

/** What libFuzzer's output says: how many inputs were executed, and what it found. */
export function readFuzzer(output, status) {
  const executions = Number(/stat::number_of_executed_units: *(\d+)/.exec(output)?.[1] ?? 0);
  if (status !== 0) {
    const what = /SUMMARY: (.*)|what\(\): +(.*)|ERROR: libFuzzer: (.*)/.exec(output);
    return { executions, problem: `ended with ${status}: ${what?.slice(1).find(Boolean) ?? 'no summary'}` };
  }
  return executions > 0 ? { executions } : { executions, problem: 'executed nothing' };
}

function runTarget(folder, target, { runs, minutes }, env) {
  const corpus = join(root, 'build/fuzz-corpus', target);
  const findings = join(root, 'build/fuzz-findings');
  if (runs) rmSync(corpus, { recursive: true, force: true });
  mkdirSync(corpus, { recursive: true });
  mkdirSync(findings, { recursive: true });
  const args = [corpus, `tests/fuzz/corpus/${target}`, `-artifact_prefix=${findings}/${target}-`];
  args.push(`-max_len=${maxLength(target)}`, '-timeout=20', '-rss_limit_mb=1024', '-malloc_limit_mb=256', '-print_final_stats=1');
  const dictionary = `tests/fuzz/dictionaries/${target}.dict`;
  if (existsSync(join(root, dictionary))) args.push(`-dict=${dictionary}`);
  // As many executions on every machine, however slow, from one seed, though what was compared, addresses too, steers them;
  // a long run goes by the clock.
  args.push(...(runs ? [`-runs=${runs}`, '-seed=1'] : [`-max_total_time=${Math.round(60 * minutes)}`]));
  return new Promise((resolve) => {
    const child = spawn(join(folder, 'tests/fuzz', `fuzz_${target}`), args, { cwd: root, env, stdio: ['ignore', 'ignore', 'pipe'] });
    let output = '';
    child.stderr.setEncoding('utf8').on('data', (text) => (output += text));
    child.on('error', (error) => resolve({ output: error.message, status: 'an error' }));
    child.on('close', (status, signal) => resolve({ output, status: signal ?? status }));
  });
}

/** Every target of the corpus, two at a time: `runs` inputs each, or `minutes` each. One result a target. */
export async function runFuzz(folder, budget, env) {
  const total = { passed: 0, failed: 0, skipped: 0, problems: [] };
  const waiting = readdirSync(join(root, 'tests/fuzz/corpus')).sort();
  async function work() {
    for (let target = waiting.shift(); target; target = waiting.shift()) {
      const started = performance.now();
      const { output, status } = await runTarget(folder, target, budget, env);
      const { executions, problem } = readFuzzer(output, status);
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      if (problem) console.log(output.split('\n').slice(-60).join('\n'));
      total[problem ? 'failed' : 'passed'] += 1;
      console.log(`  fuzz ${target}: ${executions} executions, ${problem ?? 'nothing found'} (${seconds} s)`);
    }
  }
  await Promise.all([work(), work()]);
  return total;
}
