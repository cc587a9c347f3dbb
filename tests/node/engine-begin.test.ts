// A worker or a module that does not begin: what is told of it, on stand-in files. Nothing waits for ever.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';

import { LanguageModel, type Connection } from '../../web/src/engine/client';
import { moduleFailure } from '../../web/src/engine/module-failure';
import type { FromWorker } from '../../web/src/engine/protocol';
import { workerFailure } from '../../web/src/engine/worker-failure';
import { servesFiles, urls } from './support/wired-model';

const workerUrl = 'http://page.test/worker.js';
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A fetch that sends these bytes of every file and then nothing more. */
const stallsAfter =
  (sent: number): typeof fetch =>
  async (_, init) =>
    new Response(
      new ReadableStream({
        start(controller) {
          controller.enqueue(new Uint8Array(sent));
          init?.signal?.addEventListener('abort', () => controller.error(init.signal?.reason));
        },
      }),
    );

/** A fetch that breaks off, as a connection does. */
const breaksOff: typeof fetch = () => Promise.reject(new TypeError('Failed to fetch'));

const module = { 'vitrine-module.mjs': 'export default 1;', 'vitrine-module.wasm': 'asm' };
const built = Object.fromEntries(
  Object.entries(module).map(([file, text]) => [
    file,
    { bytes: text.length, sha256: createHash('sha256').update(text).digest('hex') },
  ]),
);
const tellModule = (fetchFile: typeof fetch): Promise<string> =>
  moduleFailure(urls.moduleUrl, new Error('out of luck'), built, fetchFile, 40).then(({ code, message }) => `${code}: ${message}`);
const serves = (files: Record<string, string>): typeof fetch =>
  servesFiles(new Map(Object.entries(files).map(([file, text]) => [file, bytesOf(text)])));

test('a file of the module is told by name, whether it stalls, breaks off, is cut, is another one or is not there', async () => {
  const script = 'engine: vitrine-module.mjs (http://page.test/vitrine-module.mjs)';
  const wasm = 'engine: vitrine-module.wasm (http://page.test/vitrine-module.wasm)';
  assert.equal(await tellModule(stallsAfter(3)), `file_unreadable: ${script}: expected its bytes, found none for 0.04 s, after 3 bytes`);
  assert.equal(await tellModule(breaksOff), `file_unreadable: ${script}: expected its bytes, found: TypeError: Failed to fetch`);
  assert.equal(await tellModule(serves({ ...module, 'vitrine-module.wasm': 'as' })), `file_unreadable: ${wasm}: expected 3 bytes, found 2`);
  assert.match(await tellModule(serves({ ...module, 'vitrine-module.wasm': 'asn' })), /^file_unreadable: .*\.wasm.*: expected SHA-256 \w{64}, found \w{64}$/);
  assert.match(await tellModule(serves({})), /^file_not_found: .*\.mjs.*: expected status 200, found 404$/);
  assert.equal(await tellModule(serves(module)), 'not_loaded: engine: expected WebAssembly with SIMD to start, found: Error: out of luck');
});

const tellWorker = (fetchFile: typeof fetch): Promise<string> =>
  workerFailure(workerUrl, 'it did not load', fetchFile, 40).then(({ code, message }) => `${code}: ${message}`);

test("a worker's script is told by name, and so is what it imports", async () => {
  const script = 'engine: worker.js (http://page.test/worker.js)';
  const imports = { 'worker.js': 'import{a}from"./chunk-A.js";', 'chunk-A.js': 'import "./chunk-B.js";import{b}from"./worker.js"' };
  assert.equal(await tellWorker(stallsAfter(3)), `file_unreadable: ${script}: expected its bytes, found none for 0.04 s, after 3 bytes`);
  assert.equal(await tellWorker(breaksOff), `file_unreadable: ${script}: expected its bytes, found: TypeError: Failed to fetch`);
  assert.equal(await tellWorker(serves({})), `file_not_found: ${script}: expected status 200, found 404`);
  assert.match(await tellWorker(serves(imports)), /^file_not_found: engine: chunk-B\.js \(http:.*\): expected status 200, found 404$/);
  assert.equal(
    await tellWorker(serves({ ...imports, 'chunk-B.js': '' })),
    `not_loaded: engine: ${workerUrl}: expected a worker to begin, found worker.js of 28 bytes, chunk-A.js of 48 bytes, chunk-B.js of 0 bytes, and: it did not load`,
  );
});

/** A worker that says nothing by itself. */
function silentWorker(): { connection: Connection; dispatch: (type: string, event: object) => void } {
  const listeners = new Map<string, (event: never) => void>();
  const connection: Connection = {
    postMessage: () => {},
    addEventListener: (type: string, listener: (event: never) => void) => void listeners.set(type, listener),
    terminate: () => {},
  };
  return { connection, dispatch: (type, event) => listeners.get(type)?.(event as never) };
}
const begun = { data: { kind: 'begun' } satisfies FromWorker };

test('a worker that does not begin ends every request, with the reason found in its files', async () => {
  const { connection } = silentWorker();
  const late = new LanguageModel(connection, { url: workerUrl, fetch: breaksOff, milliseconds: 20 });
  await assert.rejects(late.load(urls), { code: 'file_unreadable' });
  await assert.rejects(late.cache(), { code: 'file_unreadable' });

  const broken = silentWorker();
  const model = new LanguageModel(broken.connection, { url: workerUrl, fetch: serves({}) });
  const loading = model.load(urls);
  broken.dispatch('error', {});
  await assert.rejects(loading, { code: 'file_not_found' });
});

test('a worker that has begun may take its time, and what it throws then is a fault of ours', async () => {
  const { connection, dispatch } = silentWorker();
  const model = new LanguageModel(connection, { url: workerUrl, fetch: breaksOff, milliseconds: 20 });
  dispatch('message', begun);
  const loading = model.load(urls);
  const first = await Promise.race([loading.catch(() => 'failed'), new Promise((resolve) => setTimeout(resolve, 60, 'waits'))]);
  assert.equal(first, 'waits');
  dispatch('error', { message: 'out of luck' });
  await assert.rejects(loading, { code: 'internal', message: 'worker: out of luck' });
});
