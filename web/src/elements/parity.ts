// <vitrine-parity>: continues a prompt and holds the cached logits of every schedule against those of the recomputed
// prefix, bit for bit. The engine runs and compares (docs/exactness.md); here is its report as a table.

import { css, html, nothing, type TemplateResult } from 'lit';

import { errorMeanings, toEngineError, type EngineError } from '../engine/errors';
import type { ParityReport } from '../engine/protocol';
import { fill, messages } from '../messages';
import { numberOrText, speaksOf } from '../state/policy-fields';
import { panelStyles } from '../styles/panel';
import { shared } from '../styles/shared';
import { errorView } from '../views/error';
import { figureView, type FigureTable } from '../views/figure';
import { count } from '../views/format';
import { loadFailureView } from '../views/load-progress';
import { textFieldView } from '../views/text-field';
import { emit } from './emit';
import { EngineController } from './engine-controller';
import { ModelElement } from './model-element';

const text = messages('parity', {
  title: 'Parity, over every schedule',
  about:
    'The prompt is continued to so many tokens. Then every prefix is computed anew, and all logits of every token are compared with those of each way of using a cache. Bits are compared, never values.',
  prompt: 'Prompt',
  tokens: 'Tokens',
  seed: 'Seed',
  check: 'Check parity',
  checking: 'Checking: every prefix is being computed anew.',
  waiting: 'The model is loading.',
  same: '{logits} logits over {schedules} schedules: 0 bits differ.',
  part: '{logits} logits over {exercised} of {schedules} schedules: 0 bits differ.',
  different: '{logits} logits over {schedules} schedules: {bits} bits differ.',
  idle: 'not exercised',
  table: 'What each schedule compared, and what differed',
  schedule: 'Schedule',
  meaning: 'How the cache is used',
  compared: 'Logits compared',
  bits: 'Bits that differ',
  notExercised: 'Too short for: {names}. Ask for 17 tokens or more.',
  first: 'First difference: token {token}, logit {logit}: {cached} with the cache, {full} without.',
});

const meanings: Record<string, string> = messages('parity.schedule', {
  decode: 'one token at a time, as a generator does',
  chunks_1: 'prefill one token at a time',
  chunks_3: 'prefill in chunks of 3',
  chunks_7: 'prefill in chunks of 7',
  chunks_16: 'prefill in chunks of 16',
  batch_5: 'five rows that join and leave at different steps',
  rewind_retype: 'typing with mistakes that are taken back',
});

/**
 * The parity check over every schedule.
 *
 * @element vitrine-parity
 * @attr {string} prompt - What the compared text begins with.
 * @attr {string} tokens - To how many tokens the prompt is continued.
 * @attr {string} seed - The seed of the continuation.
 * @fires {CustomEvent<{prompt: string, tokens: string, seed: string}>} vitrine-state - The visitor changed something.
 * @fires {CustomEvent<ParityReport>} vitrine-parity-report - The check has ended.
 * @csspart panel - The frame.
 * @csspart title - The title.
 * @csspart about - What is compared.
 * @csspart prompt - The field of the prompt.
 * @csspart tokens - The field of the number of tokens.
 * @csspart seed - The field of the seed.
 * @csspart check - The button.
 * @csspart report - The verdict, the table, what was too short and what differed first.
 * @csspart figure - The verdict and the table alone.
 */
export class VitrineParity extends ModelElement {
  static override properties = {
    prompt: {},
    tokens: {},
    seed: {},
    report: { state: true },
    running: { state: true },
    error: { state: true },
  };
  declare prompt: string;
  /** As they were typed: the engine judges them. */
  declare tokens: string;
  declare seed: string;
  declare report: ParityReport | null;
  declare running: boolean;
  declare error: EngineError | null;

  private readonly engine = new EngineController(this);

  constructor() {
    super();
    this.prompt = 'git commit -m';
    this.tokens = '40';
    this.seed = '7';
    this.report = null;
    this.running = false;
    this.error = null;
  }

  /** A report is that of its prompt, tokens and seed. */
  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    if (['prompt', 'tokens', 'seed'].some((name) => changed.has(name))) Object.assign(this, { report: null, error: null });
  }

  private async check(event: Event): Promise<void> {
    event.preventDefault();
    const { model, ready } = this.engine;
    if (model === null || !ready || this.running) return;
    this.running = true;
    this.report = null;
    this.error = null;
    try {
      // The engine refuses by name what is no number.
      const [tokens, seed] = [this.tokens, this.seed].map(numberOrText) as [number, number];
      const report = await model.parity(this.prompt, tokens, seed);
      this.report = report;
      emit(this, 'vitrine-parity-report', report);
    } catch (error) {
      // What ended with the engine, because the element was taken away, is nobody's error.
      if (this.engine.model === model) this.error = toEngineError(error);
    }
    this.running = false;
  }

  private change(name: 'prompt' | 'tokens' | 'seed', value: string): void {
    this[name] = value;
    emit(this, 'vitrine-state', { prompt: this.prompt, tokens: this.tokens, seed: this.seed });
  }

  override render(): TemplateResult {
    const { load, ready } = this.engine;
    return html`
      <section class="panel" part="panel" aria-labelledby="title">
        <h2 id="title" part="title">${text.title}</h2>
        <p class="small soft" part="about">${text.about}</p>
        ${
          load.kind === 'failed'
            ? loadFailureView(load.error, errorMeanings[load.error.code], () => this.engine.retry())
            : nothing
        }
        <form @submit=${this.check} novalidate>
          ${this.fieldView('prompt', text.prompt)} ${this.fieldView('tokens', text.tokens)}
          ${this.fieldView('seed', text.seed)}
          <button type="submit" part="check" class="primary" aria-disabled=${!ready || this.running}>${text.check}</button>
        </form>
        <p class="small" role="status">${this.statusText()}</p>
        ${errorView(this.error, 'error')}
        ${this.report ? this.reportView(this.report) : nothing}
      </section>
    `;
  }

  private fieldView(name: 'prompt' | 'tokens' | 'seed', label: string): TemplateResult {
    return html`
      <div class="field" part=${name}>
        <label for=${name}>${label}</label>
        ${textFieldView({
          id: name,
          value: this[name],
          wrong: speaksOf(this.error, name),
          readonly: this.running,
          inputmode: name === 'prompt' ? undefined : 'numeric',
          onInput: (value) => this.change(name, value),
        })}
      </div>
    `;
  }

  private statusText(): string {
    if (this.running) return text.checking;
    if (this.engine.load.kind === 'loading') return text.waiting;
    return this.report ? this.verdict(this.report) : '';
  }

  private verdict({ logits_compared: all, differing_bits: bits, schedules, not_exercised: idle }: ParityReport): string {
    if (bits > 0) return fill(text.different, { logits: count(all), schedules: schedules.length, bits: count(bits) });
    const exercised = schedules.filter(({ name }) => !idle.includes(name));
    const logits = exercised.reduce((sum, { logits_compared }) => sum + logits_compared, 0);
    const values = { logits: count(logits), exercised: exercised.length, schedules: schedules.length };
    return fill(idle.length > 0 ? text.part : text.same, values);
  }

  private reportView(report: ParityReport): TemplateResult {
    const short = report.not_exercised;
    const state = report.differing_bits > 0 ? 'different' : short.length > 0 ? 'partly' : 'identical';
    return html`
      <div part="report" class=${state} data-report>
        ${short.length > 0 ? html`<p class="small">${fill(text.notExercised, { names: short.join(', ') })}</p>` : nothing}
        ${figureView(nothing, this.verdict(report), this.tableOf(report), null)}
        ${report.schedules.map(({ first_difference: first }) =>
          first
            ? html`<p class="error">
                <bdi>${fill(text.first, { token: first.token, logit: first.logit, cached: first.cached, full: first.full_prefix })}</bdi>
              </p>`
            : nothing,
        )}
      </div>
    `;
  }

  private tableOf({ schedules, not_exercised: idle }: ParityReport): FigureTable {
    return {
      caption: text.table,
      head: [text.schedule, text.meaning, text.compared, text.bits],
      rows: schedules.map(({ name, logits_compared: logits, differing_bits: bits }) => [
        name,
        meanings[name] ?? '',
        // What could not take place has passed nothing, though its numbers say 0.
        ...(bits === 0 && idle.includes(name) ? [text.idle, '\u2013'] : [count(logits), count(bits)]),
      ]),
    };
  }

  static override styles = [
    shared,
    panelStyles,
    css`
      form {
        display: flex;
        flex-wrap: wrap;
        gap: var(--space-3);
        align-items: end;
        margin-bottom: var(--space-3);
      }

      .field {
        flex: 0 1 7rem;
      }

      .field[part='prompt'] {
        flex: 1 1 14rem;
      }

      figure {
        margin: 0;
      }

      figcaption {
        padding: var(--space-2) var(--space-3);
        margin-bottom: var(--space-3);
        border-inline-start: 4px solid var(--cached);
        border-radius: var(--radius-small);
        background: var(--cached-soft);
        font-weight: 620;
      }

      .partly figcaption {
        border-color: var(--line-strong);
        background: var(--well);
      }

      .different figcaption {
        border-color: var(--bad);
        border-inline-start-style: double;
        background: var(--bad-soft);
      }
    `,
  ];
}

customElements.define('vitrine-parity', VitrineParity);
