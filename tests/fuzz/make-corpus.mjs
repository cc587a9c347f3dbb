// Writes the corpus of the fuzz targets: `node tests/fuzz/make-corpus.mjs`. Each input is a file
// corpus/TARGET/OUTCOME/what-it-is. Files named found-... are what fuzzing found; they are kept as they are.
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import bundle from './seeds/bundle.mjs';
import objects from './seeds/objects.mjs';
import safetensors from './seeds/safetensors.mjs';
import sealed from './seeds/sealed.mjs';
import session from './seeds/session.mjs';
import text from './seeds/text.mjs';
import tokenizer from './seeds/tokenizer.mjs';

const folder = fileURLToPath(new URL('corpus', import.meta.url));

/** Every input by its path in the corpus. */
export function makeCorpus() {
  const inputs = new Map();
  for (const [target, outcomes] of Object.entries({ ...safetensors, ...sealed, ...session, ...tokenizer, ...objects, ...bundle, ...text })) {
    for (const [outcome, files] of Object.entries(outcomes)) {
      for (const [name, bytes] of Object.entries(files)) inputs.set(`${target}/${outcome}/${name}`, Buffer.from(bytes));
    }
  }
  return inputs;
}

/** The corpus as it stands in the repository, findings left out. */
export function readCorpus() {
  const paths = readdirSync(folder, { recursive: true }).filter((path) => statSync(join(folder, path)).isFile());
  return new Map(paths.filter((path) => !/\/found-[^/]*$/.test(path)).map((path) => [path, readFileSync(join(folder, path))]));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync(folder, { recursive: true });
  const inputs = makeCorpus();
  for (const path of readCorpus().keys()) if (!inputs.has(path)) rmSync(join(folder, path));
  for (const [path, bytes] of inputs) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
  console.log(`${inputs.size} inputs`);
}
