// <vitrine-training>: trains a small model in the page, in a worker of its own: one batch overfitted, or a text of the
// visitor's, then generates from it with parity and hands it over as a bundle. The engine trains; this shows how it goes.

import { html, LitElement, nothing, type TemplateResult } from 'lit';

import { download, zipOfBundle } from '../browser/bundle-download';
import { directionOf } from '../direction';
import { toEngineError, type EngineError } from '../engine/errors';
import type { RunResult } from '../engine/protocol';
import type { TrainingProgress, TrainingRequest, TrainingResult } from '../engine/training-types';
import { fill } from '../messages';
import { noTraining, TrainingRun, type TrainingState } from '../runs/training-run';
import { exampleText } from '../state/example-text';
import { numberOrText, optionNamed } from '../state/policy-fields';
import { lengthAfter, refusedLength } from '../state/training-text';
import { sectionStyles } from '../styles/sections';
import { shared } from '../styles/shared';
import { trainingStyles } from '../styles/training';
import { verdictStyles } from '../styles/verdict';
import { figureView } from '../views/figure';
import { bytes, count, magnitude, milliseconds } from '../views/format';
import { errorView } from '../views/load-progress';
import { lossChart, lossConclusion, lossTable } from '../views/loss-curve';
import { verdictView } from '../views/verdict';
import { emit } from './emit';
import { engineUrls } from './engine-controller';
import './line-chart';
import { Presentation } from './presentation';
import { texts } from './training-texts';

type Way = 'text' | 'overfit';

const numberFields = ['steps', 'seed'] as const;
type NumberField = (typeof numberFields)[number];

/** A training tells of every step; the picture follows a few times a second. */
const redrawMilliseconds = 250;

/**
 * @element vitrine-training
 * @attr {string} base - The folder of worker.js and vitrine-module.mjs; that of this script by default.
 * @attr {string} text - The text to train on.
 * @attr {string} way - "text", or "overfit" for one tiny batch.
 * @attr {string} steps - For how many steps, as typed; by the text by default.
 * @attr {string} seed - The seed, as typed.
 * @fires {CustomEvent<{text: string, way: string, steps: string, seed: string}>} vitrine-state - The visitor changed something.
 * @fires {CustomEvent<TrainingResult>} vitrine-trained - A training ended with a model.
 * @csspart title - The title.
 * @csspart way - What to train on: a text or one tiny batch.
 * @csspart text - The field of the text.
 * @csspart options - Steps and seed.
 * @csspart steps - The field of the steps.
 * @csspart seed - The field of the seed.
 * @csspart train - The button that trains.
 * @csspart stop - The button that stops and keeps.
 * @csspart example - The button that takes the example.
 * @csspart made - What can be done with the trained model.
 * @csspart generate - The prompt, and the button that generates from the trained model.
 * @csspart save - The button that saves its bundle.
 * @csspart figure - A figure: picture, conclusion, table.
 */
export class VitrineTraining extends LitElement {
  static override properties = {
    base: {},
    text: {},
    way: {},
    steps: {},
    seed: {},
    state: { state: true },
    prompt: { state: true },
    sample: { state: true },
    failure: { state: true },
    wasLeft: { state: true },
  };
  declare base: string | null;
  declare text: string;
  declare way: Way;
  /** As typed; an empty text leaves the choice to the engine. */
  declare steps: string;
  declare seed: string;
  declare state: TrainingState;
  declare prompt: string;
  /** What was generated from the trained model; null while it is asked for. */
  declare sample: RunResult | null | undefined;
  declare failure: EngineError | null;
  declare wasLeft: boolean;

  private run: TrainingRun | null = null;
  private newest: TrainingState = noTraining;
  private redraw = 0;

  constructor() {
    super();
    this.base = null;
    this.text = exampleText;
    this.way = 'text';
    this.steps = '';
    this.seed = '1';
    this.state = noTraining;
    this.prompt = 'On Monday';
    this.sample = undefined;
    this.failure = null;
    this.wasLeft = false;
    new Presentation(this);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    window.addEventListener('pagehide', this.leave);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    window.removeEventListener('pagehide', this.leave);
    this.end();
  }

  /** A page that is kept for "back" is not to train on: the visitor sees then that it ended. */
  private readonly leave = (): void => {
    this.wasLeft = this.run !== null;
    this.end();
  };

  private end(): void {
    this.run?.end();
    this.run = null;
    clearTimeout(this.redraw);
    this.redraw = 0;
    this.state = noTraining;
    this.sample = undefined;
  }

  private change(changed: Partial<Pick<this, 'text' | 'way' | NumberField>>): void {
    Object.assign(this, changed);
    const { text, way, steps, seed } = this;
    emit(this, 'vitrine-state', { text, way, steps, seed });
  }

  private request(): TrainingRequest {
    const request: Record<string, unknown> = { text: this.text };
    if (this.way === 'overfit') request['overfit'] = true;
    for (const name of numberFields) {
      if (this[name].trim() !== '') request[name] = numberOrText(this[name]);
    }
    // What was typed goes through as it is: the engine alone judges it.
    return request as unknown as TrainingRequest;
  }

  private train(event: Event): void {
    event.preventDefault();
    if (this.state.running) return;
    this.end();
    this.wasLeft = false;
    this.failure = refusedLength(this.text.length);
    if (this.failure) return;
    try {
      this.run = new TrainingRun(engineUrls(this.base, null), (state) => this.follow(state));
      void this.run.train(this.request());
    } catch (error) {
      this.failure = toEngineError(error);
    }
  }

  private follow(state: TrainingState): void {
    this.newest = state;
    if (!state.running) this.show();
    else if (this.redraw === 0) this.redraw = window.setTimeout(() => this.show(), this.state.running ? redrawMilliseconds : 0);
  }

  private show(): void {
    clearTimeout(this.redraw);
    this.redraw = 0;
    this.state = this.newest;
    const { result } = this.state;
    if (result) emit(this, 'vitrine-trained', result);
  }

  /** A browser lays a text of megabytes out for minutes: one that the engine would refuse never gets into the field. */
  private readonly onBeforeInput = (event: InputEvent): void => {
    this.failure = refusedLength(lengthAfter(event));
    if (this.failure) event.preventDefault();
  };

  private async generate(event: Event): Promise<void> {
    event.preventDefault();
    const { run } = this;
    if (run === null || this.sample === null) return;
    this.sample = null;
    this.failure = null;
    try {
      const sample = await run.model.generate(this.prompt, { policy: { mode: 'greedy', max_new_tokens: 64 }, parity: true });
      if (this.run === run) this.sample = sample;
    } catch (error) {
      if (this.run !== run) return;
      this.sample = undefined;
      this.failure = toEngineError(error);
    }
  }

  private async save({ description, files }: TrainingResult): Promise<void> {
    const { name } = description;
    try {
      download(`${name}.zip`, await zipOfBundle(name, files));
    } catch (error) {
      this.failure = toEngineError(error);
    }
  }

  private get error(): EngineError | null {
    return this.state.error ?? this.failure;
  }

  private get wrongField(): NumberField | 'text' | null {
    return this.error ? optionNamed(this.error.message, [...numberFields, 'text'] as const) : null;
  }

  override render(): TemplateResult {
    const { state } = this;
    const { error } = this;
    return html`
      <section class="panel" aria-labelledby="title">
        <h2 id="title" part="title">${texts.title}</h2>
        <p class="lead">${texts.lead}</p>
        ${this.formView()}
        <div role="status">
          <p class="small soft">${this.statusText()}</p>
          <p class="hidden">${state.result ? lossConclusion(state.points) : nothing}</p>
        </div>
        ${errorView(error, 'error')}
        ${state.running ? this.progressView(state.latest) : nothing}
        ${state.points.length > 0 ? this.curveView(state.points) : nothing}
        ${state.result ? this.madeView(state.result) : nothing}
      </section>
    `;
  }

  private formView(): TemplateResult {
    return html`
      <form @submit=${this.train} novalidate>
        <fieldset part="way">
          <legend>${texts.way}</legend>
          <div class="ways">
            ${(['text', 'overfit'] as const).map(
              (way) => html`
                <label class="choice">
                  <input type="radio" name="way" value=${way} .checked=${this.way === way} @change=${() => this.change({ way })} />
                  ${texts[way]}
                </label>
              `,
            )}
          </div>
          <p class="small soft">${this.way === 'text' ? texts.textMeaning : texts.overfitMeaning}</p>
        </fieldset>
        <div class="text" part="text">
          <label for="text">${texts.yourText}</label>
          <textarea
            id="text"
            dir=${directionOf(this.text)}
            rows="8"
            spellcheck="false"
            aria-invalid=${this.wrongField === 'text'}
            aria-describedby=${this.wrongField === 'text' ? 'error' : nothing}
            .value=${refusedLength(this.text.length) ? '' : this.text}
            @beforeinput=${this.onBeforeInput}
            @input=${(event: Event) => this.change({ text: (event.target as HTMLTextAreaElement).value })}
          ></textarea>
        </div>
        <div class="fields" part="options">
          ${numberFields.map((name) => this.numberView(name))}
        </div>
        <div class="actions">
          <button type="submit" part="train" class="primary" aria-disabled=${this.state.running}>${texts.train}</button>
          <button type="button" part="stop" aria-disabled=${!this.state.running} @click=${() => this.run?.stop()}>${texts.stop}</button>
          <button type="button" part="example" @click=${() => this.change({ text: exampleText })}>${texts.example}</button>
        </div>
      </form>
    `;
  }

  private numberView(name: NumberField): TemplateResult {
    const wrong = this.wrongField === name;
    return html`
      <div part=${name}>
        <label for=${name}>${texts[name]}</label>
        <input
          id=${name}
          inputmode="numeric"
          autocomplete="off"
          placeholder=${texts.hint}
          aria-invalid=${wrong}
          aria-describedby=${wrong ? 'error' : nothing}
          .value=${this[name]}
          @input=${(event: Event) => this.change({ [name]: (event.target as HTMLInputElement).value })}
        />
      </div>
    `;
  }

  /** Told when a stage begins and when the training ends; the running numbers are in the progress view, unannounced. */
  private statusText(): string {
    const { state } = this;
    if (this.wasLeft) return texts.left;
    if (state.result) {
      return fill(texts.done, {
        steps: count(state.result.steps),
        parameters: magnitude(state.result.description.parameters),
      });
    }
    if (!state.running) return '';
    if (state.latest === null) return texts.starting;
    return state.latest.stage === 'training' ? '' : texts[state.latest.stage];
  }

  private progressView(latest: TrainingProgress | null): TemplateResult {
    const isTraining = latest?.stage === 'training';
    const text = isTraining
      ? fill(texts.training, {
          step: count(latest.step),
          steps: count(latest.steps),
          parameters: magnitude(latest.parameters),
          tokens: count(latest.tokens_seen),
          time: milliseconds(latest.ms),
        })
      : '';
    return html`
      <div class="progress">
        <progress max="1" .value=${isTraining ? latest.step / Math.max(latest.steps, 1) : 0} aria-label=${texts.progress}></progress>
        <bdi class="small soft number">${text}</bdi>
      </div>
    `;
  }

  private curveView(points: readonly TrainingProgress[]): TemplateResult {
    return figureView(
      html`<vitrine-line-chart .chart=${lossChart(points)}></vitrine-line-chart>`,
      lossConclusion(points),
      lossTable(points),
    );
  }

  private madeView(result: TrainingResult): TemplateResult {
    const { files, description } = result;
    const size = files.reduce((sum, file) => sum + file.bytes.length, 0);
    return html`
      <div class="made" part="made">
        <h3>${texts.tryTitle}</h3>
        <form part="generate" @submit=${this.generate} novalidate>
          <label for="prompt">${texts.prompt}</label>
          <div class="line">
            <input
              id="prompt"
              dir="auto"
              autocomplete="off"
              spellcheck="false"
              .value=${this.prompt}
              @input=${(event: Event) => (this.prompt = (event.target as HTMLInputElement).value)}
            />
            <button type="submit" class="primary" aria-disabled=${this.sample === null}>${texts.generate}</button>
          </div>
        </form>
        <p class="small soft" role="status">${this.sample === null ? texts.generating : ''}</p>
        ${
          this.sample
            ? html`
                <div class="output" role="group" tabindex="0" aria-label=${texts.output}>
                  <p dir="auto"><span class="given">${this.prompt}</span><span data-output>${this.sample.text}</span></p>
                </div>
                ${verdictView(this.sample.parity)}
              `
            : nothing
        }
        <p class="small soft">${fill(texts.saveLead, { files: files.length, bytes: bytes(size), name: description.name })}</p>
        <button type="button" part="save" @click=${() => void this.save(result)}>${texts.save}</button>
      </div>
    `;
  }

  static override styles = [shared, sectionStyles, verdictStyles, trainingStyles];
}

customElements.define('vitrine-training', VitrineTraining);

declare global {
  interface HTMLElementTagNameMap {
    'vitrine-training': VitrineTraining;
  }
}
