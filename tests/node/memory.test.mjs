// What a deleted session leaves behind: nothing. Memory of WebAssembly never shrinks, so what leaks stays for good.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { test } from 'node:test';

import { modulePath } from './support/command-line.mjs';
import { scriptedBundle } from './support/scripted-bundle.mjs';

const files = scriptedBundle([[0x61, 0x62], [0x62, 0x61]]);

/** The module and its memory, which it does not hand out by itself. */
async function moduleWithMemory() {
  let memory;
  const { default: create } = await import(pathToFileURL(modulePath));
  const binary = await readFile(modulePath.replace(/\.mjs$/, '.wasm'));
  const module = await create({
    instantiateWasm(imports, received) {
      WebAssembly.instantiate(binary, imports).then(({ instance, module: compiled }) => {
        memory = Object.values(instance.exports).find((value) => value instanceof WebAssembly.Memory);
        received(instance, compiled);
      });
      return {};
    },
  });
  return { module, memory };
}

/** A session that loads, generates, completes, and is deleted with a row still open. */
function useOnce(module) {
  const session = new module.Session();
  for (const [name, bytes] of files) session.addFile(name, bytes);
  session.load();
  const { row } = JSON.parse(session.start('a', '{"max_new_tokens": 4}', '{"parity": true}'));
  while (JSON.parse(session.step([row]))[0].finish_reason === null);
  JSON.parse(session.complete('ab', '{"max_new_tokens": 4}'));
  session.delete();
}

test('fifty sessions, one after the other, take the memory of one', async () => {
  const { module, memory } = await moduleWithMemory();
  assert.ok(memory instanceof WebAssembly.Memory);
  for (let i = 0; i < 3; ++i) useOnce(module);
  const before = memory.buffer.byteLength;
  for (let i = 0; i < 50; ++i) useOnce(module);
  assert.equal(memory.buffer.byteLength, before);
});

test('sixteen rows run at once, and a row takes memory when it starts, not before', async () => {
  const { module } = await moduleWithMemory();
  const session = new module.Session();
  for (const [name, bytes] of files) session.addFile(name, bytes);
  session.load();
  const allocated = () => JSON.parse(session.describeCache()).allocated;
  const start = () => JSON.parse(session.start('a', '{"max_new_tokens": 4, "stop_tokens": []}', '{}')).row;
  const before = allocated();
  const rows = [start()];
  const each = allocated() - before;
  assert.ok(each > 0, `${each} bytes for a row`);
  while (rows.length < 16) rows.push(start());
  assert.equal(allocated(), before + 16 * each);
  assert.equal(JSON.parse(session.step(rows)).length, 16);
  assert.throws(start, { code: 'batch_full' });
  session.finish(rows[0]);
  assert.equal(JSON.parse(session.step([start()])).length, 1);
  assert.equal(allocated(), before + 16 * each);
  session.delete();
});
