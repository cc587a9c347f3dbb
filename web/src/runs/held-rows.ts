// The rows that an element steps by itself. Whatever becomes of the element, its rows are finished: none stays in the
// engine's batch. It draws nothing.

import type { LanguageModel } from '../engine/client';
import { EngineError } from '../engine/errors';
import type { CacheMap, PolicyOptions, Requests, RowOptions, RunResult, RunStep } from '../engine/protocol';

type Model = Pick<LanguageModel, 'start' | 'step' | 'rewind' | 'finish' | 'cacheMap'>;

export class HeldRows {
  private readonly rows = new Set<number>();
  private closed = false;

  constructor(private readonly model: Model) {}

  /** Throws what the engine throws, and "aborted" when the rows were closed meanwhile. */
  async start(prompt: string, policy: PolicyOptions, options: RowOptions): Promise<Requests['start']['result']> {
    const started = await this.model.start(prompt, policy, options);
    this.rows.add(started.row);
    if (!this.closed) return started;
    this.letGo(started.row);
    throw new EngineError('aborted', 'row: expected its element to be there still, found it removed');
  }

  step(rows: readonly number[]): Promise<RunStep[]> {
    return this.model.step(rows);
  }

  rewind(row: number, tokens: number): Promise<RunResult> {
    return this.model.rewind(row, tokens);
  }

  cacheMap(row: number): Promise<CacheMap> {
    return this.model.cacheMap(row);
  }

  async finish(row: number): Promise<RunResult> {
    this.rows.delete(row);
    return this.model.finish(row);
  }

  /** Finishes every row, and those that are being started. An engine that has ended took its rows with it. */
  close(): void {
    this.closed = true;
    for (const row of this.rows) this.letGo(row);
  }

  private letGo(row: number): void {
    this.finish(row).catch(() => {});
  }
}
