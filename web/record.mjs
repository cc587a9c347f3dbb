// Records what the page shows while its model loads: one completion and its proof, as the shipped bundle makes them
// through the wasm module. `node web/record.mjs` writes web/recorded/shell.json; a test holds the file to record().
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
export const recordingFile = path.join(root, 'web/recorded/shell.json');

/** Long enough that its proof has something to show, and a sentence of the corpus to its end. */
const text = 'docker run --';
/** As the text box asks (web/src/runs/completer.ts); a seed, of which greedy makes no use, so that no two recordings differ. */
const policy = { max_new_tokens: 64, seed: 0 };

async function loadBundle(session, folder) {
  const manifest = await readFile(path.join(folder, 'manifest.json'));
  session.addFile('manifest.json', manifest);
  for (const { file } of JSON.parse(manifest).parts) session.addFile(file, await readFile(path.join(folder, file)));
  return JSON.parse(session.load());
}

/** The proof of a completion, as the page runs it: the same policy, every token against the full prefix. */
function prove(session, effective) {
  const { row } = JSON.parse(session.start(text, JSON.stringify(effective), JSON.stringify({ parity: true, heal: true })));
  const steps = [];
  do {
    const [step] = JSON.parse(session.step([row]));
    const piece = step.token === null ? '' : session.decode(Int32Array.of(step.token));
    steps.push({ ...step, piece });
  } while (steps.at(-1).finish_reason === null);
  return { steps, result: JSON.parse(session.finish(row)) };
}

/** The recording, from the bundle in web/models/shell and the built module. */
export async function record() {
  const { default: create } = await import(pathToFileURL(path.join(root, 'build/wasm-release/vitrine-module.mjs')));
  const session = new (await create()).Session();
  try {
    const { name, model_version, architecture, parts } = await loadBundle(session, path.join(root, 'web/models/shell'));
    const completion = JSON.parse(session.complete(text, JSON.stringify(policy)));
    const hashes = Object.fromEntries(parts.map((part) => [part.name, part.sha256]));
    return { name, model_version, parts: hashes, architecture, text, completion, ...prove(session, completion.policy) };
  } finally {
    session.delete();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await writeFile(recordingFile, `${JSON.stringify(await record(), null, 1)}\n`);
}
