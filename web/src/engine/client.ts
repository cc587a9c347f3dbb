// LanguageModel: the page's only door to the model. It holds no model state and computes nothing: it sends requests to
// the worker and settles each promise exactly once, whatever happens to the worker.

import { EngineError, toEngineError } from './errors';
import type {
  CacheBytes,
  Description,
  FromWorker,
  LoadProgress,
  PolicyOptions,
  RequestKind,
  Requests,
  RunResult,
  RunStep,
  ToWorker,
  TokenPiece,
} from './protocol';

/** The part of a Worker that is used here. */
export interface Connection {
  postMessage(message: ToWorker): void;
  addEventListener(type: 'message', listener: (event: MessageEvent<FromWorker>) => void): void;
  addEventListener(type: 'error' | 'messageerror', listener: (event: Event) => void): void;
  terminate(): void;
}

export interface GenerateOptions {
  policy?: PolicyOptions;
  /** Recompute the whole prefix for every token and compare every logit. */
  parity?: boolean;
  /** Begin before the prompt's last word, and let the first tokens spell it. */
  heal?: boolean;
  signal?: AbortSignal;
  onStep?: (step: RunStep) => void;
}

interface Pending {
  resolve: (result: never) => void;
  reject: (error: EngineError) => void;
  onEvent: ((event: never) => void) | undefined;
  release: () => void;
}

export class LanguageModel {
  private nextId = 1;
  private readonly pending = new Map<number, Pending>();
  private failure: EngineError | null = null;

  constructor(private readonly connection: Connection) {
    connection.addEventListener('message', ({ data }) => this.receive(data));
    connection.addEventListener('error', (event) => {
      const { message = '' } = event as Partial<ErrorEvent>;
      this.fail(new EngineError('internal', `worker: ${message || 'its script did not load or threw'}`));
    });
    connection.addEventListener('messageerror', () => {
      this.fail(new EngineError('internal', 'worker: a message could not be read'));
    });
  }

  /** A model in a worker of its own. The URL is explicit, so that bundlers and sub-paths need no convention. */
  static start(workerUrl: string | URL): LanguageModel {
    return new LanguageModel(new Worker(workerUrl, { type: 'module', name: 'vitrine' }));
  }

  /** Loads a bundle: a folder's absolute URL that ends in a slash. The module's URL is absolute too. */
  load(
    urls: { moduleUrl: string; bundleUrl: string },
    options: { signal?: AbortSignal; onProgress?: (progress: LoadProgress) => void } = {},
  ): Promise<Description> {
    return this.request('load', urls, options.signal, options.onProgress);
  }

  /**
   * Continues a text greedily for a text box; the result's text is what to add. When the signal comes before the engine
   * has begun, the promise is rejected with the code "aborted"; after that the completion runs to its end.
   */
  complete(text: string, policy: PolicyOptions = {}, signal?: AbortSignal): Promise<RunResult> {
    return this.request('complete', { text, policy }, signal);
  }

  /** When the signal stops a generation, its promise resolves with the text so far and finish_reason "aborted". */
  generate(prompt: string, options: GenerateOptions = {}): Promise<RunResult> {
    const { policy = {}, parity = false, heal = false, signal, onStep } = options;
    return this.request('generate', { prompt, policy, parity, heal }, signal, onStep);
  }

  tokenize(text: string): Promise<TokenPiece[]> {
    return this.request('tokenize', { text });
  }

  /** Bytes of every KV cache that the engine holds. */
  cache(): Promise<CacheBytes> {
    return this.request('cache', {});
  }

  /** Ends the worker and frees its memory. Requests that run end in an error. */
  destroy(): void {
    this.fail(new EngineError('aborted', 'engine: destroyed'));
    this.connection.terminate();
  }

  private request<K extends RequestKind>(
    kind: K,
    params: Requests[K]['params'],
    signal?: AbortSignal,
    onEvent?: (event: Requests[K]['event']) => void,
  ): Promise<Requests[K]['result']> {
    return new Promise((resolve, reject) => {
      if (this.failure) return reject(this.failure);
      const id = this.nextId++;
      const abort = (): void => this.connection.postMessage({ kind: 'abort', id });
      this.pending.set(id, {
        resolve,
        reject,
        onEvent,
        release: () => signal?.removeEventListener('abort', abort),
      });
      try {
        this.connection.postMessage({ kind, id, params } as ToWorker);
      } catch (error) {
        this.pending.delete(id);
        reject(
          new EngineError('invalid_option', `${kind}: expected options that can be sent to a worker: ${String(error)}`),
        );
        return;
      }
      if (signal?.aborted) abort();
      else signal?.addEventListener('abort', abort, { once: true });
    });
  }

  private receive(message: FromWorker): void {
    const pending = this.pending.get(message.id);
    if (pending === undefined) return;
    if (message.kind === 'event') {
      pending.onEvent?.(message.event as never);
      return;
    }
    this.pending.delete(message.id);
    pending.release();
    if (message.kind === 'result') pending.resolve(message.result as never);
    else pending.reject(toEngineError(message.error));
  }

  /** After this every request, running or new, ends in the error. */
  private fail(error: EngineError): void {
    this.failure ??= error;
    for (const pending of this.pending.values()) {
      pending.release();
      pending.reject(error);
    }
    this.pending.clear();
  }
}
