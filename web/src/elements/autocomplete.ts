// <vitrine-autocomplete>: a text box that shows the model's completion behind the cursor. Tab accepts it, Escape
// dismisses it. When the typing rests, the completion is proved, and the proof told as `vitrine-run` events.

import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';

import type { LanguageModel } from '../engine/client';
import { EngineError, errorMeanings } from '../engine/errors';
import type { LoadProgress } from '../engine/protocol';
import { fill, messages } from '../messages';
import { additionOf, Completer, nextWord, type Suggestion } from '../runs/completer';
import { Prover } from '../runs/prover';
import type { Recording } from '../runs/recording';
import { recordedRun } from '../runs/run';
import { autocompleteStyles } from '../styles/autocomplete';
import { panelStyles } from '../styles/panel';
import { shared } from '../styles/shared';
import { errorView } from '../views/error';
import { milliseconds } from '../views/format';
import { ghostView } from '../views/ghost';
import { loadFailureView, loadProgressView } from '../views/load-progress';
import { reuseStripView } from '../views/reuse-strip';
import { emit } from './emit';
import { EngineController } from './engine-controller';
import { ModelElement } from './model-element';

const texts = messages('autocomplete', {
  title: 'Type a shell command',
  placeholder: 'git com',
  accept: 'Accept',
  accepts: 'accepts',
  accepts_word: 'accepts a word',
  dismisses: 'dismisses',
  suggestion: 'Suggestion: {text}',
  reuse: 'Each key keeps what the cache already holds of the text.',
  time: 'completed in {time}',
  examples: 'Or begin with',
  empty: 'Empty the box',
  recorded: 'Meanwhile: recorded with {name} {version}, what it will say here too.',
});

const examples = ['git commit ', 'docker run --', 'tar -', 'npm install --', 'kubectl get '];
/** Far more than any context holds; a longer paste is refused, since the page would stand still over it. */
const maxCharacters = 20_000;

/**
 * A text box that completes what is typed, with a model in the visitor's browser.
 *
 * @element vitrine-autocomplete
 * @attr {string} text - What is in the box.
 * @fires {CustomEvent<{text: string}>} vitrine-state - The visitor changed the text.
 * @fires {CustomEvent<Run>} vitrine-run - A completion is proved: once when it begins, and for every step.
 * @csspart title - The title.
 * @csspart panel - The frame.
 * @csspart keys - What the keys do.
 * @csspart accept - The button that accepts.
 * @csspart examples - What to begin with.
 * @csspart cost - What the completion cost.
 * @csspart box - The case with the text box.
 */
export class VitrineAutocomplete extends ModelElement {
  static override properties = {
    text: {},
    recording: { attribute: false },
    suggestion: { state: true },
    composing: { state: true },
    error: { state: true },
  };
  declare text: string;
  /** Shown for its text until the model has loaded. */
  declare recording: Recording | null;
  declare suggestion: Suggestion | null;
  /** An input method is composing letters, which lie where the ghost would. */
  declare composing: boolean;
  declare error: EngineError | null;

  private readonly engine = new EngineController(this, () => this.onEngine());
  private model: LanguageModel | null = null;
  private completer: Completer | null = null;
  private prover: Prover | null = null;
  /** The text for which Escape was pressed: it gets no suggestion until it changes. */
  private dismissed: string | null = null;

  constructor() {
    super();
    this.text = '';
    this.recording = null;
    this.suggestion = null;
    this.composing = false;
    this.error = null;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.drop();
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('recording')) this.showRecording();
    if (changed.has('text')) this.ask();
  }

  /** The model's own answer takes its place as soon as there is one. */
  private showRecording(): void {
    const { recording } = this;
    if (recording === null || this.engine.ready || this.text !== recording.text) return;
    const { text, completion } = recording;
    this.suggestion = { text, addition: additionOf(completion), result: completion };
    emit(this, 'vitrine-run', recordedRun(recording));
  }

  private get showsRecording(): boolean {
    return this.recording !== null && this.suggestion?.result === this.recording.completion;
  }

  private onEngine(): void {
    const { model, ready } = this.engine;
    if (model !== this.model) {
      this.drop();
      this.model = model;
      this.completer =
        model &&
        new Completer(model, {
          onSuggestion: (suggestion) => this.show(suggestion),
          onError: (error) => (this.error = error),
        });
      this.prover = model && new Prover(model, (run) => emit(this, 'vitrine-run', run));
    }
    if (ready) this.ask();
  }

  /** Whether a suggestion for the text as it stands can be accepted. */
  private get ghost(): string {
    return !this.composing && this.suggestion?.text === this.text ? this.suggestion.addition : '';
  }

  private drop(): void {
    this.prover?.forget();
    this.completer?.forget();
  }

  private ask(): void {
    this.drop();
    this.error = null;
    if (this.dismissed !== this.text) this.dismissed = null;
    if (this.text === '' || this.dismissed !== null || !this.engine.ready) return;
    this.completer?.want(this.text);
  }

  private show(suggestion: Suggestion): void {
    this.suggestion = suggestion;
    if (suggestion.addition !== '') this.prover?.want(suggestion);
  }

  private setText(text: string): void {
    if (text.length > maxCharacters) {
      this.box.value = this.text;
      const message = `text: expected at most ${maxCharacters} characters, found ${text.length}`;
      this.error = new EngineError('invalid_option', message);
      return;
    }
    // A pasted text may have lines: the box holds one command.
    this.text = text.replaceAll(/\s*\n\s*/g, ' ');
    emit(this, 'vitrine-state', { text: this.text });
  }

  private onInput(event: InputEvent): void {
    const box = event.target as HTMLTextAreaElement;
    if (!event.isComposing) this.setText(box.value);
  }

  private onCompositionEnd(event: CompositionEvent): void {
    this.composing = false;
    this.setText((event.target as HTMLTextAreaElement).value);
  }

  private onKeydown(event: KeyboardEvent): void {
    if (event.isComposing) return;
    const box = event.target as HTMLTextAreaElement;
    const plain = !event.shiftKey && !event.ctrlKey && !event.altKey && !event.metaKey;
    const atEnd = box.selectionStart === box.value.length;
    if (event.key === 'Enter') {
      event.preventDefault();
    } else if (plain && this.ghost !== '' && event.key === 'Tab' && atEnd) {
      event.preventDefault();
      this.accept(this.ghost);
    } else if (plain && this.ghost !== '' && event.key === 'ArrowRight' && atEnd) {
      event.preventDefault();
      this.accept(nextWord(this.ghost));
    } else if (plain && this.ghost !== '' && event.key === 'Escape') {
      event.preventDefault();
      this.dismiss();
    }
  }

  /** Adds to the text as if it were typed, so that the browser's undo takes it back. */
  private accept(addition: string): void {
    const { box } = this;
    box.focus();
    box.setSelectionRange(box.value.length, box.value.length);
    if (!document.execCommand('insertText', false, addition)) this.setText(this.text + addition);
  }

  private dismiss(): void {
    this.dismissed = this.text;
    this.suggestion = null;
    this.drop();
  }

  private get box(): HTMLTextAreaElement {
    return this.renderRoot.querySelector('textarea') as HTMLTextAreaElement;
  }

  private useExample(example: string): void {
    this.dismissed = null;
    this.suggestion = null;
    this.box.select();
    this.box.setRangeText('');
    if (example === '') this.setText('');
    else this.accept(example);
  }

  override render(): TemplateResult {
    const { load } = this.engine;
    return html`
      <section class="panel" part="panel" aria-labelledby="title">
        <h2 id="title" part="title"><label for="box">${texts.title}</label></h2>
        ${this.caseView()} ${load.kind === 'failed' ? this.failureView(load.error) : this.belowView()}
      </section>
    `;
  }

  private failureView(error: EngineError): TemplateResult {
    return html`
      <div class="failure">
        ${loadFailureView(error, errorMeanings[error.code], () => this.engine.retry())}
      </div>
    `;
  }

  private caseView(): TemplateResult {
    return html`
      <div class="case" part="box">
        <span class="prompt" aria-hidden="true">$</span>
        <div class="field">
          ${ghostView(this.text, this.ghost)}
          <textarea
            id="box"
            dir="auto"
            rows="1"
            spellcheck="false"
            autocapitalize="off"
            autocomplete="off"
            aria-autocomplete="inline"
            aria-describedby="keys"
            placeholder=${this.ghost ? '' : texts.placeholder}
            .value=${this.text}
            @input=${this.onInput}
            @compositionstart=${() => (this.composing = true)}
            @compositionend=${this.onCompositionEnd}
            @keydown=${this.onKeydown}
          ></textarea>
        </div>
      </div>
    `;
  }

  private belowView(): TemplateResult {
    const ghost = this.ghost;
    const { load } = this.engine;
    return html`
      <p class="keys small soft" id="keys" part="keys">
        <button type="button" part="accept" class="primary" ?disabled=${ghost === ''} @click=${() => this.accept(ghost)}>
          ${texts.accept}
        </button>
        <span><kbd>Tab</kbd> ${texts.accepts}</span>
        <span><kbd>&rarr;</kbd> ${texts.accepts_word}</span>
        <span><kbd>Esc</kbd> ${texts.dismisses}</span>
      </p>
      <p class="hidden" role="status">${ghost === '' ? '' : fill(texts.suggestion, { text: ghost })}</p>
      ${errorView(this.error)}
      ${load.kind === 'loading' ? this.loadingView(load.progress) : this.costView()}
      <p class="examples small soft" part="examples">
        <span>${texts.examples}</span>
        ${examples.map(
          (example) => html`
            <button type="button" class="chip" @click=${() => this.useExample(example)}>${example.trim()}</button>
          `,
        )}
        <button type="button" class="chip plain" @click=${() => this.useExample('')}>${texts.empty}</button>
      </p>
    `;
  }

  private loadingView(progress: LoadProgress): TemplateResult {
    const { recording } = this;
    const says =
      recording && this.showsRecording && fill(texts.recorded, { name: recording.name, version: recording.model_version });
    return html`
      <div class="loading">
        ${loadProgressView(progress)} ${says ? html`<span class="small" data-recorded>${says}</span>` : nothing}
      </div>
    `;
  }

  /** What the newest completion took: its place is kept, so that nothing jumps while typing. */
  private costView(): TemplateResult {
    const result = this.suggestion?.result;
    if (!result) return html`<div class="cost small soft" part="cost">${texts.reuse}</div>`;
    const { reused_positions, prefill, decode } = result;
    const time = milliseconds(prefill.ms + decode.ms);
    return html`
      <div class="cost" part="cost">
        ${reuseStripView(reused_positions, prefill.positions)}
        <span class="small soft">${fill(texts.time, { time })}</span>
      </div>
    `;
  }

  static override styles = [shared, panelStyles, autocompleteStyles];
}

customElements.define('vitrine-autocomplete', VitrineAutocomplete);
