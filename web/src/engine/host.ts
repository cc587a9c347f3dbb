// The worker's side of the protocol: takes requests, runs them on a session, answers each with one result or one error.
// It knows no worker globals (worker.ts passes them in), so tests run it with a stand-in session.

import { EngineError, toWireError } from './errors';
import type { LessonName, Lessons } from './lesson-types';
import { downloadBundle } from './loader';
import type {
  Answer,
  CacheBytes,
  CacheMap,
  Description,
  EngineStep,
  FaultList,
  GrowthPoint,
  Inside,
  ParityReport,
  Request,
  RequestKind,
  Requests,
  RunResult,
  RunStep,
  Sightings,
  ToWorker,
  TokenPiece,
} from './protocol';
import { RowNumbers } from './row-numbers';
import type { EngineSession, SessionFactory } from './session';
import type { TrainingProgress, TrainingResult } from './training-types';

export interface HostSurroundings {
  post: (message: Answer) => void;
  createSession: SessionFactory;
  fetch: typeof fetch;
  /** Lets messages that wait be handled; a timer would add its minimum delay to every token. */
  yieldToMessages: () => Promise<void>;
}

type Handler<K extends RequestKind> = (
  params: Requests[K]['params'],
  context: { signal: AbortSignal; emit: (event: Requests[K]['event']) => void },
) => Promise<Requests[K]['result']>;

/** What a session tells of a training: the times are kept here, the bytes of the files come one by one. */
type Trained = Omit<TrainingResult, 'files'> & { files: string[] };

/** What a session tells of a row that has just begun, with its own number. */
type Started = Requests['start']['result'];

export class EngineHost {
  private session: EngineSession | null = null;
  /** How often the model was replaced: rows of another one are gone. */
  private replacements = 0;
  private isTraining = false;
  private readonly rows = new RowNumbers();
  private readonly running = new Map<number, AbortController>();
  private readonly handlers: { [K in RequestKind]: Handler<K> };

  constructor(private readonly surroundings: HostSurroundings) {
    this.handlers = {
      load: (params, context) => this.load(params, context),
      prepare: (params, context) => this.prepare(params, context),
      complete: (params, context) => this.complete(params, context),
      generate: (params, context) => this.generate(params, context),
      tokenize: async ({ text }) => this.tokenize(text),
      cache: async () => JSON.parse(this.loaded().describeCache()) as CacheBytes,
      start: (params, context) => this.start(params, context),
      step: async ({ rows }) => this.step(rows),
      rewind: async ({ row, tokens }) => this.rewind(row, tokens),
      finish: async ({ row }) => this.finish(row),
      save: async ({ row }) => this.loaded().save(this.rows.of(row)),
      restore: async ({ file }) => this.restore(file),
      inspect: async ({ row, position }) => JSON.parse(this.loaded().inspect(this.rows.of(row), position)) as Inside,
      cacheMap: async ({ row }) => JSON.parse(this.loaded().mapCache(this.rows.of(row))) as CacheMap,
      growth: async ({ positions }) => JSON.parse(this.loaded().growth(positions)) as GrowthPoint[],
      faults: async () => JSON.parse(this.prepared().listFaults()) as FaultList,
      detect: async ({ fault }) => JSON.parse(this.loaded().detect(fault)) as Sightings,
      parity: async ({ prompt, ...options }) =>
        JSON.parse(this.loaded().checkParity(prompt, JSON.stringify(options))) as ParityReport,
      train: (params, context) => this.train(params, context),
      lesson: async ({ name, input }) =>
        JSON.parse(this.prepared().lesson(name, JSON.stringify(input))) as Lessons[LessonName]['result'],
    };
  }

  /** Takes a message of the page. Never throws: what goes wrong is posted as the request's error. */
  receive(message: ToWorker): void {
    if (message.kind === 'abort') this.running.get(message.id)?.abort();
    else void this.answer(message);
  }

  private async answer<K extends RequestKind>(request: Request & { kind: K }): Promise<void> {
    const { id, kind } = request;
    const controller = new AbortController();
    this.running.set(id, controller);
    try {
      const handlers: { [kind in RequestKind]?: unknown } = this.handlers;
      const handler = (Object.hasOwn(handlers, kind) ? handlers[kind] : undefined) as Handler<K> | undefined;
      if (handler === undefined)
        throw new EngineError('invalid_option', `request: found unknown kind "${String(kind)}"`);
      const result = await handler(request.params as Requests[K]['params'], {
        signal: controller.signal,
        emit: (event) => this.surroundings.post({ kind: 'event', id, event }),
      });
      this.surroundings.post({ kind: 'result', id, result });
    } catch (error) {
      // A trap leaves the module's memory in an unknown state: nothing may run on it again.
      if (error instanceof WebAssembly.RuntimeError) this.replaceSession(null);
      this.surroundings.post({ kind: 'error', id, error: toWireError(error) });
    } finally {
      this.running.delete(id);
    }
  }

  /** The session, with a bundle or without one. */
  private prepared(): EngineSession {
    if (this.session === null) throw new EngineError('not_loaded', 'engine: expected "prepare" or "load" before, found neither');
    return this.session;
  }

  private loaded(): EngineSession {
    if (this.session === null) throw new EngineError('not_loaded', 'engine: expected a loaded bundle, found none');
    return this.session;
  }

  private replaceSession(session: EngineSession | null): void {
    this.session = session;
    this.replacements += 1;
    this.rows.clear();
  }

  /** A model that was loaded before serves until the new one is ready, and goes on if that one fails. */
  private readonly load: Handler<'load'> = async ({ moduleUrl, bundleUrl }, { signal, emit }) => {
    emit({ stage: 'engine', received: 0, total: 0 });
    const starting = this.surroundings.createSession(moduleUrl);
    try {
      const { fetch } = this.surroundings;
      const session = await downloadBundle(starting, { bundleUrl, signal, fetch, onProgress: emit });
      emit({ stage: 'start', received: 0, total: 0 });
      const description = JSON.parse(session.load()) as Description;
      this.session?.delete();
      this.replaceSession(session);
      return description;
    } catch (error) {
      // A session that is still starting is of no use when it comes.
      const drop = (session: EngineSession): void => session.delete();
      if (!(error instanceof WebAssembly.RuntimeError)) void starting.then(drop, () => {});
      throw error;
    }
  };

  private readonly prepare: Handler<'prepare'> = async ({ moduleUrl }) => {
    if (this.session !== null) return null;
    const session = await this.surroundings.createSession(moduleUrl);
    if (this.session === null) this.session = session;
    else session.delete();
    return null;
  };

  /** One call of the engine, which nothing can stop: an abort counts until it begins. */
  private readonly complete: Handler<'complete'> = async ({ text, policy }, { signal }) => {
    await this.surroundings.yieldToMessages();
    if (signal.aborted) throw new EngineError('aborted', 'complete: expected to be wanted still, found it aborted');
    return JSON.parse(this.loaded().complete(text, JSON.stringify(policy))) as RunResult;
  };

  /** A stopped generation has a result: its text so far, with finish_reason "aborted". */
  private readonly generate: Handler<'generate'> = async ({ prompt, policy, parity, heal }, { signal, emit }) => {
    const session = this.loaded();
    const { replacements } = this;
    const started = session.start(prompt, JSON.stringify(policy), JSON.stringify({ parity, heal }));
    const { row } = JSON.parse(started) as Started;
    try {
      for (let finished = false; !finished;) {
        // Between any two passes the page may stop the row, ask for a completion or load another bundle.
        await this.surroundings.yieldToMessages();
        this.requireStill(replacements);
        if (signal.aborted) break;
        const [step] = JSON.parse(session.step([row])) as [EngineStep];
        if (step.error) throw new EngineError(step.error.code, step.error.message);
        finished = step.finish_reason !== null;
        emit({ ...step, piece: this.piece(step.token) });
      }
    } catch (error) {
      if (this.replacements === replacements && !(error instanceof WebAssembly.RuntimeError)) {
        session.cancel(row);
        session.finish(row);
      }
      throw error;
    }
    session.cancel(row);
    return JSON.parse(session.finish(row)) as RunResult;
  };

  private readonly start: Handler<'start'> = async ({ prompt, policy, options }) => {
    const started = JSON.parse(
      this.loaded().start(prompt, JSON.stringify(policy), JSON.stringify(options)),
    ) as Started;
    return { ...started, row: this.rows.add(started.row) };
  };

  private step(rows: number[]): RunStep[] {
    const session = this.loaded();
    const numbers = new Map(rows.map((row) => [this.rows.of(row), row]));
    const steps = JSON.parse(session.step(rows.map((row) => this.rows.of(row)))) as EngineStep[];
    return steps.map((step) => ({ ...step, row: numbers.get(step.row) as number, piece: this.piece(step.token) }));
  }

  private rewind(row: number, tokens: number): RunResult {
    const session = this.loaded();
    const engineRow = this.rows.of(row);
    session.rewind(engineRow, tokens);
    return JSON.parse(session.result(engineRow)) as RunResult;
  }

  private restore(file: Uint8Array): Requests['restore']['result'] {
    const session = this.loaded();
    const engineRow = session.restore(file);
    return { row: this.rows.add(engineRow), so_far: JSON.parse(session.result(engineRow)) as RunResult };
  }

  private finish(row: number): RunResult {
    const session = this.loaded();
    const engineRow = this.rows.of(row);
    session.cancel(engineRow);
    const result = JSON.parse(session.finish(engineRow)) as RunResult;
    this.rows.forget(row);
    return result;
  }

  /** A stopped training has a result too: what was learned until then. */
  private readonly train: Handler<'train'> = async (request, { signal, emit }) => {
    if (this.isTraining) throw new EngineError('invalid_option', 'train: expected one training at a time, found two');
    const session = this.prepared();
    const { replacements } = this;
    const begin = performance.now();
    let progress = JSON.parse(session.beginTraining(JSON.stringify(request))) as TrainingProgress;
    const tell = (): void => emit({ ...progress, ms: performance.now() - begin });
    this.isTraining = true;
    let trapped = false;
    try {
      for (tell(); progress.stage !== 'bundle'; tell()) {
        await this.surroundings.yieldToMessages();
        this.requireStill(replacements);
        if (signal.aborted) break;
        progress = JSON.parse(session.trainStep()) as TrainingProgress;
      }
      const trained = JSON.parse(session.endTraining()) as Trained;
      this.replaceSession(session);
      const files = trained.files.map((name) => ({ name, bytes: session.trainedFile(name) }));
      return { ...trained, files };
    } catch (error) {
      trapped = error instanceof WebAssembly.RuntimeError;
      throw error;
    } finally {
      this.isTraining = false;
      if (this.session === session && !trapped) session.dropTraining();
    }
  };

  /** Throws where another model has taken the place of the one that was there then. */
  private requireStill(replacements: number): void {
    if (this.replacements !== replacements) throw new EngineError('aborted', 'engine: another bundle was loaded');
  }

  private piece(token: number | null): string {
    return token === null ? '' : this.loaded().decode(Int32Array.of(token));
  }

  private tokenize(text: string): TokenPiece[] {
    return Array.from(this.loaded().encode(text), (id) => ({ id, piece: this.piece(id) }));
  }
}
