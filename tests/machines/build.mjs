// Builds the golden program and the kernels' tests for one machine, in build/machine-NAME, and runs the latter.
// The flags of the machine are its caller's; presets are for the builds that ship.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';

import { root, run } from '../../wasm/build.mjs';
import { readDoctest } from '../run-doctest.mjs';

/** The path of a program, or null. */
export function which(name) {
  const { stdout } = spawnSync('bash', ['-c', 'command -v -- "$1"', 'bash', name], { encoding: 'utf8' });
  return stdout.trim() || null;
}

/** The first line that a program says of its version. */
export const versionOf = (command, env = process.env) =>
  (spawnSync(command[0], [...command.slice(1), '--version'], { encoding: 'utf8', env }).stdout ?? '').split('\n')[0].trim();

/** Configures a folder with CMake's arguments and builds the targets; what CMake prints goes to stderr. */
export async function buildMachine(name, args, targets, env) {
  // As deep as the other build folders: the compiler cache serves both.
  const folder = join(root, `build/machine-${name}`);
  mkdirSync(folder, { recursive: true });
  const cmake = (...options) => run('cmake', options, { env, to: process.stderr });
  await cmake('-S', root, '-B', folder, '-G', 'Ninja', '--log-level=WARNING', '-DVITRINE_UNITY=ON', ...args);
  await cmake('--build', folder, '--parallel', '2', '--target', ...targets);
  return folder;
}

/** The kernels' tests, run by `command`: { passed, failed } or { problem }. */
export function runKernelTests(command, env) {
  const { stdout, stderr, status, signal, error } = spawnSync(command[0], command.slice(1), { encoding: 'utf8', cwd: root, env });
  if (error) return { problem: error.message };
  const result = readDoctest(stdout + stderr, signal ?? status);
  if (result.problem || result.failed > 0) process.stderr.write(stdout + stderr);
  return result;
}
