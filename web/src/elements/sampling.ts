// <vitrine-sampling>: the policy under glass: what each stage leaves of the next token's distribution, and where the
// coin falls, greedy beside stochastic. The engine runs the stages and judges the options; here they are drawn.

import { html, nothing, type TemplateResult } from 'lit';

import { copyOrSelect } from '../browser/clipboard';
import type { EngineError } from '../engine/errors';
import type { RunStep } from '../engine/protocol';
import { fill, messages } from '../messages';
import { noTracks, SideBySide, type Tracks } from '../runs/side-by-side';
import { modes, optionNamed, samplingOptions, speaksOf, type Mode } from '../state/policy-fields';
import {
  initialSampling,
  nextSeed,
  penaltyOptions,
  sliders,
  stageOptions,
  stagePolicy,
  type FieldOption,
  type SamplingFields,
  type StageOption,
} from '../state/sampling-fields';
import { panelStyles } from '../styles/panel';
import { samplingStyles } from '../styles/sampling';
import { sectionStyles } from '../styles/sections';
import { shared } from '../styles/shared';
import { copyDocumentView } from '../views/copy-document';
import { drawLineView } from '../views/draw-line';
import { errorView } from '../views/error';
import { finishText } from '../views/finish';
import { visible } from '../views/format';
import { idleView } from '../views/load-progress';
import { optionControlView } from '../views/option-control';
import { stagesConclusion, stagesView } from '../views/stages';
import { textFieldView } from '../views/text-field';
import { tokenStripView } from '../views/token-strip';
import { emit } from './emit';
import { EngineController } from './engine-controller';
import { ModelElement } from './model-element';

const texts = messages('sampling', {
  title: 'The policy: from logits to a token',
  lead: 'The model gives a number for every token it knows; the policy turns them into one choice, in stages whose order never changes: logits, penalties, temperature, top-k, top-p, min-p, draw. Choose a token below to see what its distribution went through.',
  prompt: 'Prompt',
  options: 'Stages of the draw',
  penalties: 'Penalties',
  temperature: 'Temperature',
  top_k: 'Top-k',
  top_p: 'Top-p',
  min_p: 'Min-p',
  seed: 'Seed',
  repetition_penalty: 'Repetition',
  presence_penalty: 'Presence',
  frequency_penalty: 'Frequency',
  penalty_window: 'Window, tokens',
  penalty_prompt: 'The prompt counts, too',
  again: 'Draw again',
  next: 'Next token',
  first: 'First token only',
  greedy: 'Greedy',
  greedyMeaning: 'always the most probable token; the same text every time',
  sample: 'Sampled',
  sampleMeaning: 'drawn with seed {seed}; another seed may draw another text',
  tokens: '{mode}: choose a token',
  ended: 'The text ended here: {reason}.',
  stages: '{mode}, token {number}, stage by stage:',
  draw: 'The draw',
  noDraw: 'Greedy draws nothing: there is no coin.',
  document: 'The policy as a document',
  documentLead: 'Every option that has an effect, the seed included: run it again with this policy and the same text comes out.',
  copy: 'Copy',
  copied: 'Copied.',
  selected: 'This browser does not let the page copy. The document is selected: copy it yourself.',
  waiting: 'The model is loading.',
  failed: 'The model did not load, so there is nothing to draw from.',
});

/** So many tokens of each distribution are asked for, and so many at most are followed. */
const traced = 40;
const mostTokens = 24;

/**
 * What each stage of a policy leaves of the next token's distribution, greedy beside sampled.
 *
 * @element vitrine-sampling
 * @attr {string} prompt - The text that is continued.
 * @fires {CustomEvent<{prompt: string, fields: SamplingFields, tokens: number}>} vitrine-state - The visitor changed something.
 * @csspart title - The title.
 * @csspart prompt - The field of the text that is continued.
 * @csspart options - The options of the draw. Each option, of the penalties too, is a part by its name: temperature, top_k, ...
 * @csspart penalties - The penalties.
 * @csspart actions - The buttons.
 * @csspart again - The button that draws with another seed.
 * @csspart next - The button that follows one more token.
 * @csspart first - The button that goes back to the first token.
 * @csspart tracks - The tokens of both modes, one of which is chosen.
 * @csspart figure - A figure: picture, conclusion, table.
 * @csspart document - The effective policy.
 */
export class VitrineSampling extends ModelElement {
  static override properties = {
    prompt: {},
    fields: { attribute: false },
    tokens: { type: Number },
    tracks: { state: true },
    chosen: { state: true },
    said: { state: true },
  };
  declare prompt: string;
  /** The policy, as its form holds it. */
  declare fields: SamplingFields;
  /** How many tokens are followed. */
  declare tokens: number;
  declare tracks: Tracks;
  declare chosen: { mode: Mode; index: number };
  declare said: string;

  private readonly engine = new EngineController(this, () => this.connect());
  private pair: SideBySide | null = null;

  constructor() {
    super();
    this.prompt = 'git';
    this.fields = initialSampling;
    this.tokens = 6;
    this.tracks = noTracks;
    this.chosen = { mode: 'sample', index: 0 };
    this.said = '';
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.pair?.forget();
    this.pair = null;
  }

  override updated(changed: Map<PropertyKey, unknown>): void {
    if (['prompt', 'fields', 'tokens'].some((name) => changed.has(name))) this.run();
  }

  /** A pair for the engine's present worker, once it serves. */
  private connect(): void {
    const { model, ready } = this.engine;
    this.pair?.forget();
    this.pair = model && ready ? new SideBySide(model, (tracks) => this.show(tracks)) : null;
    this.run();
  }

  private run(): void {
    const policies = {
      greedy: stagePolicy(this.fields, 'greedy', mostTokens),
      sample: stagePolicy(this.fields, 'sample', mostTokens),
    };
    // An attribute may say anything; a text of no token has no stages.
    const tokens = Math.min(Math.max(Math.trunc(this.tokens) || 1, 1), mostTokens);
    this.pair?.want({ prompt: this.prompt, policies, tokens, trace: traced });
  }

  private show(tracks: Tracks): void {
    this.tracks = tracks;
    this.said = '';
  }

  private change(changed: Partial<Pick<this, 'prompt' | 'fields' | 'tokens'>>): void {
    Object.assign(this, changed);
    emit(this, 'vitrine-state', { prompt: this.prompt, fields: this.fields, tokens: this.tokens });
  }

  private setNumber(name: FieldOption, value: string): void {
    this.change({ fields: { ...this.fields, numbers: { ...this.fields.numbers, [name]: value } } });
  }

  private get error(): EngineError | null {
    return this.tracks.sample.error ?? this.tracks.greedy.error;
  }

  private get wrongOption(): StageOption | null {
    return this.error?.code === 'invalid_option' ? optionNamed(this.error.message, stageOptions) : null;
  }

  override render(): TemplateResult {
    return html`
      <section class="panel" aria-labelledby="title">
        <h2 id="title" part="title">${texts.title}</h2>
        <p class="lead">${texts.lead}</p>
        ${this.controlsView()} ${this.stateView()}
      </section>
    `;
  }

  private controlsView(): TemplateResult {
    return html`
      <div class="field" part="prompt">
        <label for="prompt">${texts.prompt}</label>
        ${textFieldView({ id: 'prompt', value: this.prompt, wrong: speaksOf(this.error, 'prompt'), onInput: (prompt) => this.change({ prompt }) })}
      </div>
      <fieldset part="options">
        <legend>${texts.options}</legend>
        <div class="fields">${samplingOptions.map((name) => this.controlView(name))}</div>
      </fieldset>
      <details part="penalties" ?open=${penaltyOptions.some((name) => name === this.wrongOption) || this.wrongOption === 'penalty_prompt'}>
        <summary>${texts.penalties}</summary>
        <fieldset>
          <legend class="hidden">${texts.penalties}</legend>
          <div class="fields">
            ${penaltyOptions.map((name) => this.controlView(name))}
            <label class="choice" part="penalty_prompt">
              <input
                type="checkbox"
                aria-invalid=${this.wrongOption === 'penalty_prompt'}
                aria-describedby=${this.wrongOption === 'penalty_prompt' ? 'error' : nothing}
                .checked=${this.fields.penaltyPrompt}
                @change=${(event: Event) =>
                  this.change({ fields: { ...this.fields, penaltyPrompt: (event.target as HTMLInputElement).checked } })}
              />
              ${texts.penalty_prompt}
            </label>
          </div>
        </fieldset>
      </details>
      ${errorView(this.error, 'error')}
      <div class="actions" part="actions">
        <button type="button" part="again" class="primary" @click=${() => this.setNumber('seed', nextSeed(this.fields.numbers.seed))}>${texts.again}</button>
        <button type="button" part="next" aria-disabled=${this.tokens >= mostTokens} @click=${() => this.change({ tokens: Math.min(this.tokens + 1, mostTokens) })}>
          ${texts.next}
        </button>
        <button type="button" part="first" aria-disabled=${this.tokens <= 1} @click=${() => this.change({ tokens: 1 })}>${texts.first}</button>
      </div>
    `;
  }

  /** What an option is where none is given, as the engine says: the bundle's, or a seed that it drew. Empty before a run. */
  private effectiveValue(name: FieldOption): string {
    const { policy } = this.tracks.sample;
    return String(policy?.[name] ?? '');
  }

  private controlView(name: FieldOption): TemplateResult {
    return optionControlView({
      name,
      label: texts[name],
      value: this.fields.numbers[name],
      effective: this.effectiveValue(name),
      wrong: this.wrongOption === name,
      slider: name === 'seed' ? null : sliders[name],
      onInput: (value) => this.setNumber(name, value),
    });
  }

  private stateView(): TemplateResult | typeof nothing {
    const { load } = this.engine;
    if (load.kind === 'failed') return idleView(load.error, () => this.engine.retry(), texts.failed);
    if (modes.every((mode) => this.tracks[mode].steps.length === 0)) {
      return this.error ? nothing : html`<p class="soft" role="status">${texts.waiting}</p>`;
    }
    const { mode } = this.chosen;
    const { steps, policy } = this.tracks[mode];
    const index = Math.min(this.chosen.index, steps.length - 1);
    const step = steps[index];
    return html`
      <div class="tracks" part="tracks">${modes.map((each) => this.trackView(each))}</div>
      ${step ? this.stepView(step, mode, index) : nothing}
      ${policy ? this.documentView(JSON.stringify(policy, null, 2)) : nothing}
    `;
  }

  private trackView(mode: Mode): TemplateResult {
    const { steps, finish, policy } = this.tracks[mode];
    const meaning = mode === 'greedy' ? texts.greedyMeaning : fill(texts.sampleMeaning, { seed: policy?.seed ?? '' });
    const chosen = this.chosen.mode === mode ? Math.min(this.chosen.index, steps.length - 1) : -1;
    return html`
      <div class="track ${mode}">
        <h3>${texts[mode]} <bdi class="soft">${meaning}</bdi></h3>
        ${tokenStripView(
          steps.map(({ piece }) => piece),
          chosen,
          fill(texts.tokens, { mode: texts[mode] }),
          (index) => (this.chosen = { mode, index }),
        )}
        ${finish ? html`<p class="small soft">${fill(texts.ended, { reason: finishText(finish) })}</p>` : nothing}
      </div>
    `;
  }

  private stepView({ distribution, coin, piece }: RunStep, mode: Mode, index: number): TemplateResult | typeof nothing {
    if (!distribution) return nothing;
    return html`
      <h3>${fill(texts.stages, { number: index + 1, mode: texts[mode] })} <bdi><code>${visible(piece)}</code></bdi></h3>
      ${stagesView(distribution)}
      <p class="hidden" role="status">${stagesConclusion(distribution)}</p>
      <h3>${texts.draw}</h3>
      ${mode === 'greedy' ? html`<p>${texts.noDraw}</p>` : drawLineView(distribution, coin)}
    `;
  }

  private documentView(text: string): TemplateResult {
    return html`
      <details part="document">
        <summary>${texts.document}</summary>
        <p class="small soft">${texts.documentLead}</p>
        ${copyDocumentView(text, this.said, { label: texts.document, copy: texts.copy }, (field) => void this.copy(field))}
      </details>
    `;
  }

  private async copy(field: HTMLTextAreaElement): Promise<void> {
    this.said = (await copyOrSelect(field)) ? texts.copied : texts.selected;
  }

  static override styles = [shared, panelStyles, sectionStyles, samplingStyles];
}

customElements.define('vitrine-sampling', VitrineSampling);

declare global {
  interface HTMLElementTagNameMap {
    'vitrine-sampling': VitrineSampling;
  }
}
