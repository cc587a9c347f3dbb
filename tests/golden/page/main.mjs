// Runs the golden program and the shipped module in a browser and leaves globalThis.golden: what both made, or an error.
import { runProgram } from './program.mjs';
import { sessionHashes } from './session.mjs';

async function bytesOf(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return new Uint8Array(await answer.arrayBuffer());
}

async function readBundle() {
  const manifest = await bytesOf('bundle/manifest.json');
  const bundle = new Map([['manifest.json', manifest]]);
  for (const { file } of JSON.parse(new TextDecoder().decode(manifest)).parts) bundle.set(file, await bytesOf(`bundle/${file}`));
  return bundle;
}

async function run() {
  const cases = new TextDecoder().decode(await bytesOf('cases.json'));
  const bundle = await readBundle();
  const { default: createProgram } = await import('./golden.mjs');
  const { default: createModule } = await import('./vitrine-module.mjs');
  const program = await runProgram(createProgram, cases, bundle);
  const session = await sessionHashes(createModule, JSON.parse(cases), bundle);
  return { program, session };
}

globalThis.golden = await run().catch((error) => ({ error: `${error.stack ?? error}` }));
