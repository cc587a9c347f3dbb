// A LanguageModel and an EngineHost joined without a worker: messages cross as structured clones, one task later, as
// between a page and its worker.

import { LanguageModel, type Connection } from '../../../web/src/engine/client';
import { EngineHost } from '../../../web/src/engine/host';
import type { Answer, ToWorker } from '../../../web/src/engine/protocol';
import type { EngineSession } from '../../../web/src/engine/session';
import { FakeSession } from './fake-session';

export interface Wired {
  model: LanguageModel;
  /** Every session that the host made, in order. */
  sessions: FakeSession[];
  /** What crossed, in order. */
  fromWorker: Answer[];
  /** Makes the worker fail as a browser tells it. */
  crash: (message: string) => void;
  isTerminated: () => boolean;
}

export interface WiredOptions {
  fetch?: typeof fetch;
  createSession?: () => Promise<EngineSession>;
}

export const urls = { moduleUrl: 'http://page.test/vitrine-module.mjs', bundleUrl: 'http://page.test/models/fake/' };

/** The files of a bundle of two parts, by name. */
export function bundleFiles(): Map<string, Uint8Array> {
  const weights = new Uint8Array(5000).fill(1);
  const tokenizer = new Uint8Array(300).fill(2);
  const sha256 = '0'.repeat(64);
  const parts = [
    { name: 'weights', file: 'model.safetensors', bytes: weights.length, sha256 },
    { name: 'tokenizer', file: 'tokenizer.json', bytes: tokenizer.length, sha256 },
  ];
  return new Map([
    ['manifest.json', new TextEncoder().encode(JSON.stringify({ parts }))],
    ['model.safetensors', weights],
    ['tokenizer.json', tokenizer],
  ]);
}

/** A fetch that serves these files, each in pieces of at most 1000 bytes; a file that is not there is a 404. */
export function servesFiles(files: ReadonlyMap<string, Uint8Array>): typeof fetch {
  return async (input, init) => {
    init?.signal?.throwIfAborted();
    const bytes = files.get(new URL(String(input)).pathname.split('/').at(-1) ?? '');
    if (bytes === undefined) return new Response('nothing here', { status: 404 });
    let offset = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (init?.signal?.aborted) controller.error(init.signal.reason);
        else if (offset < bytes.length) controller.enqueue(bytes.slice(offset, (offset += 1000)));
        else controller.close();
      },
    });
    return new Response(body);
  };
}

const nextTask = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export function wire({ fetch = servesFiles(bundleFiles()), createSession }: WiredOptions = {}): Wired {
  const sessions: FakeSession[] = [];
  const fromWorker: Answer[] = [];
  const listeners = new Map<string, Array<(event: never) => void>>();
  const dispatch = (type: string, event: object): void => {
    for (const listener of listeners.get(type) ?? []) listener(event as never);
  };
  let terminated = false;

  const host = new EngineHost({
    fetch,
    createSession:
      createSession ??
      (async () => {
        const session = new FakeSession();
        sessions.push(session);
        return session;
      }),
    yieldToMessages: nextTask,
    post: (message) => {
      const data = structuredClone(message);
      fromWorker.push(data);
      setImmediate(() => terminated || dispatch('message', { data }));
    },
  });
  const connection: Connection = {
    postMessage: (message: ToWorker) => {
      const data = structuredClone(message);
      setImmediate(() => terminated || host.receive(data));
    },
    addEventListener: (type: string, listener: (event: never) => void) => {
      listeners.set(type, [...(listeners.get(type) ?? []), listener]);
    },
    terminate: () => (terminated = true),
  };
  return {
    model: new LanguageModel(connection),
    sessions,
    fromWorker,
    crash: (message) => dispatch('error', { message }),
    isTerminated: () => terminated,
  };
}
