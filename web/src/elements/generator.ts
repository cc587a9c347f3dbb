// <vitrine-generator>: generates a text freely from a prompt under a policy, streaming, with a Stop that stops. Every
// step is told as a `vitrine-run` event, for the proof beside it.

import { css, html, nothing, type TemplateResult } from 'lit';

import { toEngineError, type EngineError } from '../engine/errors';
import { messages } from '../messages';
import { beginRun, isRunning, withStep, type Run } from '../runs/run';
import { fieldOf, initialFields, policyOptions, speaksOf, type PolicyFields } from '../state/policy-fields';
import { panelStyles } from '../styles/panel';
import { shared } from '../styles/shared';
import { errorView } from '../views/error';
import { finishText } from '../views/finish';
import { counted } from '../views/format';
import { idleView } from '../views/load-progress';
import { spokenView } from '../views/spoken';
import { textFieldView } from '../views/text-field';
import { verdictText } from '../views/verdict';
import { emit } from './emit';
import { EngineController } from './engine-controller';
import { ModelElement } from './model-element';
import type { VitrinePolicy } from './policy';
import './policy';

const texts = messages('generator', {
  title: 'Generate freely',
  prompt: 'Prompt',
  generate: 'Generate',
  stop: 'Stop',
  output: 'Generated text',
  tokens_one: '{n} token',
  tokens_other: '{n} tokens',
  seed: 'Seed',
  keep: 'Keep this seed',
});

/**
 * Generates a text from a prompt under a policy, token by token, each of them proved.
 *
 * @element vitrine-generator
 * @attr {string} prompt - What the text begins with.
 * @fires {CustomEvent<Run>} vitrine-run - When a generation begins, for every step, and when it ends.
 * @fires {CustomEvent<{prompt: string, fields: PolicyFields}>} vitrine-state - The visitor changed the prompt or the policy.
 * @csspart title - The title.
 * @csspart panel - The frame.
 * @csspart prompt - The prompt.
 * @csspart generate - The button that generates.
 * @csspart stop - The button that stops.
 * @csspart policy - The policy; `hide` also takes its options by name: mode, temperature, top_k, stop_strings, ...
 * @csspart output - The generated text.
 * @csspart keep - The button that keeps a seed.
 */
export class VitrineGenerator extends ModelElement {
  static override properties = {
    prompt: {},
    fields: { attribute: false },
    run: { state: true },
  };
  declare prompt: string;
  /** The policy, as its form holds it. */
  declare fields: PolicyFields;
  declare run: Run | null;

  private readonly engine = new EngineController(this);
  private stopper: AbortController | null = null;

  constructor() {
    super();
    this.prompt = 'docker run';
    this.fields = initialFields;
    this.run = null;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.stopper?.abort();
  }

  private get running(): boolean {
    return this.run !== null && isRunning(this.run);
  }

  private tell(run: Run): void {
    this.run = run;
    emit(this, 'vitrine-run', run);
  }

  private async generate(event: Event): Promise<void> {
    event.preventDefault();
    const { model, ready } = this.engine;
    if (this.running || model === null || !ready) return;
    this.stopper = new AbortController();
    let run = beginRun('generation', this.prompt);
    this.tell(run);
    try {
      const result = await model.generate(this.prompt, {
        policy: policyOptions(this.fields),
        parity: true,
        signal: this.stopper.signal,
        onStep: (step) => this.tell((run = withStep(run, step))),
      });
      this.tell({ ...run, result });
    } catch (error) {
      this.tell({ ...run, error: toEngineError(error) });
      await this.updateComplete;
      const policy = this.renderRoot.querySelector<VitrinePolicy>('vitrine-policy');
      await policy?.updateComplete;
      const wrong = '[aria-invalid="true"]';
      (this.renderRoot.querySelector<HTMLElement>(wrong) ?? policy?.renderRoot.querySelector<HTMLElement>(wrong))?.focus();
    }
  }

  private keepSeed(seed: number): void {
    this.change({ fields: { ...this.fields, numbers: { ...this.fields.numbers, seed: String(seed) } } });
  }

  private change(changed: Partial<Pick<this, 'prompt' | 'fields'>>): void {
    Object.assign(this, changed);
    emit(this, 'vitrine-state', { prompt: this.prompt, fields: this.fields });
  }

  override render(): TemplateResult {
    const { running } = this;
    const { load, ready } = this.engine;
    return html`
      <section class="panel" part="panel" aria-labelledby="title">
        <h2 id="title" part="title">${texts.title}</h2>
        ${load.kind === 'failed' ? idleView(load.error, () => this.engine.retry()) : nothing}
        <form @submit=${this.generate} novalidate>
          <label for="prompt" part="prompt">${texts.prompt}</label>
          <div class="line">
            ${textFieldView({
              id: 'prompt',
              part: 'prompt',
              value: this.prompt,
              wrong: this.run !== null && speaksOf(this.errorOf(this.run), 'prompt'),
              onInput: (prompt) => this.change({ prompt }),
            })}
            <button type="submit" part="generate" class="primary" aria-disabled=${!ready || running}>${texts.generate}</button>
            <button type="button" part="stop" aria-disabled=${!running} @click=${() => this.stopper?.abort()}>${texts.stop}</button>
          </div>
          <vitrine-policy
            part="policy"
            .fields=${this.fields}
            .error=${this.run?.error ?? null}
            @vitrine-policy=${(event: CustomEvent<PolicyFields>) => this.change({ fields: event.detail })}
          ></vitrine-policy>
        </form>
        ${this.run ? this.outputView(this.run) : nothing}
      </section>
    `;
  }

  private outputView(run: Run): TemplateResult | typeof nothing {
    const error = errorView(this.errorOf(run), 'error');
    if (run.error && run.steps.length === 0) return error;
    const cursor = isRunning(run) ? html`<span class="cursor" aria-hidden="true"></span>` : nothing;
    const text = run.result?.text ?? run.steps.map((step) => step.text).join('');
    return html`
      <div class="output" part="output" role="group" aria-label=${texts.output} tabindex="0">
        <p dir="auto"><span class="given">${run.prompt}</span><span data-output>${text}</span>${cursor}</p>
      </div>
      ${spokenView(text, !isRunning(run))}
      ${error}
      <p class="after small soft" role="status">${run.result ? this.resultView(run) : nothing}</p>
    `;
  }

  private resultView(run: Run): TemplateResult | typeof nothing {
    if (!run.result) return nothing;
    const { ids, finish_reason, parity, policy } = run.result;
    const reason = finish_reason ? finishText(finish_reason) : '';
    const { seed } = policy;
    const isNew = typeof seed === 'number' && String(seed) !== this.fields.numbers.seed.trim();
    return html`
      <span>${counted(ids.length, texts.tokens_one, texts.tokens_other)}; ${reason}.</span>
      ${parity.logits_compared > 0 ? html`<span>${verdictText(parity)}.</span>` : nothing}
      ${typeof seed === 'number' ? html`<span>${texts.seed} <span class="number" data-seed>${seed}</span>.</span>` : nothing}
      ${isNew ? html`<button type="button" part="keep" class="keep" @click=${() => this.keepSeed(seed)}>${texts.keep}</button>` : nothing}
    `;
  }

  /** The policy shows an error that names one of its fields. */
  private errorOf({ error }: Run): EngineError | null {
    return error?.code === 'invalid_option' && fieldOf(error.message) ? null : error;
  }

  static override styles = [
    shared,
    panelStyles,
    css`
      /* The field has all the room there is; in lines of their own the buttons share it. */
      .line {
        display: flex;
        flex-wrap: wrap;
        gap: var(--space-2);
        margin: 0.2rem 0 var(--space-4);
      }

      .line input {
        flex: 999 1 10rem;
        width: auto;
        min-width: 0;
      }

      .line button {
        flex: 1 1 auto;
        max-width: 12rem;
      }

      .cursor {
        display: inline-block;
        width: 0.55em;
        height: 1.1em;
        margin-inline-start: 1px;
        vertical-align: text-bottom;
        background: var(--cached);
      }

      .after {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0 var(--space-2);
        margin: var(--space-2) 0 0;
        min-height: 1.9rem;
      }

      .keep {
        padding: 0.15rem 0.5rem;
        min-height: 1.7rem;
      }
    `,
  ];
}

customElements.define('vitrine-generator', VitrineGenerator);
