// Records anew the hashes of the sets that are named: node tests/golden/record.mjs SET... It prints every entry that
// changes, and records nothing unless the native build and the wasm build agree.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { build, main, setUp, StepFailed } from '../../wasm/build.mjs';
import { runNative, runUnderNode } from '../run-golden.mjs';
import { compare, fileOf, readRecorded, sets } from './recorded.mjs';

function recordedOrNothing(set) {
  try {
    return readRecorded([set])[set];
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return {};
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(async () => {
    const names = process.argv.slice(2);
    const unknown = names.filter((name) => !sets.includes(name));
    if (names.length === 0 || unknown.length > 0) {
      throw new StepFailed(`record: expected some of ${sets.join(', ')}, found '${names.join(' ')}'`);
    }
    const env = await setUp();
    const native = await runNative(await build('native-release', ['golden'], env), env);
    const wasm = await runUnderNode(await build('wasm-release', ['golden', 'product'], env), env);
    const wanted = Object.fromEntries(names.map((set) => [set, native[set]]));
    const { differences } = compare(wasm.program, wanted);
    if (differences.length > 0) throw new StepFailed(`record: native and wasm differ:\n  ${differences.join('\n  ')}`);
    for (const set of names) {
      const changes = compare({ [set]: native[set] }, { [set]: recordedOrNothing(set) }).differences;
      for (const change of changes) console.log(change);
      console.log(`${set}: ${changes.length} of ${Object.keys(native[set]).length} entries changed`);
      writeFileSync(fileOf(set), `${JSON.stringify(native[set], null, 1)}\n`);
    }
  });
}
