// The module worker that holds the model: gives EngineHost a worker's surroundings. No logic of its own.

import { EngineHost } from './host';
import { moduleFailure, type BuiltFile } from './module-failure';
import type { FromWorker, ToWorker } from './protocol';
import type { EngineSession } from './session';

interface EngineModule {
  Session: new () => EngineSession;
}

/** The files of the module as they were built, put in by web/build.mjs. */
declare const VITRINE_MODULE_FILES: Readonly<Record<string, BuiltFile>>;

/** Nobody waits longer for the module: it is small, and its download cannot be watched without losing its code cache. */
const patience = 60_000;

async function startModule(moduleUrl: string): Promise<EngineModule> {
  const { default: createModule } = (await import(moduleUrl)) as { default: () => Promise<EngineModule> };
  return createModule();
}

/** Throws what moduleFailure() tells: a file of the module is cut or wrong, or WebAssembly is forbidden here. */
async function createSession(moduleUrl: string): Promise<EngineSession> {
  let timer = 0;
  const late = new Promise<never>((_, reject) => {
    timer = self.setTimeout(() => reject(new Error(`nothing for ${patience / 1000} s`)), patience);
  });
  try {
    const module = await Promise.race([startModule(moduleUrl), late]);
    return new module.Session();
  } catch (error) {
    throw await moduleFailure(moduleUrl, error, VITRINE_MODULE_FILES, (input, init) => fetch(input, init));
  } finally {
    clearTimeout(timer);
  }
}

const channel = new MessageChannel();
const waiting: Array<() => void> = [];
channel.port1.onmessage = () => waiting.shift()?.();

const host = new EngineHost({
  post: (message) => self.postMessage(message),
  createSession,
  fetch: (input, init) => fetch(input, init),
  yieldToMessages: () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      channel.port2.postMessage(null);
    }),
});
self.onmessage = ({ data }: MessageEvent<ToWorker>) => host.receive(data);
self.postMessage({ kind: 'begun' } satisfies FromWorker);
