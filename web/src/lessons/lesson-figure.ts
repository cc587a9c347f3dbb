// LessonFigure: what the figures have in common whose numbers are one answer of the engine (LanguageModel.lesson). It asks
// when the input has changed, shows the newest answer, and an error in its place. What is drawn is the figure's own.

import { html, nothing, type TemplateResult } from 'lit';

import { EngineController } from '../elements/engine-controller';
import { ModelElement } from '../elements/model-element';
import { toEngineError, type EngineError } from '../engine/errors';
import type { LessonName, Lessons } from '../engine/lesson-types';
import { messages } from '../messages';
import { lessonStyles } from '../styles/lesson';
import { shared } from '../styles/shared';
import { errorView } from '../views/error';

const text = messages('lesson-figure', { waiting: 'The engine is loading.' });

export abstract class LessonFigure<Name extends LessonName> extends ModelElement {
  static override properties = { result: { state: true }, error: { state: true } };
  declare result: Lessons[Name]['result'] | null;
  declare error: EngineError | null;

  protected readonly engine = new EngineController(this, () => this.engine.ready && void this.ask());
  private asked = 0;
  /** What the result answers; the controls may stand elsewhere by now. */
  private answered: Lessons[Name]['input'] | null = null;

  constructor(private readonly lesson: Name) {
    super();
    this.result = null;
    this.error = null;
  }

  /** What the controls stand at. */
  protected abstract input(): Lessons[Name]['input'];
  protected abstract controls(): TemplateResult;
  protected abstract figure(result: Lessons[Name]['result'], input: Lessons[Name]['input']): TemplateResult | typeof nothing;

  /** Asks the engine for the input as it stands. An answer that a newer question has overtaken is dropped. */
  protected async ask(): Promise<void> {
    const { model } = this.engine;
    if (model === null || !this.engine.ready) return;
    const asked = ++this.asked;
    try {
      const input = this.input();
      const result = await model.lesson(this.lesson, input);
      if (asked !== this.asked) return;
      this.answered = input;
      this.result = result;
      this.error = null;
    } catch (error) {
      if (asked === this.asked) this.error = toEngineError(error);
    }
  }

  override render(): TemplateResult {
    const { load } = this.engine;
    const error = load.kind === 'failed' ? load.error : this.error;
    return html`
      ${this.controls()}
      ${errorView(error)}
      ${error ? nothing : this.result && this.answered ? this.figure(this.result, this.answered) : html`<p class="soft">${text.waiting}</p>`}
    `;
  }

  static override styles = [shared, lessonStyles];
}
