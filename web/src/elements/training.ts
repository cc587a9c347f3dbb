// <vitrine-training>: trains a small model in the page, in a worker of its own: one batch overfitted, or a text of the
// visitor's, then generates from it with parity and hands it over as a bundle. The engine trains; this shows how it goes.

import { html, nothing, type TemplateResult } from 'lit';

import { directionOf } from '../direction';
import { toEngineError, type EngineError } from '../engine/errors';
import type { TrainingProgress, TrainingRequest, TrainingResult } from '../engine/training-types';
import { fill, messages } from '../messages';
import { noTraining, TrainingRun, type TrainingState } from '../runs/training-run';
import { exampleText } from '../state/example-text';
import { numberOrText, optionNamed, speaksOf } from '../state/policy-fields';
import { lengthAfter, refusedLength } from '../state/training-text';
import { panelStyles } from '../styles/panel';
import { sectionStyles } from '../styles/sections';
import { shared } from '../styles/shared';
import { trainingStyles } from '../styles/training';
import { verdictStyles } from '../styles/verdict';
import { errorView } from '../views/error';
import { figureView } from '../views/figure';
import { count, magnitude } from '../views/format';
import { lossChart, lossConclusion, lossTable } from '../views/loss-curve';
import { textFieldView } from '../views/text-field';
import { trainedView } from '../views/trained';
import { trainingProgressView } from '../views/training-progress';
import { emit } from './emit';
import { engineUrls } from './engine-controller';
import './line-chart';
import { EngineElement } from './model-element';
import { Presentation } from './presentation';
import { TrainedController } from './trained-controller';

const texts = messages('training', {
  title: 'Train it: a model of your own',
  lead: 'The same program that runs the model trains one, here, on your processor. It counts n-grams over the text first: a transformer that does not beat counting has learned nothing worth its size.',
  way: 'What to train',
  text: 'A small model on a text',
  overfit: 'One tiny batch, again and again',
  textMeaning: 'A part of the text is held out, and the loss on it decides.',
  overfitMeaning: 'The same few lines at every step: the loss must fall to almost nothing, or the training is wrong.',
  yourText: 'Your text, one document a line; nothing of it leaves this page',
  example: 'Use the example',
  steps: 'Steps',
  hint: 'by the text',
  seed: 'Seed',
  train: 'Train',
  stop: 'Stop and keep',
  tokenizer: 'Learning a vocabulary from the text.',
  baseline: 'Counting n-grams: the baseline.',
  bundle: 'Putting the bundle together.',
  starting: 'Starting an engine of its own.',
  done: 'Trained for {steps} steps: {parameters} parameters.',
  left: 'The page was left, so the training ended.',
});

type Way = 'text' | 'overfit';

const numberFields = ['steps', 'seed'] as const;
type NumberField = (typeof numberFields)[number];

/** A training tells of every step; the picture follows a few times a second. */
const redrawMilliseconds = 250;

/**
 * Trains a small model on a text, in a worker of its own.
 *
 * @element vitrine-training
 * @attr {string} text - The text to train on.
 * @attr {string} way - "text", or "overfit" for one tiny batch.
 * @attr {string} steps - For how many steps, as typed; by the text by default.
 * @attr {string} seed - The seed, as typed.
 * @fires {CustomEvent<{text: string, way: string, steps: string, seed: string}>} vitrine-state - The visitor changed something.
 * @fires {CustomEvent<TrainingResult>} vitrine-trained - A training ended with a model.
 * @csspart title - The title.
 * @csspart way - What to train: a text, or one batch again and again.
 * @csspart text - The field of the text to train on.
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
export class VitrineTraining extends EngineElement {
  static override properties = {
    text: {},
    way: {},
    steps: {},
    seed: {},
    state: { state: true },
    failure: { state: true },
    wasLeft: { state: true },
  };
  declare text: string;
  declare way: Way;
  /** As typed; an empty text leaves the choice to the engine. */
  declare steps: string;
  declare seed: string;
  declare state: TrainingState;
  declare failure: EngineError | null;
  declare wasLeft: boolean;

  private readonly trained = new TrainedController(this);
  private run: TrainingRun | null = null;
  private newest: TrainingState = noTraining;
  private redraw = 0;

  constructor() {
    super();
    this.text = exampleText;
    this.way = 'text';
    this.steps = '';
    this.seed = '1';
    this.state = noTraining;
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
    this.trained.begin(null);
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
    if (!result) return;
    this.trained.begin(this.run?.model ?? null);
    emit(this, 'vitrine-trained', result);
  }

  /** A browser lays a text of megabytes out for minutes: one that the engine would refuse never gets into the field. */
  private readonly onBeforeInput = (event: InputEvent): void => {
    this.failure = refusedLength(lengthAfter(event));
    if (this.failure) event.preventDefault();
  };

  private get error(): EngineError | null {
    return this.state.error ?? this.failure ?? this.trained.error;
  }

  private get wrongField(): NumberField | 'text' | null {
    return this.error ? optionNamed(this.error.message, [...numberFields, 'text'] as const) : null;
  }

  override render(): TemplateResult {
    const { state, error } = this;
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
        ${state.running ? trainingProgressView(state.latest) : nothing}
        ${state.points.length > 0 ? this.curveView(state.points) : nothing}
        ${state.result ? this.trainedView(state.result) : nothing}
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
    return html`
      <div part=${name}>
        <label for=${name}>${texts[name]}</label>
        ${textFieldView({
          id: name,
          value: this[name],
          placeholder: texts.hint,
          wrong: this.wrongField === name,
          inputmode: 'numeric',
          onInput: (value) => this.change({ [name]: value }),
        })}
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

  private curveView(points: readonly TrainingProgress[]): TemplateResult {
    return figureView(
      html`<vitrine-line-chart .chart=${lossChart(points)}></vitrine-line-chart>`,
      lossConclusion(points),
      lossTable(points),
    );
  }

  private trainedView(result: TrainingResult): TemplateResult {
    const { trained } = this;
    const { prompt, sample, generating } = trained;
    return trainedView({
      result,
      prompt,
      sample,
      generating,
      wrong: speaksOf(this.error, 'prompt'),
      onPrompt: (typed) => trained.setPrompt(typed),
      onGenerate: () => {
        this.failure = null;
        void trained.generate();
      },
      onSave: () => void trained.save(result),
    });
  }

  static override styles = [shared, panelStyles, sectionStyles, verdictStyles, trainingStyles];
}

customElements.define('vitrine-training', VitrineTraining);

declare global {
  interface HTMLElementTagNameMap {
    'vitrine-training': VitrineTraining;
  }
}
