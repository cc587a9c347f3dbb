// What a Node of any version makes of the wasm builds, as JSON: node node.mjs FOLDER BUNDLE, FOLDER being a build folder.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { readBundle } from './files.mjs';
import { runProgram } from './program.mjs';
import { sessionHashes } from './session.mjs';

const [folder, bundleFolder] = process.argv.slice(2);
const load = async (name) => (await import(pathToFileURL(resolve(folder, name)))).default;
const cases = readFileSync(new URL('cases.json', import.meta.url), 'utf8');
const bundle = readBundle(bundleFolder);
const program = await runProgram(await load('tests/golden.mjs'), cases, bundle);
const session = await sessionHashes(await load('vitrine-module.mjs'), JSON.parse(cases), bundle);
console.log(JSON.stringify({ program, session }));
