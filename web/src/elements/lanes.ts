// <vitrine-lanes>: one text in two lanes, with the cache and with the whole prefix computed anew, stepped token by token,
// run and rewound; what each token cost in either lane; and how that grows with the length of the text.

import { html, nothing, type TemplateResult } from 'lit';

import type { LanguageModel } from '../engine/client';
import { EngineError } from '../engine/errors';
import type { FinishReason, GrowthPoint, PolicyOptions, RunStep, TokenPiece } from '../engine/protocol';
import { fill, messages } from '../messages';
import { growthOverContext } from '../runs/growth';
import type { HeldRows } from '../runs/held-rows';
import { tokenCosts, totals, withoutLastTokens } from '../runs/run';
import { numberOrText, speaksOf } from '../state/policy-fields';
import { instrumentStyles } from '../styles/instruments';
import { lanesStyles } from '../styles/lanes';
import { panelStyles } from '../styles/panel';
import { shared } from '../styles/shared';
import { verdictStyles } from '../styles/verdict';
import { errorView } from '../views/error';
import { figureView } from '../views/figure';
import { finishText } from '../views/finish';
import { growthView, type GrowthMeasure } from '../views/growth';
import { laneTable } from '../views/lane-table';
import { laneTokensView } from '../views/lane-tokens';
import { lanesView } from '../views/lanes';
import { latencyView } from '../views/latency';
import { idleView } from '../views/load-progress';
import { steppingButtonsView } from '../views/stepping-buttons';
import { textFieldView } from '../views/text-field';
import { timelineConclusion, timelineView } from '../views/timeline';
import { verdictText, verdictView } from '../views/verdict';
import './line-chart';
import { emit } from './emit';
import { ModelElement } from './model-element';
import { SteppingController } from './stepping-controller';

const texts = messages('lanes', {
  title: 'One text, two lanes',
  prompt: 'Prompt',
  step: 'Step',
  run: 'Run',
  pause: 'Pause',
  rewind: 'Rewind',
  rewind_by: 'tokens to rewind',
  again: 'Begin again',
  waiting: 'Step computes one token in both lanes and compares every bit of its logits. Run goes on until you pause it.',
  reused: 'Of the prompt, {n} positions came out of the cache of a row before: only the rest was computed.',
  time: 'Where the time goes',
  status: '{parity}; {finish}.',
  paused: 'paused',
  rewound: 'Rewound to {n} tokens. The next step draws again what it drew there before.',
});

const defaultPolicy: PolicyOptions = { mode: 'greedy', max_new_tokens: 96 };

interface Row {
  id: number;
  prompt: readonly TokenPiece[];
}

/**
 * Cached decode beside the full prefix recomputed, token by token.
 *
 * @element vitrine-lanes
 * @attr {string} prompt - What the text begins with.
 * @prop {PolicyOptions} policy - How its tokens are chosen; greedy by default.
 * @fires {CustomEvent<readonly RunStep[]>} vitrine-lanes - The steps so far, after every step and rewind.
 * @fires {CustomEvent<{prompt: string}>} vitrine-state - The visitor changed the prompt.
 * @csspart title - The title.
 * @csspart panel - The frame.
 * @csspart controls - The prompt and the buttons.
 * @csspart prompt - The field of the prompt.
 * @csspart step - The button that steps.
 * @csspart run - The button that runs and pauses.
 * @csspart rewind - The button that rewinds, and by how much.
 * @csspart again - The button that begins again.
 * @csspart measures - What is counted as the text grows.
 * @csspart figure - A figure: picture, conclusion, table.
 */
export class VitrineLanes extends ModelElement {
  static override properties = {
    prompt: {},
    policy: { attribute: false },
    steps: { state: true },
    row: { state: true },
    status: { state: true },
    growth: { state: true },
    measure: { state: true },
    rewindBy: { state: true },
  };
  declare prompt: string;
  declare policy: PolicyOptions;
  declare steps: readonly RunStep[];
  declare row: Row | null;
  /** What is announced: by run, not by token. */
  declare status: string;
  declare growth: readonly GrowthPoint[];
  declare measure: GrowthMeasure;
  declare rewindBy: string;

  private readonly stepping = new SteppingController(this, {
    onBegin: () => this.clear(),
    onReady: (model) => void this.measureGrowth(model),
  });

  constructor() {
    super();
    this.prompt = 'tar --extract --file';
    this.policy = defaultPolicy;
    this.growth = [];
    this.measure = 'multiply_adds';
    this.rewindBy = '5';
    this.clear();
  }

  /** A row is that of its prompt and policy: with others it ends, also one that runs or is just being started. */
  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    if (changed.has('prompt') || changed.has('policy')) this.stepping.begin();
  }

  private clear(): void {
    this.steps = [];
    this.row = null;
    this.status = '';
  }

  private async measureGrowth(model: LanguageModel): Promise<void> {
    const { load } = this.stepping.engine;
    if (load.kind !== 'ready' || this.growth.length > 0) return;
    try {
      this.growth = await growthOverContext(model, load.description);
    } catch (error) {
      if (this.stepping.engine.model === model) this.stepping.fail(error);
    }
  }

  private get finish(): FinishReason | null {
    return this.steps.at(-1)?.finish_reason ?? null;
  }

  private get canStep(): boolean {
    return this.stepping.engine.ready && !this.stepping.working && this.finish === null;
  }

  /** One more token: a long prompt takes several passes before the first one. */
  private async stepOnce(rows: HeldRows): Promise<void> {
    if (this.row === null) {
      const { row, tokens } = await rows.start(this.prompt, this.policy, { parity: true });
      if (!this.stepping.holds(rows)) return;
      this.row = { id: row, prompt: tokens };
    }
    const { id } = this.row;
    for (let chosen = false; !chosen && this.stepping.holds(rows) && this.finish === null; ) {
      const steps = await rows.step([id]);
      if (!this.stepping.holds(rows)) return;
      this.steps = [...this.steps, ...steps];
      chosen = steps.length === 0 || steps.some((step) => step.token !== null);
    }
    this.tell();
  }

  private step(): void {
    void this.stepping.work(async (rows) => {
      await this.stepOnce(rows);
      this.announce();
    });
  }

  private run(): void {
    void this.stepping.run(async (rows) => {
      while (this.stepping.runs(rows) && this.finish === null) await this.stepOnce(rows);
      this.announce();
    });
  }

  private rewind(): void {
    const { row } = this;
    const asked = numberOrText(this.rewindBy);
    if (row === null) return;
    if (typeof asked !== 'number' || !Number.isInteger(asked) || asked < 1) {
      this.stepping.fail(new EngineError('invalid_option', `rewind: expected a whole number from 1, found ${JSON.stringify(asked)}`));
      return;
    }
    const tokens = Math.min(asked, tokenCosts(this.steps).length);
    void this.stepping.work(async (rows) => {
      await rows.rewind(row.id, tokens);
      if (!this.stepping.holds(rows)) return;
      this.steps = withoutLastTokens(this.steps, tokens);
      this.status = fill(texts.rewound, { n: tokenCosts(this.steps).length });
      this.tell();
    });
  }

  private startOver(): void {
    if (!this.stepping.working) this.stepping.begin();
  }

  private tell(): void {
    emit(this, 'vitrine-lanes', this.steps);
  }

  private announce(): void {
    const { parity } = totals(this);
    if (parity.tokens === 0) return;
    const finish = this.finish ? finishText(this.finish) : texts.paused;
    this.status = fill(texts.status, { parity: verdictText(parity), finish });
  }

  private changePrompt(prompt: string): void {
    this.prompt = prompt;
    emit(this, 'vitrine-state', { prompt });
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
        ${laneTokensView(this.prompt, this.row?.prompt ?? null, this.steps)}
        <p class="status small soft" role="status"><bdi>${this.status}</bdi></p>
        ${this.steps.length === 0 ? html`<p class="soft waiting">${texts.waiting}</p>` : this.runView()}
        ${this.growth.length === 0 ? nothing : growthView(this.growth, this.measure, (measure) => (this.measure = measure))}
      </section>
    `;
  }

  private controlsView(): TemplateResult {
    const { canStep } = this;
    const { running, working } = this.stepping;
    const canRewind = !working && tokenCosts(this.steps).length > 0;
    return html`
      <div class="controls" part="controls">
        <div class="prompt field" part="prompt">
          <label for="prompt">${texts.prompt}</label>
          ${textFieldView({
            id: 'prompt',
            value: this.prompt,
            wrong: speaksOf(this.stepping.error, 'prompt'),
            readonly: working,
            onInput: (prompt) => this.changePrompt(prompt),
          })}
        </div>
        ${steppingButtonsView({
          canStep,
          running,
          texts,
          onStep: () => this.step(),
          onRun: () => this.run(),
          onPause: () => this.stepping.pause(),
        })}
        <span class="rewind" part="rewind">
          <button type="button" data-rewind aria-disabled=${!canRewind} @click=${() => canRewind && this.rewind()}>
            ${texts.rewind}
          </button>
          <input
            type="number"
            min="1"
            max="999"
            aria-label=${texts.rewind_by}
            .value=${this.rewindBy}
            @input=${(event: Event) => (this.rewindBy = (event.target as HTMLInputElement).value)}
          />
        </span>
        <button type="button" part="again" data-again aria-disabled=${working || this.row === null} @click=${() => this.startOver()}>
          ${texts.again}
        </button>
      </div>
    `;
  }

  private runView(): TemplateResult {
    const sums = totals(this);
    const costs = tokenCosts(this.steps);
    const last = costs.at(-1);
    const reused = this.steps[0]?.past ?? 0;
    return html`
      <div class="columns">
        <div>${verdictView(sums.parity)}</div>
        <div>${latencyView(sums.prefill, sums.decode)}</div>
      </div>
      ${reused > 0 ? html`<p class="small soft">${fill(texts.reused, { n: reused })}</p>` : nothing}
      ${last?.full && sums.full ? lanesView({ cached: last.cached, full: last.full }, { cached: sums.cached, full: sums.full }, true) : nothing}
      ${
        costs.length === 0
          ? nothing
          : html`
              <h3>${texts.time}</h3>
              ${figureView(timelineView(costs), timelineConclusion(costs), laneTable(costs))}
            `
      }
    `;
  }

  static override styles = [shared, panelStyles, verdictStyles, instrumentStyles, lanesStyles];
}

customElements.define('vitrine-lanes', VitrineLanes);
