// Runs the doctest programs of a build folder and counts their tests. It builds nothing.
import { spawn } from 'node:child_process';
import { basename } from 'node:path';

import { root, run } from '../wasm/build.mjs';

/**
 * What a doctest program's output says: { passed, failed, skipped }, or a problem. A test that found its data absent says
 * "skipped:" in a message; it did not pass. Emscripten 3.1 takes a pipe for a terminal, so the output may have colours.
 */
export function readDoctest(printed, status) {
  const output = printed.replaceAll(/\x1b\[[0-9;]*m/g, '');
  const summary = /\[doctest\] test cases: +(\d+) \| +(\d+) passed \| +(\d+) failed/.exec(output);
  if (!summary) return { problem: `printed no summary and ended with ${status}` };
  const [total, passed, failed] = summary.slice(1).map(Number);
  if (total === 0) return { problem: 'ran no test' };
  if (status !== 0 && failed === 0) return { problem: `no test failed, and yet it ended with ${status}` };
  const skipped = new Set();
  let test = '';
  for (const line of output.split('\n')) {
    if (line.startsWith('TEST CASE:')) test = line;
    if (/MESSAGE: skipped:/.test(line)) skipped.add(test);
  }
  return { passed: passed - skipped.size, failed, skipped: skipped.size };
}

function runProgram([program, ...args], cwd, env) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: 15 * 60_000 });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (output += text));
    child.on('error', (error) => resolve({ output: error.message, status: 'an error' }));
    child.on('close', (status, signal) => resolve({ output, status: signal ?? status }));
  });
}

/** Runs the programs that the build folder's ctest knows, two at a time; prints a line for each. */
export async function runDoctest(folder, env, names = /./) {
  const list = JSON.parse(await run('ctest', ['--test-dir', folder, '--show-only=json-v1'], { env, capture: true }));
  const total = { passed: 0, failed: 0, skipped: 0, problems: [] };
  const waiting = list.tests.filter((test) => names.test(test.name));
  async function work() {
    for (let test = waiting.shift(); test; test = waiting.shift()) {
      const started = performance.now();
      const { output, status } = await runProgram(test.command, root, env);
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      const result = readDoctest(output, status);
      if (result.problem) total.problems.push(`${test.name}: ${result.problem}`);
      if (result.problem || result.failed > 0) console.log(output);
      for (const key of ['passed', 'failed', 'skipped']) total[key] += result[key] ?? 0;
      const notes = result.skipped > 0 ? `, ${result.skipped} skipped` : '';
      console.log(`  ${basename(folder)} ${test.name}: ${result.problem ?? `${result.passed} passed, ${result.failed} failed${notes}`} (${seconds} s)`);
    }
  }
  await Promise.all([work(), work()]);
  return total;
}
