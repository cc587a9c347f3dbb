// <vitrine-cache>: the KV cache of a small batch, filling as tokens arrive: what each row holds by layer, head and
// position, its bytes by formula, used and allocated, and rows that join, finish and leave.

import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';

import type { LanguageModel } from '../engine/client';
import type { CacheMap, FinishReason, JsonObject, PolicyOptions, RunStep } from '../engine/protocol';
import { fill, messages } from '../messages';
import type { HeldRows } from '../runs/held-rows';
import { speaksOf } from '../state/policy-fields';
import { cacheStyles } from '../styles/cache';
import { instrumentStyles } from '../styles/instruments';
import { panelStyles } from '../styles/panel';
import { shared } from '../styles/shared';
import { cacheBytesView } from '../views/cache-bytes';
import { cacheFormulaView } from '../views/cache-formula';
import { cacheGridConclusion, cacheGridTable, cacheGridView } from '../views/cache-grid';
import { errorView } from '../views/error';
import { figureView } from '../views/figure';
import { finishText } from '../views/finish';
import { bytes } from '../views/format';
import { idleView } from '../views/load-progress';
import { steppingButtonsView } from '../views/stepping-buttons';
import { textFieldView } from '../views/text-field';
import { ModelElement } from './model-element';
import { SteppingController } from './stepping-controller';

const texts = messages('cache', {
  title: 'A batch and its cache',
  prompt: 'A row begins with',
  join: 'Join',
  step: 'Step',
  run: 'Run',
  pause: 'Pause',
  again: 'Begin again',
  leave: 'Leave',
  full: 'The batch of this demonstration holds {n} rows: let one leave first.',
  empty: 'No row is in the batch. Join one.',
  row: 'Row {n}',
  joined: 'joined: nothing computed yet',
  joins: 'Row {n} joined.',
  going: 'goes on',
  finished: 'finished: {reason}; its cache stays until it leaves',
  total: 'Rows in the batch: {rows}. Their caches use {used} of {allocated} allocated.',
  done: 'Every row has finished.',
  left: 'Row {n} left, and its place is free.',
  why: 'Why it grows, and why that is not all',
  linear:
    'Each position adds one key and one value in every layer and key/value head, of the same size whether it is the first or the last: memory grows linearly with the text.',
  reads:
    'The cache saves computing the keys and values of the past again. But the new token looks at all of them: each step still reads the whole cache, and its attention costs more the longer the text is. Caching makes a step cheap, not constant.',
  alone: 'Each row has a cache of its own, from the length of its own text. What one row does moves no bit of another.',
});

/** Enough to see rows of different length; the engine's batch may hold more. */
const mostRows = 4;
const defaultPrompts = ['git commit -', 'docker run --', 'npm install --'];
const policy: PolicyOptions = { mode: 'greedy', max_new_tokens: 48 };

interface Row {
  id: number;
  /** Rows are numbered as they join. */
  number: number;
  prompt: string;
  text: string;
  finish: FinishReason | null;
  map: CacheMap;
}

/**
 * The KV cache of a batch whose rows join, finish and leave.
 *
 * @element vitrine-cache
 * @csspart title - The title.
 * @csspart panel - The frame.
 * @csspart controls - The buttons and the prompt of a row to come.
 * @csspart step - The button that steps.
 * @csspart run - The button that runs and pauses.
 * @csspart join - The prompt of a row that joins, and its button.
 * @csspart again - The button that begins again.
 * @csspart leave - The button with which a row leaves.
 * @csspart row - A row of the batch.
 * @csspart figure - A figure: picture, conclusion, table.
 */
export class VitrineCache extends ModelElement {
  static override properties = {
    rows: { state: true },
    prompt: { state: true },
    status: { state: true },
    perPosition: { state: true },
  };
  declare rows: readonly Row[];
  declare prompt: string;
  declare status: string;
  /** Bytes of the cache that one position takes; 0 until the engine has told. */
  declare perPosition: number;

  private readonly stepping = new SteppingController(this, {
    onBegin: () => this.clear(),
    onReady: (model) => this.joinFirst(model),
  });
  private joined = 0;

  constructor() {
    super();
    this.prompt = 'tar -';
    this.perPosition = 0;
    this.clear();
  }

  private joinFirst(model: LanguageModel): void {
    if (this.joined > 0) return;
    this.joinDefaults();
    // What goes wrong is told where the rows are; the formula is then not shown.
    model.growth([1]).then(
      ([one]) => (this.perPosition = one?.cache_bytes ?? 0),
      () => {},
    );
  }

  private clear(): void {
    this.rows = [];
    this.joined = 0;
    this.status = '';
  }

  private get going(): Row[] {
    return this.rows.filter((row) => row.finish === null);
  }

  /** The first rows have read their prompts: there is something to look at before anything is pressed. */
  private joinDefaults(): void {
    void this.stepping.work(async (held) => {
      for (const prompt of defaultPrompts) await this.joinRow(held, prompt);
      await this.stepAll(held);
    });
  }

  private join(): void {
    if (this.rows.length >= mostRows) {
      this.status = fill(texts.full, { n: mostRows });
      return;
    }
    void this.stepping.work(async (held) => {
      await this.joinRow(held, this.prompt);
      if (this.stepping.holds(held)) this.status = fill(texts.joins, { n: this.joined });
    });
  }

  private async joinRow(held: HeldRows, prompt: string): Promise<void> {
    this.joined += 1;
    const number = this.joined;
    const { row: id } = await held.start(prompt, policy, {});
    const map = await held.cacheMap(id);
    if (!this.stepping.holds(held)) return;
    this.rows = [...this.rows, { id, number, prompt, text: '', finish: null, map }];
  }

  /** One forward pass for every row that goes on, together. */
  private async stepAll(held: HeldRows): Promise<void> {
    const going = this.going.map(({ id }) => id);
    if (going.length === 0) return;
    const steps = await held.step(going);
    const maps = new Map<number, CacheMap>();
    for (const { row } of steps) maps.set(row, await held.cacheMap(row));
    if (!this.stepping.holds(held)) return;
    this.rows = this.rows.map((row) => {
      const step = steps.find((one) => one.row === row.id);
      return step ? after(row, step, maps.get(row.id) ?? row.map) : row;
    });
    if (this.going.length === 0) this.status = texts.done;
  }

  private step(): void {
    void this.stepping.work((held) => this.stepAll(held));
  }

  private run(): void {
    void this.stepping.run(async (held) => {
      while (this.stepping.runs(held) && this.going.length > 0) await this.stepAll(held);
    });
  }

  private leave(row: Row): void {
    void this.stepping.work(async (held) => {
      await held.finish(row.id);
      if (!this.stepping.holds(held)) return;
      this.rows = this.rows.filter(({ id }) => id !== row.id);
      this.status = fill(texts.left, { n: row.number });
    });
  }

  private startOver(): void {
    if (this.stepping.working) return;
    this.stepping.begin();
    this.joinDefaults();
  }

  override render(): TemplateResult {
    const { error } = this.stepping;
    const { load } = this.stepping.engine;
    return html`
      <section class="panel" part="panel" aria-labelledby="title">
        <h2 id="title" part="title">${texts.title}</h2>
        ${load.kind === 'failed' ? idleView(load.error, () => this.stepping.engine.retry()) : nothing}
        ${this.controlsView()}
        ${errorView(error, 'error')}
        <p class="status small soft" role="status">${this.status}</p>
        ${this.rows.length === 0 ? html`<p class="soft">${texts.empty}</p>` : this.totalView()}
        <div class="rows">
          ${repeat(
            this.rows,
            ({ number }) => number,
            (row) => this.rowView(row),
          )}
        </div>
        ${this.whyView()}
      </section>
    `;
  }

  private controlsView(): TemplateResult {
    const { running, working, engine } = this.stepping;
    const canJoin = engine.ready && !working;
    const canStep = canJoin && this.going.length > 0;
    return html`
      <div class="controls" part="controls">
        ${steppingButtonsView({
          canStep,
          running,
          texts,
          onStep: () => this.step(),
          onRun: () => this.run(),
          onPause: () => this.stepping.pause(),
        })}
        <form
          class="join"
          part="join"
          @submit=${(event: Event) => {
            event.preventDefault();
            if (canJoin) this.join();
          }}
        >
          <label for="prompt">${texts.prompt}</label>
          ${textFieldView({ id: 'prompt', value: this.prompt, wrong: speaksOf(this.stepping.error, 'prompt'), onInput: (prompt) => (this.prompt = prompt) })}
          <button type="submit" data-join aria-disabled=${!canJoin}>${texts.join}</button>
        </form>
        <button type="button" part="again" data-again aria-disabled=${working} @click=${() => this.startOver()}>${texts.again}</button>
      </div>
    `;
  }

  private totalView(): TemplateResult {
    const sum = (key: 'used' | 'allocated'): number => this.rows.reduce((total, { map }) => total + map.bytes[key], 0);
    const values = { rows: this.rows.length, used: bytes(sum('used')), allocated: bytes(sum('allocated')) };
    return html`<p class="total"><bdi>${fill(texts.total, values)}</bdi></p>`;
  }

  private rowView(row: Row): TemplateResult {
    const { number, prompt, text, finish, map } = row;
    const state = finish
      ? fill(texts.finished, { reason: finishText(finish) })
      : map.positions === 0
        ? texts.joined
        : texts.going;
    return html`
      <article class="row ${finish ? 'finished' : ''}" part="row" data-row=${number}>
        <header>
          <h3>${fill(texts.row, { n: number })}</h3>
          <code dir="auto"><span class="given">${prompt}</span>${text}</code>
          <span class="state small soft">${state}</span>
          <button type="button" part="leave" aria-disabled=${this.stepping.working} @click=${() => this.leave(row)}>
            ${texts.leave}<span class="hidden"> ${fill(texts.row, { n: number })}</span>
          </button>
        </header>
        <div class="held">
          ${figureView(cacheGridView(map), cacheGridConclusion(map), cacheGridTable(map))}
          <div>${cacheBytesView(map.bytes, map.positions, null)}</div>
        </div>
      </article>
    `;
  }

  private whyView(): TemplateResult {
    return html`
      <div class="why">
        <h3>${texts.why}</h3>
        ${this.architecture && this.perPosition > 0 ? cacheFormulaView(this.architecture, this.perPosition) : nothing}
        <p>${texts.linear}</p>
        <p>${texts.reads}</p>
        <p>${texts.alone}</p>
      </div>
    `;
  }

  private get architecture(): JsonObject | null {
    const { load } = this.stepping.engine;
    return load.kind === 'ready' ? load.description.architecture : null;
  }

  static override styles = [shared, panelStyles, instrumentStyles, cacheStyles];
}

const after = (row: Row, step: RunStep, map: CacheMap): Row => ({
  ...row,
  text: row.text + step.text,
  finish: step.finish_reason,
  map,
});

customElements.define('vitrine-cache', VitrineCache);
