// `npm run bench`: builds the programs of tests/bench natively and as WebAssembly and runs each in both, one after the
// other, so that their figures belong to one machine and one moment. `npm run bench -- NAME...` runs these alone.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { build, main, root, run, setUp, StepFailed } from '../wasm/build.mjs';
import { runCost } from './bench/cost.mjs';

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(async () => {
    process.chdir(root);
    const all = readdirSync('tests/bench').filter((name) => name.endsWith('.cpp')).map((name) => name.replace('.cpp', ''));
    const names = process.argv.length > 2 ? process.argv.slice(2) : all;
    const unknown = names.filter((name) => !all.includes(name));
    if (names.length === 0 || unknown.length > 0) {
      throw new StepFailed(`bench: expected some of ${all.join(', ') || '(none)'}, found '${unknown}'`);
    }
    const env = await setUp();
    const targets = names.map((name) => `bench_${name}`);
    if (names.includes('cost')) targets.push('bench_cost_free');
    const native = await build('native-release', targets, env);
    const wasm = await build('wasm-release', targets, env);
    for (const name of names) {
      const target = `bench_${name}`;
      if (name === 'cost') {
        console.log('\n--- bench_cost, exact and free, natively and as WebAssembly');
        await runCost(native, wasm, env);
        continue;
      }
      console.log(`\n--- ${target}, native`);
      const printed = await run(join(native, 'tests/bench', target), [], { env, capture: true });
      process.stdout.write(printed);
      // A plain loop as WebAssembly falls short of the kernels, so both are held to what the machine itself can do.
      const [, peak] = /peak of a plain multiply-add loop: ([\d.]+)/.exec(printed) ?? [];
      console.log(`\n--- ${target}, WebAssembly under Node ${process.version}`);
      await run(process.execPath, [join(wasm, 'tests/bench', `${target}.cjs`), ...(peak ? [peak] : [])], { env });
    }
  });
}
