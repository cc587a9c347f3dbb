// The native machines: instruction sets, compilers, levels of optimisation, and another processor under an emulator.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { compareNative, runNative } from '../run-golden.mjs';
import { buildMachine, runKernelTests, versionOf, which } from './build.mjs';

const compilers = {
  'g++': ['g++'],
  'clang++': ['clang++-22', 'clang++-19', 'clang++'],
  'aarch64-linux-gnu-g++': ['aarch64-linux-gnu-g++'],
};

const aarch64 = ['-DCMAKE_SYSTEM_NAME=Linux', '-DCMAKE_SYSTEM_PROCESSOR=aarch64'];
const qemu = ['qemu-aarch64', '-L', '/usr/aarch64-linux-gnu'];
const crossPackages = ['g++-aarch64-linux-gnu', 'qemu-user'];

/** `set` is VITRINE_MACHINE; `needs` the processor's flags. */
const variants = [
  { name: 'native SSE2, g++ -O3', set: 'baseline', compiler: 'g++', level: '-O3' },
  { name: 'native AVX2, g++ -O3', set: 'avx2', compiler: 'g++', level: '-O3', needs: ['avx2'] },
  { name: 'native AVX2, g++ -O1', set: 'avx2', compiler: 'g++', level: '-O1', needs: ['avx2'] },
  { name: 'native AVX-512, g++ -O3', set: 'avx512', compiler: 'g++', level: '-O3', needs: ['avx512f', 'avx512cd', 'avx512dq', 'avx512bw'] },
  { name: 'native SSE2, clang++ -O1', set: 'baseline', compiler: 'clang++', level: '-O1' },
  { name: 'native AVX2, clang++ -O3', set: 'avx2', compiler: 'clang++', level: '-O3', needs: ['avx2'] },
  { name: 'native AVX-512, clang++ -O3', set: 'avx512', compiler: 'clang++', level: '-O3', needs: ['avx512f', 'avx512cd', 'avx512dq', 'avx512bw'] },
  { name: 'native emulated<128>, g++ -O3', set: 'emulated128', compiler: 'g++', level: '-O3' },
  { name: 'native emulated<256>, g++ -O3', set: 'emulated256', compiler: 'g++', level: '-O3' },
  { name: 'native emulated<512>, g++ -O3', set: 'emulated512', compiler: 'g++', level: '-O3' },
  ...['-O3', '-O1'].map((level) => ({
    name: `AArch64 NEON, g++ ${level}, under qemu`,
    set: 'baseline',
    compiler: 'aarch64-linux-gnu-g++',
    level,
    cmake: aarch64,
    launcher: qemu,
    packages: crossPackages,
  })),
];

function processorFlags() {
  if (!existsSync('/proc/cpuinfo')) return [];
  return (/^flags\s*: (.*)$/m.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[1] ?? '').split(' ');
}

async function runVariant({ name, set, compiler, level, needs = [], cmake = [], launcher = [] }, setUp) {
  const flags = processorFlags();
  const missing = needs.filter((flag) => !flags.includes(flag));
  if (missing.length > 0) return { why: `this processor has no ${missing.join(', ')}` };
  const found = compilers[compiler].find(which);
  if (!found) return { why: `no ${compiler} on PATH` };
  if (launcher.length > 0 && !which(launcher[0])) return { why: `no ${launcher[0]} on PATH` };

  const env = await setUp();
  const id = name.replaceAll(/[^\w]+/g, '-').toLowerCase();
  const args = ['-DCMAKE_BUILD_TYPE=Machine', `-DCMAKE_CXX_FLAGS=${level} -DNDEBUG`, `-DCMAKE_CXX_COMPILER=${found}`, `-DVITRINE_MACHINE=${set}`];
  const folder = await buildMachine(id, [...args, ...cmake], ['golden', 'test_kernels'], env);
  const hashes = await runNative(folder, env, launcher);
  return {
    ...compareNative(hashes),
    kernelTests: runKernelTests([...launcher, join(folder, 'tests/test_kernels')], env),
    versions: [versionOf([found]), `xsimd ${hashes.build.instructions}`, ...(launcher.length > 0 ? [versionOf([launcher[0]])] : [])],
  };
}

export const nativeMachines = variants.map((variant) => ({
  name: variant.name,
  packages: variant.packages ?? [],
  run: (setUp) => runVariant(variant, setUp),
}));
