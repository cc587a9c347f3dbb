// <vitrine-proof>: the proof beside the text: cached logits against full-prefix logits, what each lane cost, prefill and
// decode apart, and the cache's bytes, for the run of its page that began last. It runs nothing.

import { css, html, nothing, type TemplateResult } from 'lit';

import type { LaneCost, RunStep } from '../engine/protocol';
import { fill, messages } from '../messages';
import { isRunning, tokenSteps, totals, type Run } from '../runs/run';
import { instrumentStyles } from '../styles/instruments';
import { panelStyles } from '../styles/panel';
import { shared } from '../styles/shared';
import { verdictStyles } from '../styles/verdict';
import { cacheBytesView } from '../views/cache-bytes';
import { lanesView } from '../views/lanes';
import { latencyView } from '../views/latency';
import { idleView } from '../views/load-progress';
import { tokenChartView } from '../views/token-chart';
import { tokenTableView } from '../views/token-table';
import { verdictView } from '../views/verdict';
import { EngineController } from './engine-controller';
import { ModelElement } from './model-element';

const compared = (step: RunStep): step is RunStep & { full: LaneCost } => step.full !== null;

const texts = messages('proof', {
  title: 'The proof',
  about:
    'The cache must be an optimisation, never an approximation. For every token the model also reads the whole text anew, without its cache, and every bit of every logit is compared.',
  nothing: 'Of the text generated from nothing',
  completion: 'Of the completion of',
  generation: 'Of the text generated from',
  recorded: 'recorded',
  recorded_with: 'with {by}',
  latency: 'Latency with the cache',
  cache: 'The cache of this text',
  tokens: 'Every token',
});

/**
 * The proof of the run that began last on its page, as the `vitrine-run` events of other elements tell it.
 *
 * @element vitrine-proof
 * @attr {string} for - The id of the one element whose runs it shows; by default those of all.
 * @csspart title - The title.
 * @csspart panel - The frame.
 */
export class VitrineProof extends ModelElement {
  static override properties = { for: {}, run: { attribute: false } };
  declare for: string | null;
  /** The run that is shown; null before the first. */
  declare run: Run | null;

  private readonly engine = new EngineController(this);
  private readonly onRun = (event: CustomEvent<Run>): void => {
    if (this.for && !event.composedPath().some((target) => target instanceof Element && target.id === this.for)) return;
    const run = event.detail;
    // One that has no step, or never will, leaves the proof of the one before.
    if (run.steps.length === 0 || run.number < (this.run?.number ?? 0)) return;
    // A recorded proof gives way to the live one of the same text when that is whole: nothing jumps.
    if (this.run?.recorded && this.run.prompt === run.prompt && isRunning(run)) return;
    this.run = run;
  };

  constructor() {
    super();
    this.for = null;
    this.run = null;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    document.addEventListener('vitrine-run', this.onRun as EventListener);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    document.removeEventListener('vitrine-run', this.onRun as EventListener);
  }

  override render(): TemplateResult {
    const { load } = this.engine;
    return html`
      <section class="panel" part="panel" aria-labelledby="title">
        <h2 id="title" part="title">${texts.title}</h2>
        <p class="small soft">${texts.about}</p>
        ${load.kind === 'failed' ? idleView(load.error, () => this.engine.retry()) : nothing}
        ${this.run ? this.evidence(this.run) : verdictView({ tokens: 0, identical_tokens: 0, logits_compared: 0, differing_bits: 0 })}
      </section>
    `;
  }

  private evidence(run: Run): TemplateResult {
    const steps = tokenSteps(run);
    const sums = totals(run);
    const last = steps.filter(compared).at(-1);
    const positions = run.steps.at(-1)?.positions ?? 0;
    const { load } = this.engine;
    const loaded = load.kind === 'ready' ? load.description.architecture : null;
    const architecture = run.recorded?.architecture ?? loaded;
    return html`
      <p class="small of">
        ${run.prompt === '' ? texts.nothing : html`${texts[run.source]} <code dir="auto">${run.prompt}</code>`}
        ${run.recorded ? html`<span class="recorded" data-recorded>${texts.recorded} <span class="meaning">${fill(texts.recorded_with, { by: run.recorded.by })}</span></span>` : nothing}
      </p>
      ${verdictView(sums.parity)}
      ${last && sums.full ? lanesView(last, { cached: sums.cached, full: sums.full }) : nothing}
      ${last ? tokenChartView(run.steps) : nothing}
      <h3>${texts.latency}</h3>
      ${latencyView(sums.prefill, sums.decode)}
      ${
        sums.cache
          ? html`
              <h3>${texts.cache}</h3>
              ${cacheBytesView(sums.cache, positions, architecture)}
            `
          : nothing
      }
      ${
        steps.length > 0 && !isRunning(run)
          ? html`
              <details>
                <summary>${texts.tokens}</summary>
                ${tokenTableView(steps)}
              </details>
            `
          : nothing
      }
    `;
  }

  static override styles = [
    shared,
    panelStyles,
    verdictStyles,
    instrumentStyles,
    css`
      /* One line, with or without the badge: the live proof moves nothing when it takes the place of a recorded one. */
      .of {
        display: grid;
        margin-bottom: var(--space-2);
        grid-template-columns: minmax(0, auto) auto;
        justify-content: space-between;
        gap: 0 var(--space-3);
      }

      .of code {
        grid-row: 2;
        grid-column: 1 / -1;
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: pre;
      }

      .recorded {
        color: var(--full);
        font-weight: 600;
      }

      .recorded::before {
        content: '';
        display: inline-block;
        width: 0.55em;
        height: 0.55em;
        margin-inline-end: 0.4em;
        border: 2px solid currentcolor;
        border-radius: 50%;
      }

      .chart {
        margin: var(--space-4) 0 0;
      }

      .chart svg {
        display: block;
        width: 100%;
        height: auto;
      }

      .ends {
        direction: ltr;
        display: flex;
        justify-content: space-between;
        margin: 0 0 var(--space-1);
      }

      .axis {
        stroke: var(--line-strong);
      }

      details {
        margin-top: var(--space-4);
      }

      .tokens {
        max-height: 22rem;
      }

      .tokens td {
        white-space: nowrap;
      }

      .tokens th.figure:first-child {
        padding-inline-end: 0.6rem;
      }
    `,
  ];
}

customElements.define('vitrine-proof', VitrineProof);
