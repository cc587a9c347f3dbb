// <vitrine-faults>: breaks the model on purpose, one fault at a time: the visitor predicts, two lanes run, and the
// detectors say what they see. What a fault does is the engine's; the page's own rows never have one.

import { html, LitElement, nothing, type TemplateResult } from 'lit';

import { toEngineError, type EngineError } from '../engine/errors';
import type { FaultList, Sightings } from '../engine/protocol';
import { messages } from '../messages';
import { demonstrationOf } from '../runs/fault-demonstrations';
import { bitsDiffer, noFault, runTrial, textChanged, type Trial } from '../runs/fault-trial';
import { faultStyles } from '../styles/faults';
import { sectionStyles } from '../styles/sections';
import { shared } from '../styles/shared';
import { dataTableView } from '../views/figure';
import { errorView, idleView } from '../views/load-progress';
import { sightingsConclusion, sightingsView } from '../views/sightings';
import { trialLanesView } from '../views/trial-lanes';
import { emit } from './emit';
import { EngineController } from './engine-controller';

const texts = messages('faults', {
  title: 'Break it: would anybody notice?',
  lead: 'Each switch is a mistake that a real system made. Choose one, say what you expect, and run it: once healthy and once with the mistake in the cached lane, while the full lane beside it stays as it should be. Then every detector looks.',
  switches: 'One fault at a time',
  none: 'No fault',
  noneMeaning: 'The model as it is. Nothing differs, and every detector is quiet.',
  predict: 'First say what you expect',
  askText: 'Will the text change?',
  askBits: 'Will bits of the logits differ?',
  askDetector: 'Which detector will see it?',
  yes: 'Yes',
  no: 'No',
  choose: 'Choose one',
  nobody: 'none of them',
  run: 'Run it',
  missing: 'Answer the three questions first; then run it.',
  lanesRun: 'Both lanes are running.',
  detectorsRun: 'The detectors are looking. This takes a moment: one of them trains a small model.',
  result: 'What happened',
  row: 'Row {row}',
  prediction: 'Your prediction beside what happened',
  question: 'Question',
  said: 'You said',
  did: 'It did',
  judgement: 'Judgement',
  right: '\u2713 right',
  wrong: '\u2717 wrong',
  alone: 'One row, continued from its prompt.',
  length: 'One row whose prompt has 17 tokens, one more than a block of keys.',
  rewind: 'A row whose prompt begins like that of a row before, "docker run nginx": the cache goes back to what the two share, and on from there. Where the same tokens came again, what is stale would be just what belongs there.',
  both: 'The full lane here is the healthy model, so the bits differ. The detector "parity" has the faulty model in both lanes, and is blind to what is wrong in both alike: it takes a vector from outside.',
  batch: 'Three rows that share every step.',
  ends: 'Two rows; the first may have three tokens and no more.',
  waiting: 'The model is loading.',
  failed: 'The model did not load, so there is nothing to break.',
});

interface Prediction {
  text: 'yes' | 'no' | '';
  bits: 'yes' | 'no' | '';
  /** A detector's name, or "none". */
  detector: string;
}

/** What only the recorded hash sees is wrong in every lane alike. */
const isSeenFromOutsideAlone = (sightings: Sightings | null): boolean =>
  sightings !== null && sightings.seen.length > 0 && sightings.seen.every(({ detector }) => detector === 'self_test');

const noPrediction: Prediction = { text: '', bits: '', detector: '' };

/** What happened, whatever stands still open, and what was expected of it. */
interface Outcome {
  prediction: Prediction;
  trial: Trial | null;
  sightings: Sightings | null;
  error: EngineError | null;
}

/**
 * @element vitrine-faults
 * @attr {string} base - The folder of worker.js and vitrine-module.mjs; that of this script by default.
 * @attr {string} bundle - The bundle's folder; models/shell/ in the base by default.
 * @attr {string} fault - The fault that is chosen, by name; "none" by default.
 * @fires {CustomEvent<{fault: string}>} vitrine-state - The visitor chose another fault.
 * @fires {CustomEvent<{fault: string, right: number, asked: number}>} vitrine-faults - A fault was run, and the prediction compared.
 * @csspart title - The title.
 * @csspart switches - A radio button for each fault.
 * @csspart prediction - What the visitor expects.
 * @csspart run - The button that runs the fault.
 * @csspart figure - A figure: picture, conclusion, table.
 */
export class VitrineFaults extends LitElement {
  static override properties = {
    base: {},
    bundle: {},
    fault: {},
    list: { state: true },
    prediction: { state: true },
    outcome: { state: true },
    stage: { state: true },
  };
  declare base: string | null;
  declare bundle: string | null;
  declare fault: string;
  declare list: FaultList | null;
  declare prediction: Prediction;
  declare outcome: Outcome | null;
  declare stage: 'still' | 'missing' | 'lanes' | 'detectors';

  private readonly engine = new EngineController(this, () => void this.readList());

  constructor() {
    super();
    this.base = null;
    this.bundle = null;
    this.fault = noFault;
    this.list = null;
    this.prediction = noPrediction;
    this.outcome = null;
    this.stage = 'still';
  }

  private async readList(): Promise<void> {
    const { model, ready } = this.engine;
    if (!ready || model === null || this.list !== null) return;
    try {
      this.list = await model.faults();
    } catch (error) {
      this.outcome = { prediction: noPrediction, trial: null, sightings: null, error: toEngineError(error) };
    }
  }

  private get running(): boolean {
    return this.stage === 'lanes' || this.stage === 'detectors';
  }

  /** A prediction and what came out are those of their fault. */
  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    if (changed.has('fault')) Object.assign(this, { prediction: noPrediction, outcome: null, stage: 'still' });
  }

  private choose(fault: string): void {
    this.fault = fault;
    emit(this, 'vitrine-state', { fault });
  }

  private async run(event: Event): Promise<void> {
    event.preventDefault();
    const { model, ready } = this.engine;
    if (this.running || model === null || !ready) return;
    const { text, bits, detector } = this.prediction;
    if (text === '' || bits === '' || detector === '') {
      this.stage = 'missing';
      return;
    }
    const { fault, prediction } = this;
    let outcome: Outcome = { prediction, trial: null, sightings: null, error: null };
    Object.assign(this, { outcome, stage: 'lanes' });
    /** Whoever chose meanwhile, be it the same fault again, has another outcome before them. */
    const tell = (stage: VitrineFaults['stage'], more: Partial<Outcome>): void => {
      if (this.outcome !== outcome) return;
      outcome = { ...outcome, ...more };
      Object.assign(this, { outcome, stage });
    };
    try {
      tell('detectors', { trial: await runTrial(model, fault) });
      tell('still', { sightings: await model.detect(fault) });
      if (this.outcome === outcome) this.announce(fault, outcome);
    } catch (error) {
      // What ended with the engine, because the element was taken away, is nobody's error.
      tell('still', this.engine.model === model ? { error: toEngineError(error) } : {});
    }
  }

  private announce(fault: string, outcome: Outcome): void {
    const asked = this.comparison(outcome);
    const detail = { fault, right: asked.filter(({ right }) => right).length, asked: asked.length };
    emit(this, 'vitrine-faults', detail);
  }

  /** Each question with its two answers; those that the run has not answered yet are left out. */
  private comparison({ prediction, trial, sightings }: Outcome): Array<{ question: string; said: string; did: string; right: boolean }> {
    const { text, bits, detector } = prediction;
    const yesNo = (value: boolean): 'yes' | 'no' => (value ? 'yes' : 'no');
    const rows = [];
    if (trial) {
      const changed = yesNo(textChanged(trial));
      const differ = yesNo(bitsDiffer(trial));
      rows.push({ question: texts.askText, said: text && texts[text], did: texts[changed], right: text === changed });
      rows.push({ question: texts.askBits, said: bits && texts[bits], did: texts[differ], right: bits === differ });
    }
    if (sightings) {
      const names = sightings.seen.map((sighting) => sighting.detector);
      const right = detector === noFault ? names.length === 0 : names.includes(detector);
      const said = detector === noFault ? texts.nobody : detector;
      rows.push({ question: texts.askDetector, said, did: names.join(', ') || texts.nobody, right });
    }
    return rows;
  }

  override render(): TemplateResult {
    return html`
      <section class="panel" aria-labelledby="title">
        <h2 id="title" part="title">${texts.title}</h2>
        <p class="lead">${texts.lead}</p>
        ${this.list ? this.formView(this.list) : this.waitingView()}
        ${errorView(this.outcome?.error ?? null)}
        ${this.outcome && this.list ? this.outcomeView(this.outcome, this.list) : nothing}
      </section>
    `;
  }

  private waitingView(): TemplateResult {
    const { load } = this.engine;
    if (load.kind === 'failed') return idleView(load.error, () => this.engine.retry(), texts.failed);
    return html`<p class="soft" role="status">${texts.waiting}</p>`;
  }

  private formView({ faults, detectors }: FaultList): TemplateResult {
    const healthy = { name: noFault, owner: '', meaning: texts.noneMeaning };
    return html`
      <form @submit=${this.run} novalidate>
        <fieldset part="switches">
          <legend>${texts.switches}</legend>
          <div class="switches">
            ${[healthy, ...faults].map(
              ({ name, owner, meaning }) => html`
                <label class="switch">
                  <input type="radio" name="fault" value=${name} .checked=${this.fault === name} @change=${() => this.choose(name)} />
                  <span>
                    ${name === noFault ? html`<strong>${texts.none}</strong>` : html`<code class="name">${name}</code>`}<br />
                    ${meaning} ${owner === '' ? nothing : html`<code class="owner">${owner}</code>`}
                  </span>
                </label>
              `,
            )}
          </div>
        </fieldset>
        <fieldset part="prediction">
          <legend>${texts.predict}</legend>
          <div class="questions">
            ${this.questionView('text', texts.askText)} ${this.questionView('bits', texts.askBits)}
            <div>
              <p><label for="detector">${texts.askDetector}</label></p>
              <select
                id="detector"
                .value=${this.prediction.detector}
                @change=${(event: Event) => this.predict({ detector: (event.target as HTMLSelectElement).value })}
              >
                <option value="" ?selected=${this.prediction.detector === ''}>${texts.choose}</option>
                <option value=${noFault}>${texts.nobody}</option>
                ${detectors.map(({ name }) => html`<option value=${name}>${name}</option>`)}
              </select>
            </div>
          </div>
        </fieldset>
        <div class="actions">
          <button type="submit" part="run" class="primary" aria-disabled=${this.running || !this.engine.ready}>${texts.run}</button>
          <span class="small soft" role="status">${this.statusText()}</span>
        </div>
      </form>
    `;
  }

  private statusText(): string {
    if (this.stage === 'missing') return texts.missing;
    if (this.stage === 'lanes') return texts.lanesRun;
    if (this.stage === 'detectors') return texts.detectorsRun;
    const { sightings } = this.outcome ?? { sightings: null };
    return sightings && this.list ? sightingsConclusion(sightings, this.list.detectors.length) : '';
  }

  private questionView(name: 'text' | 'bits', question: string): TemplateResult {
    return html`
      <div role="radiogroup" aria-labelledby="ask-${name}">
        <p id="ask-${name}">${question}</p>
        <div class="answers">
          ${(['yes', 'no'] as const).map(
            (answer) => html`
              <label class="choice">
                <input
                  type="radio"
                  name=${name}
                  value=${answer}
                  .checked=${this.prediction[name] === answer}
                  @change=${() => this.predict({ [name]: answer })}
                />
                ${texts[answer]}
              </label>
            `,
          )}
        </div>
      </div>
    `;
  }

  private predict(answer: Partial<Prediction>): void {
    this.prediction = { ...this.prediction, ...answer };
    if (this.stage === 'missing') this.stage = 'still';
  }

  private outcomeView(outcome: Outcome, { detectors }: FaultList): TemplateResult | typeof nothing {
    const { trial, sightings } = outcome;
    if (trial === null) return nothing;
    return html`
      <h3>${texts.result}</h3>
      <p class="small soft">${texts[demonstrationOf(trial.fault).kind]}</p>
      <div class="beside">
        ${trial.rows.map(
          ({ prompt, healthy, broken }, index) => html`
            <div>
              <p class="small row-name"><bdi><code>${prompt}</code></bdi></p>
              ${trialLanesView(healthy, broken, index)}
            </div>
          `,
        )}
      </div>
      ${sightings ? sightingsView(sightings, detectors) : nothing}
      ${isSeenFromOutsideAlone(sightings) && bitsDiffer(trial) ? html`<p class="note">${texts.both}</p>` : nothing}
      ${sightings ? this.comparisonView(outcome) : nothing}
    `;
  }

  private comparisonView(outcome: Outcome): TemplateResult {
    const judge = (right: boolean): string => (right ? texts.right : texts.wrong);
    return html`
      <div class="comparison" data-comparison>
        ${dataTableView({
          caption: texts.prediction,
          head: [texts.question, texts.judgement, texts.said, texts.did],
          rows: this.comparison(outcome).map(({ question, said, did, right }) => [question, judge(right), said, did]),
        })}
      </div>
    `;
  }

  static override styles = [shared, sectionStyles, faultStyles];
}

customElements.define('vitrine-faults', VitrineFaults);

declare global {
  interface HTMLElementTagNameMap {
    'vitrine-faults': VitrineFaults;
  }
}
