// EngineController: gives an element the engine of its bundle, for as long as it is in a document, and renders it again
// when the engine's state changes. An element needs nothing else to work alone on any page.

import type { ReactiveController, ReactiveControllerHost } from 'lit';

import type { LanguageModel } from '../engine/client';
import { EngineError, toEngineError } from '../engine/errors';
import { notStarted, type LoadState } from '../engine/load-state';
import { SharedEngine, type EngineUrls } from '../engine/shared-engine';
import { Presentation } from './presentation';

/**
 * What an element says of its engine, all optional: `base`, the folder of worker.js and vitrine-module.mjs (default: that
 * of this script), and `bundle`, the bundle's folder (default: models/shell/ in the base). Relative to the document.
 */
export type EngineHost = ReactiveControllerHost & HTMLElement & { base?: string | null; bundle?: string | null };

/** A folder's URL, against which names of files can be resolved. Throws invalid_option for what is none. */
function folder(name: 'base' | 'bundle', value: string): URL {
  try {
    const url = new URL(value.endsWith('/') ? value : `${value}/`, document.baseURI);
    new URL('manifest.json', url);
    return url;
  } catch {
    throw new EngineError('invalid_option', `${name}: expected the URL of a folder, found ${JSON.stringify(value)}`);
  }
}

/** Throws invalid_option. */
export function engineUrls(base: string | null | undefined, bundle: string | null | undefined): EngineUrls & { bundleUrl: string } {
  const files = base ? folder('base', base) : new URL('.', import.meta.url);
  return {
    workerUrl: new URL('worker.js', files).href,
    moduleUrl: new URL('vitrine-module.mjs', files).href,
    bundleUrl: bundle ? folder('bundle', bundle).href : new URL('models/shell/', files).href,
  };
}

export class EngineController implements ReactiveController {
  load: LoadState = notStarted;
  /** Of the engine's present worker; what needs a bundle the engine refuses before `load` is ready. */
  model: LanguageModel | null = null;

  private moduleUrl = '';
  private held: ReturnType<typeof SharedEngine.hold> | null = null;

  constructor(
    private readonly host: EngineHost,
    /** Called when the state changed, before the host renders. */
    private readonly onChange: () => void = () => {},
    /** Without one the module alone is there, by `prepared`. */
    private readonly needsBundle = true,
  ) {
    host.addController(this);
    new Presentation(host);
  }

  get ready(): boolean {
    return this.load.kind === 'ready';
  }

  hostConnected(): void {
    try {
      const urls = engineUrls(this.host.base, this.host.bundle);
      const needed = this.needsBundle ? urls : { ...urls, bundleUrl: null };
      this.moduleUrl = urls.moduleUrl;
      this.held = SharedEngine.hold(needed, (load, model) => this.tell(load, model));
    } catch (error) {
      this.tell({ kind: 'failed', error: toEngineError(error) }, null);
    }
  }

  /** The model with its module started, which lessons need and no more; null without an engine. */
  async prepared(): Promise<LanguageModel | null> {
    const { model } = this;
    await model?.prepare(this.moduleUrl);
    return model;
  }

  private tell(load: LoadState, model: LanguageModel | null): void {
    this.load = load;
    this.model = model;
    this.onChange();
    this.host.requestUpdate();
  }

  hostDisconnected(): void {
    this.held?.release();
    this.held = null;
    this.model = null;
    this.load = notStarted;
  }

  /** Loads anew, with what the host's attributes say now where they said nothing usable before. */
  retry(): void {
    if (this.held) this.held.engine.retry();
    else this.hostConnected();
  }
}
