// SteppingController: lets an element step rows of its own: one piece of work at a time, runs that can be paused, and an
// end of its rows when the engine or the element goes. Which rows there are and what is shown of them is the element's.

import type { ReactiveController } from 'lit';

import type { LanguageModel } from '../engine/client';
import { toEngineError, type EngineError } from '../engine/errors';
import { HeldRows } from '../runs/held-rows';
import { EngineController, type EngineHost } from './engine-controller';

export interface SteppingListener {
  /** What the element knows of its rows is void: they are finished, and others will follow. */
  onBegin: () => void;
  /** The engine serves. Called again whenever its state is told anew. */
  onReady: (model: LanguageModel) => void;
}

export class SteppingController implements ReactiveController {
  readonly engine: EngineController;
  /** A request is on its way. */
  working = false;
  /** Steps follow each other until a pause. */
  running = false;
  error: EngineError | null = null;

  private model: LanguageModel | null = null;
  private rows: HeldRows | null = null;

  constructor(
    private readonly host: EngineHost,
    private readonly listener: SteppingListener,
  ) {
    host.addController(this);
    this.engine = new EngineController(host, () => this.onEngine());
  }

  hostDisconnected(): void {
    this.beginWith(null);
  }

  /** Whether these rows are the element's still; answers about others are no news to it. */
  holds(rows: HeldRows): boolean {
    return this.rows === rows;
  }

  /** Whether a run of these rows goes on. */
  runs(rows: HeldRows): boolean {
    return this.running && this.holds(rows);
  }

  /** Finishes the rows and lets the element begin anew. */
  begin(): void {
    this.beginWith(this.engine.model);
  }

  /** Does something with the rows, unless something is being done already. What goes wrong is in `error`. */
  async work(body: (rows: HeldRows) => Promise<void>): Promise<void> {
    const { rows } = this;
    if (rows === null || this.working || !this.engine.ready) return;
    this.change({ working: true, error: null });
    try {
      await body(rows);
    } catch (error) {
      if (this.holds(rows)) this.error = toEngineError(error);
    }
    if (this.holds(rows)) this.change({ working: false, running: false });
  }

  /** Work that goes on, step by step, as long as `runs` says so. */
  async run(body: (rows: HeldRows) => Promise<void>): Promise<void> {
    if (this.working) return;
    this.running = true;
    await this.work(body);
  }

  pause(): void {
    this.change({ running: false });
  }

  /** Shows what went wrong beside the steps. */
  fail(error: unknown): void {
    this.change({ error: toEngineError(error) });
  }

  private onEngine(): void {
    const { model, ready } = this.engine;
    if (model !== this.model) this.beginWith(model);
    if (model && ready) this.listener.onReady(model);
  }

  /** Rows of another engine are no longer ours. */
  private beginWith(model: LanguageModel | null): void {
    this.model = model;
    this.rows?.close();
    this.rows = model && new HeldRows(model);
    this.change({ working: false, running: false, error: null });
    this.listener.onBegin();
  }

  private change(changed: Partial<Pick<this, 'working' | 'running' | 'error'>>): void {
    Object.assign(this, changed);
    this.host.requestUpdate();
  }
}
