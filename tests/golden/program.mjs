// Runs the golden program where it was built as WebAssembly: under Node and in browsers alike, its files in memory.
// It reads no file and no address: its callers hand in everything.

/** `create` is the factory of golden.mjs, `cases` the text of cases.json, `bundle` a Map from file name to bytes. */
export async function runProgram(create, cases, bundle) {
  const lines = { out: [], err: [] };
  const program = await create({ print: (line) => lines.out.push(line), printErr: (line) => lines.err.push(line) });
  program.FS.writeFile('/cases.json', cases);
  program.FS.mkdir('/bundle');
  for (const [name, bytes] of bundle) program.FS.writeFile(`/bundle/${name}`, bytes);
  const status = program.callMain(['/cases.json', '/bundle']);
  if (status !== 0) throw new Error(`golden: ended with ${status}: ${lines.err.join('\n')}`);
  return JSON.parse(lines.out.join('\n'));
}
