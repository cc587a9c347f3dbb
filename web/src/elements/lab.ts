// <vitrine-lab name="...">: a lesson's figure that stands alone. A question to predict, the figure, the reasoning to check
// the prediction against, and a quiz. It keeps its result in this browser and tells it; the lessons are registered.

import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';

import { fill, messages } from '../messages';
import { forgetResult, keepResult, recallResult, type LabResult } from '../state/lab-record';
import { labStyles } from '../styles/lab';
import { panelStyles } from '../styles/panel';
import { shared } from '../styles/shared';
import { emit } from './emit';
import { paragraphs, type Lesson } from './lesson';
import { ModelElement } from './model-element';
import { Presentation } from './presentation';
import './quiz';
import type { QuizResult } from './quiz';

const text = messages('lab', {
  predict: 'Predict',
  predictAbout: 'Write down what you expect, before you look. Nobody reads it: it stays in this browser.',
  prediction: 'Your prediction',
  hint: 'A hint',
  reveal: 'Show the figure',
  revealed: 'The figure is shown below.',
  first: 'Write a prediction first, were it only a guess.',
  look: 'Look',
  check: 'Check your prediction',
  yours: 'You predicted:',
  kept: 'Best result so far: {percent}\u00a0%, {state}.',
  passed: 'passed',
  failed: 'not passed yet',
  forget: 'Forget it',
  unknown: 'There is no lab "{name}". There are: {known}.',
  loading: 'The lab is loading.',
  broken: 'The lab did not load: {reason}',
});

const lessons = new Map<string, () => Promise<Lesson>>();

/** Makes a lesson known under a name; it is loaded when a lab of that name is shown. */
export function registerLesson(name: string, load: () => Promise<Lesson>): void {
  lessons.set(name, load);
}

/**
 * A lab: predict, look, check, quiz.
 *
 * @element vitrine-lab
 * @attr {string} name - Which lab.
 * @fires {CustomEvent<LabResult>} vitrine-lab-result - The quiz was checked.
 * @fires {CustomEvent<{lab: string, predicted: string}>} vitrine-lab-predicted - The figure was revealed.
 * @fires {CustomEvent<{lab: string}>} vitrine-lab-forgotten - The kept result was given up.
 * @csspart title - The lab's title.
 * @csspart predict - The question, the prediction and the hint.
 * @csspart hint - The hint.
 * @csspart reveal - The button that reveals the figure.
 * @csspart look - The figure and what to do with it.
 * @csspart reasoning - What to check the prediction against.
 * @csspart quiz - The quiz.
 * @csspart record - The best result so far.
 * @csspart forget - The button that gives it up.
 */
export class VitrineLab extends ModelElement {
  static override properties = {
    name: { reflect: true },
    lesson: { state: true },
    problem: { state: true },
    prediction: { state: true },
    stage: { state: true },
    record: { state: true },
  };
  /** Which lab: the name that its lesson is registered under. */
  declare name: string;
  declare lesson: Lesson | null;
  declare problem: string | null;
  declare prediction: string;
  /** "missing": the figure was asked for without a prediction. */
  declare stage: 'predict' | 'missing' | 'revealed';
  declare record: LabResult | null;

  constructor() {
    super();
    this.name = '';
    this.lesson = null;
    this.problem = null;
    this.prediction = '';
    this.stage = 'predict';
    this.record = null;
    new Presentation(this);
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('name')) void this.open(this.name ?? '');
  }

  private async open(name: string): Promise<void> {
    this.lesson = null;
    this.problem = null;
    this.prediction = '';
    this.stage = 'predict';
    this.record = recallResult(name);
    const load = lessons.get(name);
    if (load === undefined) {
      this.problem = fill(text.unknown, { name, known: [...lessons.keys()].join(', ') });
      return;
    }
    try {
      const lesson = await load();
      if (this.name === name) this.lesson = lesson;
    } catch (error) {
      if (this.name === name) this.problem = fill(text.broken, { reason: String(error) });
    }
  }

  private reveal(event: Event): void {
    event.preventDefault();
    if (this.stage === 'revealed') return;
    if (this.prediction.trim() === '') {
      this.stage = 'missing';
      this.renderRoot.querySelector('textarea')?.focus();
      return;
    }
    this.stage = 'revealed';
    emit(this, 'vitrine-lab-predicted', { lab: this.name, predicted: this.prediction });
  }

  private finish(event: CustomEvent<QuizResult>): void {
    const result: LabResult = { lab: this.name, ...event.detail, predicted: this.prediction };
    keepResult(result);
    this.record = recallResult(this.name) ?? result;
    emit(this, 'vitrine-lab-result', result);
  }

  private forget(): void {
    forgetResult(this.name);
    this.record = null;
    // The button goes, and the focus would go with it.
    this.renderRoot.querySelector<HTMLElement>('#title')?.focus();
    emit(this, 'vitrine-lab-forgotten', { lab: this.name });
  }

  override render(): TemplateResult {
    const { lesson } = this;
    if (this.problem !== null) return html`<section class="panel"><p class="alert" role="alert">${this.problem}</p></section>`;
    if (lesson === null) return html`<section class="panel"><p class="soft">${text.loading}</p></section>`;
    return html`
      <section class="panel" aria-labelledby="title">
        <h2 id="title" part="title" tabindex="-1">${lesson.text.title}</h2>
        ${this.recordView()} ${this.predictView(lesson)}
        ${this.stage === 'revealed' ? [this.lookView(lesson), this.checkView(lesson), this.quizView(lesson)] : nothing}
      </section>
    `;
  }

  private recordView(): TemplateResult | typeof nothing {
    if (this.record === null) return nothing;
    const { score, passed } = this.record;
    const values = { percent: Math.round(score * 100), state: passed ? text.passed : text.failed };
    return html`
      <p class="record small" part="record">
        <span data-record>${fill(text.kept, values)}</span>
        <button type="button" part="forget" @click=${this.forget}>${text.forget}</button>
      </p>
    `;
  }

  private predictView({ text: { question, hint } }: Lesson): TemplateResult {
    const revealed = this.stage === 'revealed';
    return html`
      <form class="step" part="predict" @submit=${this.reveal} novalidate>
        <h3>${text.predict}</h3>
        <p class="question" id="question">${question}</p>
        <label for="prediction">${text.prediction}</label>
        <textarea
          id="prediction"
          rows="2"
          dir="auto"
          aria-describedby="question about"
          aria-invalid=${this.stage === 'missing'}
          ?readonly=${revealed}
          .value=${this.prediction}
          @input=${(event: Event) => (this.prediction = (event.target as HTMLTextAreaElement).value)}
        ></textarea>
        <p class="small soft" id="about">${text.predictAbout}</p>
        <details part="hint">
          <summary>${text.hint}</summary>
          <p>${hint}</p>
        </details>
        <div class="end">
          <button type="submit" part="reveal" class="primary" aria-disabled=${revealed}>${text.reveal}</button>
          <p class="small" role="status">${{ predict: '', missing: text.first, revealed: text.revealed }[this.stage]}</p>
        </div>
      </form>
    `;
  }

  private lookView({ text: { task }, figure }: Lesson): TemplateResult {
    return html`
      <div class="step" part="look">
        <h3>${text.look}</h3>
        ${paragraphs(task).map((paragraph) => html`<p class="prose">${paragraph}</p>`)}
        <div class="figure">${figure({ base: this.base, bundle: this.bundle })}</div>
      </div>
    `;
  }

  private checkView({ text: { reasoning } }: Lesson): TemplateResult {
    return html`
      <div class="step" part="reasoning">
        <h3>${text.check}</h3>
        <p class="small soft">${text.yours}</p>
        <blockquote dir="auto">${this.prediction}</blockquote>
        ${paragraphs(reasoning).map((paragraph) => html`<p class="prose">${paragraph}</p>`)}
      </div>
    `;
  }

  private quizView({ quiz }: Lesson): TemplateResult {
    return html`
      <div class="step" part="quiz">
        <vitrine-quiz .questions=${quiz()} @vitrine-quiz-result=${this.finish}></vitrine-quiz>
      </div>
    `;
  }

  static override styles = [shared, panelStyles, labStyles];
}

customElements.define('vitrine-lab', VitrineLab);
