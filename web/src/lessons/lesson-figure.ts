// LessonFigure: what the figures have in common whose numbers are one answer of the engine (LanguageModel.lesson), which
// needs no bundle. It asks when the input has changed, shows the newest answer, and an error in its place. What is drawn is
// the figure's own.

import { html, nothing, type TemplateResult } from 'lit';

import { EngineController } from '../elements/engine-controller';
import { EngineElement } from '../elements/model-element';
import type { LanguageModel } from '../engine/client';
import { toEngineError, type EngineError } from '../engine/errors';
import type { LessonName, Lessons } from '../engine/lesson-types';
import { messages } from '../messages';
import { lessonStyles } from '../styles/lesson';
import { shared } from '../styles/shared';
import { errorView } from '../views/error';
import { idleView } from '../views/load-progress';

const text = messages('lesson-figure', { waiting: 'The engine is loading.', failed: 'The engine did not start.' });

export abstract class LessonFigure<Name extends LessonName> extends EngineElement {
  static override properties = { result: { state: true }, error: { state: true } };
  declare result: Lessons[Name]['result'] | null;
  declare error: EngineError | null;

  private readonly engine = new EngineController(this, () => this.askAnew(), false);
  private model: LanguageModel | null = null;
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
    const asked = ++this.asked;
    try {
      const input = this.input();
      const model = await this.engine.prepared();
      const result = await model?.lesson(this.lesson, input);
      if (result === undefined || asked !== this.asked) return;
      this.answered = input;
      this.result = result;
      this.error = null;
    } catch (error) {
      if (asked === this.asked) this.error = toEngineError(error);
    }
  }

  /** Of a worker that has just begun; how far a bundle is that others load in it is no matter. */
  private askAnew(): void {
    const { model } = this.engine;
    if (model === this.model) return;
    this.model = model;
    void this.ask();
  }

  override render(): TemplateResult {
    const { load, model } = this.engine;
    const error = load.kind === 'failed' && model === null ? load.error : this.error;
    return html`
      ${this.controls()}
      ${error ? this.troubleView(error) : this.result && this.answered ? this.figure(this.result, this.answered) : html`<p class="soft">${text.waiting}</p>`}
    `;
  }

  private troubleView(error: EngineError): TemplateResult | typeof nothing {
    if (error.code !== 'invalid_option') return idleView(error, () => this.engine.retry(), text.failed);
    return errorView(error);
  }

  static override styles = [shared, lessonStyles];
}
