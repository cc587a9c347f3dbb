// What the contract of exactness costs: runs bench_cost and bench_cost_free in turn, natively and as WebAssembly, and
// prints the medians side by side as a table in Markdown. It builds nothing and asserts nothing about speed.
import { join } from 'node:path';

import { run, StepFailed } from '../../wasm/build.mjs';
import { newerNode } from '../run-golden.mjs';

/** One program is at times a fifth slower than itself on a shared machine. */
const rounds = 15;
const programs = ['bench_cost', 'bench_cost_free'];

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The medians of two programs' runs, and the median of exact / free round by round, for every measurement. */
export function compareRuns(exact, free) {
  return Object.keys(exact[0].per_second).map((name) => {
    const [ours, theirs] = [exact, free].map((runs) => runs.map(({ per_second }) => per_second[name]));
    return { name, exact: median(ours), free: median(theirs), ratio: median(ours.map((value, i) => value / theirs[i])) };
  });
}

const rate = (value) => (value >= 1e7 ? `${(value / 1e9).toFixed(2)} G` : Math.round(value).toLocaleString('en-GB'));

/** Rows of a table: each measurement on every machine of [{ rows }]. */
export function costTable(machines) {
  const cells = ({ exact, free, ratio }) => `${rate(exact)} | ${rate(free)} | ${ratio.toFixed(2)}`;
  const head = machines.map(({ name }) => `${name}: exact | free | exact / free`).join(' | ');
  return [
    `| a second | ${head} |`,
    `|---${'|---|---|---'.repeat(machines.length)}|`,
    ...machines[0].rows.map(({ name }, i) => `| ${name} | ${machines.map(({ rows }) => cells(rows[i])).join(' | ')} |`),
  ].join('\n');
}

/** What the logits of the two say: how many depend on the schedule, and whether both machines agree on them. */
function tellLogits(machines) {
  for (const { name, runs } of machines) {
    programs.forEach((program, i) => {
      const { logits, different_when_cached: different, sha256 } = runs[i][0].model;
      console.log(`${name}, ${program}: cached and recomputed differ in ${different} of ${logits} logits; SHA-256 ${sha256.slice(0, 16)}`);
    });
  }
}

/** `native` and `wasm`: build folders that hold both programs. */
export async function runCost(native, wasm, env) {
  // Relaxed SIMD came to V8 after Node 20.
  const node = newerNode() ?? process.execPath;
  const machines = [
    { name: 'native', command: (program) => [join(native, 'tests/bench', program)], runs: [[], []] },
    { name: 'WebAssembly', command: (program) => [node, join(wasm, 'tests/bench', `${program}.cjs`)], runs: [[], []] },
  ];
  for (let round = 0; round < rounds; round += 1) {
    for (const { command, runs } of machines) {
      // What ran before leaves the machine warm or cold, so the two take turns in being first.
      for (const i of round % 2 === 0 ? [0, 1] : [1, 0]) {
        const program = programs[i];
        const [file, ...args] = command(program);
        const result = JSON.parse(await run(file, args, { env, capture: true }));
        if (result.fused !== (i === 1)) throw new StepFailed(`${program}: expected multiply-adds ${i === 1 ? 'to be fused' : 'in two roundings'}`);
        runs[i].push(result);
      }
    }
  }
  for (const machine of machines) machine.rows = compareRuns(...machine.runs);
  const version = (await run(node, ['--version'], { capture: true })).trim();
  console.log(`${machines.map(({ name, runs }) => `${name}: ${runs[1][0].instructions}`).join(', ')}; Node ${version}; medians of ${rounds} rounds\n`);
  console.log(`${costTable(machines)}\n`);
  tellLogits(machines);
}
