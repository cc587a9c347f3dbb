// Holds every machine that can be reached to the recorded hashes, one after the other, and prints a table:
//   node tests/machines.mjs [WORD...] [--json] [--install] [--list]
// WORD takes the machines whose names hold one of the words. --install first installs the packages that they need.
// Exit status 1 if any machine differs or fails, or none ran; one that is not there is "not run", with the reason.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { main, root, run, setUp, StepFailed } from '../wasm/build.mjs';
import { nativeMachines } from './machines/native.mjs';
import { wasmMachines } from './machines/wasm.mjs';

export const machines = [...nativeMachines, ...wasmMachines];

/** What a machine's run says, as a row. */
export function judge(name, { why, equal = 0, differences = [], kernelTests, versions = [] }) {
  if (why) return { name, result: 'not run', why };
  const row = { name, result: 'equal', equal, different: differences.length, versions };
  if (kernelTests) row.kernel_tests = kernelTests.problem ?? `${kernelTests.passed} passed, ${kernelTests.failed} failed`;
  if (differences.length > 0) Object.assign(row, { result: 'different', why: differences.join('; ') });
  else if (equal === 0) Object.assign(row, { result: 'failed', why: 'nothing was compared' });
  else if (kernelTests?.problem || kernelTests?.failed > 0) Object.assign(row, { result: 'failed', why: `kernel tests: ${row.kernel_tests}` });
  return row;
}

async function runMachine(machine, environment) {
  const started = performance.now();
  console.error(`--- ${machine.name}`);
  let row;
  try {
    row = judge(machine.name, await machine.run(environment));
  } catch (error) {
    row = { name: machine.name, result: 'failed', why: error instanceof StepFailed ? error.message : `${error.stack}` };
  }
  row.seconds = Math.round((performance.now() - started) / 100) / 10;
  console.error(`    ${row.result}${row.why ? `: ${row.why}` : ''} (${row.seconds} s)`);
  return row;
}

/** The rows as text, and whether all that ran is equal. */
export function table(rows) {
  const cells = rows.map((row) => [row.name, row.result, `${row.equal ?? 0}`, row.kernel_tests ?? '-', row.versions?.join('; ') ?? row.why]);
  const all = [['machine', 'result', 'equal', 'kernel tests', 'made of'], ...cells];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...all.map((row) => row[column].length)));
  const text = all.map((row) => row.map((cell, i) => (i < 4 ? cell.padEnd(widths[i]) : cell)).join('  ')).join('\n');
  const ran = rows.filter(({ result }) => result !== 'not run');
  return { text, ok: ran.length > 0 && ran.every(({ result }) => result === 'equal') };
}

function processor() {
  try {
    return /^model name\s*: (.*)$/m.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[1] ?? process.arch;
  } catch {
    return process.arch;
  }
}

function chosen(words) {
  const found = machines.filter(({ name }) => words.length === 0 || words.some((word) => name.toLowerCase().includes(word.toLowerCase())));
  if (found.length === 0) throw new StepFailed(`machines: expected words of their names, found '${words.join(' ')}'; --list prints them`);
  return found;
}

function readOptions() {
  const options = { json: { type: 'boolean' }, install: { type: 'boolean' }, list: { type: 'boolean' } };
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    throw new StepFailed(error.message);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(async () => {
    const { values, positionals } = readOptions();
    const wanted = chosen(positionals);
    if (values.list) return console.log(wanted.map(({ name }) => name).join('\n'));
    const packages = [...new Set(wanted.flatMap((machine) => machine.packages))];
    if (values.install && packages.length > 0) await run('bash', [join(root, 'wasm/setup/apt.sh'), ...packages], { to: process.stderr });
    const environments = new Map();
    const environment = (toolchain) => {
      if (!environments.has(toolchain)) environments.set(toolchain, setUp({ toolchain }));
      return environments.get(toolchain);
    };
    const rows = [];
    for (const machine of wanted) rows.push(await runMachine(machine, environment));
    const { text, ok } = table(rows);
    console.log(values.json ? JSON.stringify({ processor: processor(), machines: rows }, null, 2) : `${text}\n\n${processor()}`);
    process.exitCode = ok ? 0 : 1;
  });
}
