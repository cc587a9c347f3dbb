// <vitrine-quiz>: questions with one right answer each, checked together and explained. It knows no lab and keeps nothing.

import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';

import { fill, messages } from '../messages';
import { shared } from '../styles/shared';
import { passMark, type Question } from './lesson';
import { Presentation } from './presentation';

const text = messages('quiz', {
  title: 'Checkpoint',
  about: '{count} questions; {needed} right answers pass.',
  check: 'Check the answers',
  again: 'Try again',
  unanswered: 'Question {number} has no answer yet.',
  right: 'Right.',
  wrong: 'Not right.',
  passed: 'Passed: {right} of {count} right, {percent}\u00a0%.',
  failed: 'Not passed yet: {right} of {count} right, {percent}\u00a0%. What was right is kept; try the others again.',
});

/** What the event `vitrine-quiz-result` tells. */
export interface QuizResult {
  score: number;
  passed: boolean;
  answers: number[];
}

/**
 * Questions with one right answer each.
 *
 * @element vitrine-quiz
 * @fires {CustomEvent<QuizResult>} vitrine-quiz-result - The answers were checked.
 * @csspart questions - The questions.
 * @csspart check - The button that checks, or begins again.
 */
export class VitrineQuiz extends LitElement {
  static override properties = {
    questions: { attribute: false },
    chosen: { state: true },
    checked: { state: true },
    missing: { state: true },
  };
  /** The questions, each with its options, the right one and the reason. */
  declare questions: readonly Question[];
  declare chosen: ReadonlyArray<number | null>;
  declare checked: boolean;
  /** The question, from 0, that had no answer when the answers were to be checked. */
  declare missing: number | null;

  constructor() {
    super();
    this.questions = [];
    this.chosen = [];
    this.checked = false;
    this.missing = null;
    new Presentation(this);
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('questions') && this.chosen.length !== this.questions.length) {
      this.chosen = this.questions.map(() => null);
      this.checked = false;
    }
  }

  private get right(): number {
    return this.questions.filter((question, index) => question.right === this.chosen[index]).length;
  }

  private get score(): number {
    return this.right / Math.max(this.questions.length, 1);
  }

  private choose(question: number, option: number): void {
    this.chosen = this.chosen.map((kept, index) => (index === question ? option : kept));
    this.missing = null;
  }

  private submit(event: Event): void {
    event.preventDefault();
    if (this.checked) this.again();
    else this.check();
  }

  private check(): void {
    const missing = this.chosen.indexOf(null);
    if (missing >= 0) {
      this.missing = missing;
      this.focusQuestion(missing);
      return;
    }
    this.checked = true;
    const answers = this.chosen.map((option) => option ?? -1);
    const detail: QuizResult = { score: this.score, passed: this.score >= passMark, answers };
    this.dispatchEvent(new CustomEvent('vitrine-quiz-result', { detail }));
  }

  /** Wrong answers are taken back. */
  private again(): void {
    const wrong = this.questions.findIndex((question, index) => question.right !== this.chosen[index]);
    this.chosen = this.chosen.map((option, index) => (this.questions[index]?.right === option ? option : null));
    this.checked = false;
    void this.updateComplete.then(() => this.focusQuestion(Math.max(wrong, 0)));
  }

  private focusQuestion(index: number): void {
    this.renderRoot.querySelectorAll('fieldset')[index]?.querySelector('input')?.focus();
  }

  override render(): TemplateResult {
    const count = this.questions.length;
    const needed = Math.ceil(count * passMark);
    return html`
      <form @submit=${this.submit} novalidate>
        <h3>${text.title}</h3>
        <p class="small soft">${fill(text.about, { count, needed })}</p>
        <div class="questions" part="questions">
          ${this.questions.map((question, index) => this.questionView(question, index))}
        </div>
        <div class="end">
          <button type="submit" part="check" class=${this.checked ? '' : 'primary'}>
            ${this.checked ? text.again : text.check}
          </button>
          <p role="status" data-score>${this.statusText(count)}</p>
        </div>
      </form>
    `;
  }

  private statusText(count: number): string {
    if (this.missing !== null) return fill(text.unanswered, { number: this.missing + 1 });
    if (!this.checked) return '';
    const values = { right: this.right, count, percent: Math.round(this.score * 100) };
    return fill(this.score >= passMark ? text.passed : text.failed, values);
  }

  private questionView({ prompt, options, right, why }: Question, index: number): TemplateResult {
    const chosen = this.chosen[index] ?? null;
    const verdict = chosen === right;
    return html`
      <div>
        <fieldset>
          <legend>${index + 1}. ${prompt}</legend>
          ${options.map(
            (option, number) => html`
              <label class="option">
                <input
                  type="radio"
                  name="q${index}"
                  value=${number}
                  ?disabled=${this.checked && chosen !== number}
                  .checked=${chosen === number}
                  @change=${() => this.choose(index, number)}
                />
                <span>${option}</span>
              </label>
            `,
          )}
        </fieldset>
        ${
          this.checked
            ? html`<p class="why ${verdict ? 'right' : 'wrong'}"><strong>${verdict ? text.right : text.wrong}</strong> ${why}</p>`
            : nothing
        }
      </div>
    `;
  }

  static override styles = [
    shared,
    css`
      h3 {
        margin-top: 0;
      }

      .questions {
        display: grid;
        gap: var(--space-5);
      }

      legend {
        margin-bottom: var(--space-1);
        font-size: inherit;
        font-weight: 600;
        color: inherit;
        max-width: var(--measure);
      }

      .option {
        display: grid;
        grid-template-columns: auto minmax(0, 1fr);
        gap: 0.6em;
        align-items: baseline;
        padding: 0.25rem 0;
        font-size: var(--step-0);
        color: var(--ink);
        max-width: var(--measure);
      }

      .option input {
        align-self: baseline;
        position: relative;
        top: 0.15em;
      }

      .why {
        margin: var(--space-2) 0 0;
        padding: var(--space-2) var(--space-3);
        border-inline-start: 4px solid var(--cached);
        border-radius: var(--radius-small);
        background: var(--cached-soft);
        max-width: var(--measure);
      }

      .why.wrong {
        border-inline-start-style: double;
        border-color: var(--bad);
        background: var(--bad-soft);
      }

      .end {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: var(--space-2) var(--space-4);
        margin-top: var(--space-4);
      }

      .end p {
        margin: 0;
        font-weight: 600;
      }
    `,
  ];
}

customElements.define('vitrine-quiz', VitrineQuiz);
