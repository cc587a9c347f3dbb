// The module worker that holds the model: gives EngineHost a worker's surroundings. No logic of its own.

import { EngineError } from './errors';
import { EngineHost } from './host';
import type { ToWorker } from './protocol';
import type { EngineSession } from './session';

interface EngineModule {
  Session: new () => EngineSession;
}

/** Throws not_loaded, with the browser's reason, when this browser or the page's policy forbids WebAssembly. */
async function createSession(moduleUrl: string): Promise<EngineSession> {
  let module: EngineModule;
  try {
    const { default: createModule } = (await import(moduleUrl)) as { default: () => Promise<EngineModule> };
    module = await createModule();
  } catch (error) {
    throw new EngineError('not_loaded', `engine: expected WebAssembly with SIMD to start, found: ${String(error)}`);
  }
  return new module.Session();
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
