// SharedEngine: one model in one worker for everything on a page that asks for the same bundle. The first holder starts
// it and the last to let go ends it. It draws nothing; elements hold it through an EngineController.

import { LanguageModel } from './client';
import { toEngineError } from './errors';
import { notStarted, type LoadState } from './load-state';

/** Where an engine's files are: absolute URLs, the bundle's ending in a slash. */
export interface EngineUrls {
  workerUrl: string;
  moduleUrl: string;
  bundleUrl: string;
}

export type EngineListener = (load: LoadState, model: LanguageModel) => void;

/** An element that is moved leaves the document and comes back: an engine outlives that. */
const graceMilliseconds = 200;

export class SharedEngine {
  private static readonly engines = new Map<string, SharedEngine>();
  private readonly listeners = new Set<EngineListener>();
  private model: LanguageModel | null = null;
  private load: LoadState = notStarted;
  private ending = 0;

  private constructor(
    private readonly urls: EngineUrls,
    private readonly key: string,
  ) {}

  /** Holds the engine of these files, and tells its state at once and whenever it changes, until release. */
  static hold(urls: EngineUrls, listener: EngineListener): { engine: SharedEngine; release: () => void } {
    const key = JSON.stringify([urls.workerUrl, urls.moduleUrl, urls.bundleUrl]);
    const engine = SharedEngine.engines.get(key) ?? new SharedEngine(urls, key);
    SharedEngine.engines.set(key, engine);
    engine.add(listener);
    return { engine, release: () => engine.remove(listener) };
  }

  /** How many engines there are, for tests. */
  static get count(): number {
    return SharedEngine.engines.size;
  }

  /** Loads anew, after a load that failed. */
  retry(): void {
    this.model?.destroy();
    this.start();
  }

  private add(listener: EngineListener): void {
    clearTimeout(this.ending);
    this.listeners.add(listener);
    if (this.model === null) this.start();
    else listener(this.load, this.model);
  }

  private remove(listener: EngineListener): void {
    if (!this.listeners.delete(listener) || this.listeners.size > 0) return;
    this.ending = window.setTimeout(() => this.end(), graceMilliseconds);
  }

  private start(): void {
    const model = LanguageModel.start(this.urls.workerUrl);
    this.model = model;
    this.tell(notStarted, model);
    const onProgress = (progress: Extract<LoadState, { kind: 'loading' }>['progress']): void =>
      this.tell({ kind: 'loading', progress }, model);
    model.load(this.urls, { onProgress }).then(
      (description) => this.tell({ kind: 'ready', description }, model),
      (error: unknown) => this.tell({ kind: 'failed', error: toEngineError(error) }, model),
    );
  }

  /** What a model that was replaced or ended still says is nobody's news. */
  private tell(load: LoadState, model: LanguageModel): void {
    if (this.model !== model) return;
    this.load = load;
    for (const listener of this.listeners) listener(load, model);
  }

  private end(): void {
    SharedEngine.engines.delete(this.key);
    const { model } = this;
    this.model = null;
    model?.destroy();
  }
}
