// SharedEngine: one model in one worker for everything on a page that asks for the same bundle. The first holder starts
// it and the last to let go ends it. It draws nothing; elements hold it through an EngineController.

import { LanguageModel } from './client';
import { toEngineError } from './errors';
import { notStarted, type LoadState } from './load-state';

/** Where an engine's files are: absolute URLs, the bundle's ending in a slash. */
export interface EngineUrls {
  workerUrl: string;
  moduleUrl: string;
  /** Null for who needs no model: any engine of these files serves, and none loads a bundle for it. */
  bundleUrl: string | null;
}

export type EngineListener = (load: LoadState, model: LanguageModel) => void;

/** An element that is moved leaves the document and comes back: an engine outlives that. */
const graceMilliseconds = 200;

export class SharedEngine {
  private static readonly engines = new Set<SharedEngine>();
  private readonly listeners = new Set<EngineListener>();
  private model: LanguageModel | null = null;
  private load: LoadState = notStarted;
  private ending = 0;

  /** The model that was loading when the page came back: its load may fail of what the browser cut off meanwhile. */
  private putAway: LanguageModel | null = null;

  /** A load that the browser cut off when it put the page away begins anew when the visitor comes back to it. */
  private readonly onShow = ({ persisted }: PageTransitionEvent): void => {
    if (!persisted || this.load.kind === 'ready') return;
    if (this.load.kind === 'failed') this.retry();
    else this.putAway = this.model;
  };

  private constructor(private urls: EngineUrls) {
    window.addEventListener('pageshow', this.onShow);
  }

  /** Holds the engine of these files, and tells its state at once and whenever it changes, until release. */
  static hold(urls: EngineUrls, listener: EngineListener): { engine: SharedEngine; release: () => void } {
    const engine = [...SharedEngine.engines].find((one) => one.serves(urls)) ?? new SharedEngine(urls);
    SharedEngine.engines.add(engine);
    engine.add(urls, listener);
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

  private serves({ workerUrl, moduleUrl, bundleUrl }: EngineUrls): boolean {
    const own = this.urls;
    const isBundle = own.bundleUrl === bundleUrl || own.bundleUrl === null || bundleUrl === null;
    return own.workerUrl === workerUrl && own.moduleUrl === moduleUrl && isBundle;
  }

  private add({ bundleUrl }: EngineUrls, listener: EngineListener): void {
    clearTimeout(this.ending);
    this.listeners.add(listener);
    if (this.model) listener(this.load, this.model);
    // An engine that had no bundle to load until now loads it in the worker that it has.
    const isNews = this.urls.bundleUrl === null && bundleUrl !== null;
    if (isNews) this.urls = { ...this.urls, bundleUrl };
    if (isNews || this.model === null) this.start(this.model ?? undefined);
  }

  private remove(listener: EngineListener): void {
    if (!this.listeners.delete(listener) || this.listeners.size > 0) return;
    this.ending = window.setTimeout(() => this.end(), graceMilliseconds);
  }

  /** In the worker that is there, or in a new one. */
  private start(model = LanguageModel.start(this.urls.workerUrl)): void {
    this.model = model;
    this.tell(notStarted, model);
    const { moduleUrl, bundleUrl } = this.urls;
    if (bundleUrl === null) return;
    const onProgress = (progress: Extract<LoadState, { kind: 'loading' }>['progress']): void =>
      this.tell({ kind: 'loading', progress }, model);
    model.load({ moduleUrl, bundleUrl }, { onProgress }).then(
      (description) => this.tell({ kind: 'ready', description }, model),
      (error: unknown) => {
        if (this.model === model && this.putAway === model) this.retry();
        else this.tell({ kind: 'failed', error: toEngineError(error) }, model);
      },
    );
  }

  /** What a model that was replaced or ended still says is nobody's news. */
  private tell(load: LoadState, model: LanguageModel): void {
    if (this.model !== model) return;
    this.load = load;
    for (const listener of this.listeners) listener(load, model);
  }

  private end(): void {
    SharedEngine.engines.delete(this);
    window.removeEventListener('pageshow', this.onShow);
    const { model } = this;
    this.model = null;
    model?.destroy();
  }
}
