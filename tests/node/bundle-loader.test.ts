// Loading a bundle, on a stand-in session: progress by bytes, and a failure that names the part.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { EngineError } from '../../web/src/engine/errors';
import { downloadBundle } from '../../web/src/engine/loader';
import type { LoadProgress } from '../../web/src/engine/protocol';
import type { EngineSession } from '../../web/src/engine/session';
import { FakeError, FakeSession } from './support/fake-session';
import { bundleFiles, servesFiles, urls, wire } from './support/wired-model';

async function failureOf(loading: Promise<unknown>): Promise<EngineError> {
  return loading.then(
    () => assert.fail('expected the load to fail'),
    (error: EngineError) => error,
  );
}

test('progress counts bytes up to the sum of the parts, and every file reaches the engine', async () => {
  const { model, sessions } = wire();
  const progress: LoadProgress[] = [];
  const description = await model.load(urls, { onProgress: (step) => progress.push(step) });
  assert.equal(description.bytes, 5300);
  assert.equal(progress[0]?.stage, 'engine');
  assert.equal(progress.at(-1)?.stage, 'start');
  const received = progress.filter(({ stage }) => stage === 'download').map((step) => step.received);
  assert.deepEqual(
    received,
    [...received].sort((a, b) => a - b),
  );
  assert.equal(received.at(-1), 5300);
  assert.ok(received.length > 5, 'a large part reports more than once');
  assert.deepEqual([...(sessions[0]?.files.keys() ?? [])].sort(), [
    'manifest.json',
    'model.safetensors',
    'tokenizer.json',
  ]);
});

test('a part that is not there is named', async () => {
  const files = bundleFiles();
  files.delete('tokenizer.json');
  const error = await failureOf(wire({ fetch: servesFiles(files) }).model.load(urls));
  assert.equal(error.code, 'file_not_found');
  assert.equal(error.message, 'part "tokenizer" (tokenizer.json): expected status 200, found 404');
});

test('a bundle that is not there is told by its manifest', async () => {
  const error = await failureOf(wire({ fetch: servesFiles(new Map()) }).model.load(urls));
  assert.equal(error.code, 'file_not_found');
  assert.match(error.message, /^part "manifest" \(manifest\.json\)/);
});

test('a truncated part is refused by the engine, by name', async () => {
  const files = bundleFiles();
  files.set('model.safetensors', new Uint8Array(4999));
  const error = await failureOf(wire({ fetch: servesFiles(files) }).model.load(urls));
  assert.equal(error.code, 'part_mismatch');
  assert.match(error.message, /part "weights" \(model\.safetensors\): expected 5000 bytes, found 4999/);
});

test('a connection that breaks off is told with its part', async () => {
  const serve = servesFiles(bundleFiles());
  const breaking: typeof fetch = async (input, init) => {
    if (!String(input).endsWith('model.safetensors')) return serve(input, init);
    const body = new ReadableStream({
      pull(controller) {
        controller.enqueue(new Uint8Array(10));
        controller.error(new TypeError('network changed'));
      },
    });
    return new Response(body);
  };
  const error = await failureOf(wire({ fetch: breaking }).model.load(urls));
  assert.equal(error.code, 'file_unreadable');
  assert.match(error.message, /part "weights" \(model\.safetensors\).*network changed/);
});

test('a load can be stopped in the middle of a part, and says which', async () => {
  const serve = servesFiles(bundleFiles());
  const stopper = new AbortController();
  const stalling: typeof fetch = async (input, init) => {
    if (!String(input).endsWith('model.safetensors')) return serve(input, init);
    const body = new ReadableStream({
      start(controller) {
        init?.signal?.addEventListener('abort', () => controller.error(init.signal?.reason));
      },
    });
    setImmediate(() => stopper.abort());
    return new Response(body);
  };
  const error = await failureOf(wire({ fetch: stalling }).model.load(urls, { signal: stopper.signal }));
  assert.equal(error.code, 'aborted');
  assert.match(error.message, /^part "weights" \(model\.safetensors\): stopped/);
});

test('a download that brings nothing more is given up after a while, naming its part and how far it came', async () => {
  const stalling: typeof fetch = async (input, init) => {
    const file = String(input).split('/').at(-1) as string;
    const bytes = bundleFiles().get(file) as Uint8Array<ArrayBuffer>;
    if (file !== 'model.safetensors') return new Response(bytes);
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(bytes.slice(0, 10));
        init?.signal?.addEventListener('abort', () => controller.error(init.signal?.reason));
      },
    });
    return new Response(body);
  };
  const session = Promise.resolve({ addFile: () => {} } as unknown as EngineSession);
  const { bundleUrl } = urls;
  const { signal } = new AbortController();
  const loading = downloadBundle(session, { bundleUrl, fetch: stalling, signal, onProgress: () => {}, idleMilliseconds: 40 });
  const error = await failureOf(loading);
  assert.equal(error.code, 'file_unreadable');
  assert.equal(
    error.message,
    'part "weights" (model.safetensors): expected its bytes, found none for 0.04 s, after 10 bytes',
  );
});

/** A load whose module is started by hand, with what was fetched and what the session was given, in order. */
function slowStart(files = bundleFiles()) {
  const fetched: string[] = [];
  const session = new FakeSession();
  let start = (_session: FakeSession): void => {};
  const { model } = wire({
    createSession: () => new Promise<FakeSession>((resolve) => (start = resolve)),
    fetch: (input, init) => {
      fetched.push(String(input).split('/').at(-1) as string);
      return servesFiles(files)(input, init);
    },
  });
  return { model, session, fetched, start: () => start(session) };
}

test('everything is downloaded while the module starts, and the engine gets the manifest first', async () => {
  const { model, session, fetched, start } = slowStart();
  const loading = model.load(urls, {
    onProgress: ({ received }) => {
      if (received < 5300) return;
      assert.equal(session.files.size, 0);
      start();
    },
  });
  assert.equal((await loading).bytes, 5300);
  assert.deepEqual(fetched, ['manifest.json', 'model.safetensors', 'tokenizer.json']);
  assert.equal([...session.files.keys()][0], 'manifest.json');
});

test('a module that comes when the load has failed or was stopped is let go, and was given nothing', async () => {
  const files = bundleFiles();
  files.delete('tokenizer.json');
  const failing = slowStart(files);
  assert.equal((await failureOf(failing.model.load(urls))).code, 'file_not_found');
  failing.start();
  const stopped = slowStart();
  const stopper = new AbortController();
  const onProgress = ({ received }: LoadProgress): void => {
    if (received < 5300) return;
    stopper.abort();
    setImmediate(() => setImmediate(stopped.start));
  };
  const error = await failureOf(stopped.model.load(urls, { signal: stopper.signal, onProgress }));
  assert.equal(`${error.code}: ${error.message}`, 'aborted: engine: stopped while it started');
  await new Promise(setImmediate);
  for (const { session } of [failing, stopped]) assert.deepEqual([session.deleted, session.files.size], [true, 0]);
});

test('a module that does not start ends the downloads', async () => {
  const aborted = new Promise((resolve) => {
    const fetch: typeof globalThis.fetch = async (_, init) =>
      new Response(new ReadableStream({ start: () => init?.signal?.addEventListener('abort', resolve) }));
    const createSession = () => Promise.reject(Object.assign(new Error('no module'), { code: 'not_loaded' }));
    void failureOf(wire({ fetch, createSession }).model.load(urls));
  });
  await aborted;
});

test('nothing that a manifest lists is asked for if the engine will refuse it: names that lead elsewhere, too many', async () => {
  const part = { name: 'weights', file: 'model.safetensors', bytes: 5000 };
  for (const parts of [
    ...['../secret', 'http://other.test/x', '//other.test/x', '/x', 'a/b', '.hidden', 'a?b', ''].map((file) => [part, { ...part, file }]),
    Array.from({ length: 65 }, (_, i) => ({ ...part, file: `part-${i}` })),
    [null],
    'model.safetensors',
    undefined,
  ]) {
    const files = bundleFiles();
    files.set('manifest.json', new TextEncoder().encode(JSON.stringify({ parts })));
    const { model, session, fetched, start } = slowStart(files);
    session.addFile = () => {
      throw new FakeError('bad_manifest', 'manifest.json: refused');
    };
    setImmediate(() => setImmediate(start));
    assert.equal((await failureOf(model.load(urls))).code, 'bad_manifest');
    assert.deepEqual(fetched, ['manifest.json']);
  }
});

test('a load that fails leaves the model before it in service', async () => {
  const files = bundleFiles();
  const { model, sessions } = wire({ fetch: servesFiles(files) });
  await model.load(urls);
  files.delete('model.safetensors');
  await failureOf(model.load(urls));
  assert.equal((await model.complete('git comm')).finish_reason, 'stop_token');
  assert.deepEqual(
    sessions.map(({ deleted }) => deleted),
    [false, true],
  );
});

test('a browser without WebAssembly is told as such', async () => {
  const createSession = () =>
    Promise.reject(Object.assign(new Error('engine: expected WebAssembly'), { code: 'not_loaded' }));
  const error = await failureOf(wire({ createSession }).model.load(urls));
  assert.equal(error.code, 'not_loaded');
});
