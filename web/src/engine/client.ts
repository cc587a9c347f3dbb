// LanguageModel: the page's only door to the model. It holds no model state and computes nothing: it sends requests to
// the worker and settles each promise exactly once, whatever happens to the worker.

import { EngineError, toEngineError } from './errors';
import type { LessonName, Lessons } from './lesson-types';
import { workerFailure } from './worker-failure';
import type {
  CacheBytes,
  CacheMap,
  Description,
  FaultList,
  FromWorker,
  GrowthPoint,
  Inside,
  LoadProgress,
  ParityReport,
  PolicyOptions,
  RequestKind,
  Requests,
  RowOptions,
  RunResult,
  RunStep,
  Sightings,
  ToWorker,
  TokenPiece,
} from './protocol';
import type { TrainingProgress, TrainingRequest, TrainingResult } from './training-types';

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

/** A browser refuses a worker of another origin; one of this origin may import its script from there, where CORS allows. */
function startWorker(url: URL): Worker {
  const options = { type: 'module', name: 'vitrine' } as const;
  if (url.origin === location.origin) return new Worker(url, options);
  const script = URL.createObjectURL(new Blob([`import ${JSON.stringify(url.href)};`], { type: 'text/javascript' }));
  const worker = new Worker(script, options);
  const release = (): void => URL.revokeObjectURL(script);
  worker.addEventListener('message', release, { once: true });
  worker.addEventListener('error', release, { once: true });
  return worker;
}

/** A worker's script is small; a download of it that takes longer has stalled. */
const patience = 60_000;

/** Where the worker's script is, for the case that it does not begin. */
export interface WorkerScript {
  url: string;
  fetch: typeof fetch;
  /** How long it may take to begin. */
  milliseconds?: number;
}

export class LanguageModel {
  private nextId = 1;
  private begun = false;
  private readonly waiting: ReturnType<typeof setTimeout> | undefined;
  private readonly pending = new Map<number, Pending>();
  private failure: EngineError | null = null;

  constructor(
    private readonly connection: Connection,
    script: WorkerScript | null = null,
  ) {
    connection.addEventListener('message', ({ data }) => this.receive(data));
    connection.addEventListener('error', (event) => {
      const { message = '' } = event as Partial<ErrorEvent>;
      if (script && !this.begun) void this.failToBegin(script, message || 'its script did not load or threw');
      else this.fail(new EngineError('internal', `worker: ${message || 'it threw'}`));
    });
    connection.addEventListener('messageerror', () => {
      this.fail(new EngineError('internal', 'worker: a message could not be read'));
    });
    if (!script) return;
    const { milliseconds = patience } = script;
    const late = (): void => void this.failToBegin(script, `nothing for ${milliseconds / 1000} s`);
    this.waiting = setTimeout(late, milliseconds);
  }

  /** A model in a worker of its own. The URL is explicit, so that bundlers and sub-paths need no convention. */
  static start(workerUrl: string | URL): LanguageModel {
    const url = new URL(workerUrl, document.baseURI);
    return new LanguageModel(startWorker(url), { url: url.href, fetch: (input, init) => fetch(input, init) });
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

  /** Starts the module without a bundle: enough for lessons and training. */
  async prepare(moduleUrl: string): Promise<void> {
    await this.request('prepare', { moduleUrl });
  }

  /** Begins a row that is stepped by hand, until finish(). */
  start(
    prompt: string,
    policy: PolicyOptions = {},
    options: RowOptions = {},
  ): Promise<Requests['start']['result']> {
    return this.request('start', { prompt, policy, options });
  }

  /** One forward pass for these rows together: a step of each that had not finished. */
  step(rows: readonly number[]): Promise<RunStep[]> {
    return this.request('step', { rows: [...rows] });
  }

  /** Takes back a row's last tokens, and gives the row as it stands then. */
  rewind(row: number, tokens: number): Promise<RunResult> {
    return this.request('rewind', { row, tokens });
  }

  /** Ends a row, gives its result and forgets it. */
  finish(row: number): Promise<RunResult> {
    return this.request('finish', { row });
  }

  /** A row that goes on, as a file: its tokens, options and cache. */
  save(row: number): Promise<Uint8Array> {
    return this.request('save', { row });
  }

  /** Begins a row where a saved one stood, to the same bits. */
  restore(file: Uint8Array): Promise<Requests['restore']['result']> {
    return this.request('restore', { file });
  }

  /** What happened inside the model at a position of a row. */
  inspect(row: number, position: number): Promise<Inside> {
    return this.request('inspect', { row, position });
  }

  cacheMap(row: number): Promise<CacheMap> {
    return this.request('cacheMap', { row });
  }

  /** What a decode step at each of these lengths costs. */
  growth(positions: readonly number[]): Promise<GrowthPoint[]> {
    return this.request('growth', { positions: [...positions] });
  }

  faults(): Promise<FaultList> {
    return this.request('faults', {});
  }

  /** What the detectors see with a fault, or with "none". Rows go on afterwards as if nothing had been. */
  detect(fault: string): Promise<Sightings> {
    return this.request('detect', { fault });
  }

  /** Continues a prompt to so many tokens and checks parity over every schedule. */
  parity(prompt: string, tokens: number, seed: number): Promise<ParityReport> {
    return this.request('parity', { prompt, tokens, seed });
  }

  /** Trains a small model on a text; the engine has it loaded then. The signal stops it and keeps what was learned. */
  train(
    request: TrainingRequest,
    options: { signal?: AbortSignal; onProgress?: (progress: TrainingProgress) => void } = {},
  ): Promise<TrainingResult> {
    return this.request('train', request, options.signal, options.onProgress);
  }

  /** The arithmetic of a lesson. It needs no bundle. */
  lesson<L extends LessonName>(name: L, input: Lessons[L]['input']): Promise<Lessons[L]['result']> {
    const params = { name, input } as Requests['lesson']['params'];
    return this.request('lesson', params) as Promise<Lessons[L]['result']>;
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

  /** A worker that begins while its files are looked at is late, but serves. */
  private async failToBegin({ url, fetch }: WorkerScript, found: string): Promise<void> {
    clearTimeout(this.waiting);
    const error = await workerFailure(url, found, fetch);
    if (!this.begun) this.fail(error);
  }

  private receive(message: FromWorker): void {
    if (message.kind === 'begun') {
      this.begun = true;
      clearTimeout(this.waiting);
      return;
    }
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
    clearTimeout(this.waiting);
    for (const pending of this.pending.values()) {
      pending.release();
      pending.reject(error);
    }
    this.pending.clear();
  }
}
