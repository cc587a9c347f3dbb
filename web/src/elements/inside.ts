// <vitrine-inside>: what happens inside the model at one token of a text: attention, RoPE, the residual stream, the logit
// lens. The engine records a pass over the prefix; nothing of it is computed here.

import { html, nothing, type TemplateResult } from 'lit';

import { EngineError, toEngineError } from '../engine/errors';
import type { Inside, TokenPiece } from '../engine/protocol';
import { fill, messages } from '../messages';
import { Newest } from '../runs/newest';
import { numberOrText, speaksOf } from '../state/policy-fields';
import { insideStyles } from '../styles/inside';
import { panelStyles } from '../styles/panel';
import { sectionStyles } from '../styles/sections';
import { shared } from '../styles/shared';
import { attentionMapView, headView, sharpestGaze } from '../views/attention-map';
import { errorView } from '../views/error';
import { figureView } from '../views/figure';
import { visible } from '../views/format';
import { idleView } from '../views/load-progress';
import { lensView } from '../views/logit-lens';
import { residualChart, residualConclusion, residualTable } from '../views/residual-norms';
import { ropeView } from '../views/rope-pairs';
import { textFieldView } from '../views/text-field';
import { tokenStripView } from '../views/token-strip';
import { emit } from './emit';
import { EngineController } from './engine-controller';
import './line-chart';
import { ModelElement } from './model-element';

const texts = messages('inside', {
  title: 'Inside: what the model does at one token',
  lead: 'The model reads the text up to a token in one recorded pass. Choose a token, and see what it looks at, how its query turns with its position, how large the residual stream is, and what the head would say after every layer. Layers, heads and positions are counted from 0.',
  text: 'Text',
  tokens: 'Tokens of the text: choose one',
  attention: 'Attention: what "{token}" looks at',
  layer: 'Layer',
  head: 'Head',
  rope: 'RoPE: its position as rotation',
  stream: 'The residual stream by layer',
  lens: 'Logit lens: what would come next',
  waiting: 'The model is loading.',
  failed: 'The model did not load, so there is nothing to look into.',
  shown: 'Position {position}, "{token}", is shown.',
});

/** What to look at: a text, and one of its positions; null for the last. */
interface Look {
  text: string;
  position: number | null;
}

/** An attribute may say anything. One beyond the text is its last token: a text may become shorter. */
function requirePosition(position: unknown): void {
  if (position === null || (Number.isInteger(position) && Number(position) >= 0)) return;
  const found = typeof position === 'string' ? JSON.stringify(position) : String(position);
  throw new EngineError('invalid_option', `position: expected a whole number from 0, or none for the last token; found ${found}`);
}

/**
 * What happened inside the model at one token: attention, RoPE, the residual stream, the lens of each layer.
 *
 * @element vitrine-inside
 * @attr {string} text - The text that is read.
 * @attr {number} position - The token that is looked into, from 0; the last one by default.
 * @fires {CustomEvent<{text: string, position: number | null}>} vitrine-state - The visitor chose another text or token.
 * @csspart title - The title.
 * @csspart text - The field of the text that is read.
 * @csspart tokens - The tokens of the text, one of which is chosen.
 * @csspart layer - The choice of a layer.
 * @csspart head - The choice of a head.
 * @csspart figure - A figure: picture, conclusion, table.
 */
export class VitrineInside extends ModelElement {
  static override properties = {
    text: {},
    position: { converter: (text: string | null) => text && numberOrText(text) },
    tokens: { state: true },
    inside: { state: true },
    error: { state: true },
    chosen: { state: true },
  };
  declare text: string;
  declare position: number | null;
  declare tokens: readonly TokenPiece[];
  declare inside: Inside | null;
  declare error: EngineError | null;
  /** The head that is shown token by token; null for the one with the sharpest gaze. */
  declare chosen: { layer: number; head: number } | null;

  private readonly engine = new EngineController(this, () => this.look());
  private readonly looks = new Newest<Look>((look) => this.inspect(look));

  constructor() {
    super();
    this.text = 'docker run --rm -it';
    this.position = null;
    this.tokens = [];
    this.inside = null;
    this.error = null;
    this.chosen = null;
  }

  override updated(changed: Map<PropertyKey, unknown>): void {
    if (changed.has('text') || changed.has('position')) this.look();
  }

  private look(): void {
    if (this.engine.ready) this.looks.want({ text: this.text, position: this.position });
  }

  /** The row lives for as long as the look takes, so nothing is left in the engine. */
  private async inspect({ text, position }: Look): Promise<void> {
    const { model } = this.engine;
    if (model === null) return;
    try {
      requirePosition(position);
      const { row, tokens } = await model.start(text, { mode: 'greedy', max_new_tokens: 1 }, {});
      try {
        const last = tokens.length - 1;
        this.inside = await model.inspect(row, Math.min(position ?? last, last));
        this.tokens = tokens;
        this.error = null;
      } finally {
        await model.finish(row);
      }
    } catch (error) {
      // What was seen in another text is not shown beneath this one.
      this.inside = null;
      this.error = toEngineError(error);
    }
  }

  private change(changed: { text?: string; position: number | null }): void {
    Object.assign(this, changed);
    emit(this, 'vitrine-state', { text: this.text, position: this.position });
  }

  override render(): TemplateResult {
    return html`
      <section class="panel" aria-labelledby="title">
        <h2 id="title" part="title">${texts.title}</h2>
        <p class="lead">${texts.lead}</p>
        <div class="field" part="text">
          <label for="text">${texts.text}</label>
          ${textFieldView({
            id: 'text',
            value: this.text,
            // To the engine the text is a prompt. What else is refused, a position say, is not the text's fault.
            wrong: speaksOf(this.error, 'prompt'),
            onInput: (text) => this.change({ text, position: null }),
          })}
        </div>
        ${errorView(this.error, 'error')}
        ${this.inside ? this.insideView(this.inside) : this.waitingView()}
      </section>
    `;
  }

  private waitingView(): TemplateResult | typeof nothing {
    if (this.error) return nothing;
    const { load } = this.engine;
    if (load.kind === 'failed') return idleView(load.error, () => this.engine.retry(), texts.failed);
    return html`<p class="soft" role="status">${texts.waiting}</p>`;
  }

  private insideView(inside: Inside): TemplateResult {
    const token = visible(inside.tokens[inside.position]?.piece ?? '');
    const { layers } = inside;
    const chosen = this.chosen ?? sharpestGaze(layers);
    return html`
      <div part="tokens">
        <p class="small soft">${texts.tokens}</p>
        ${tokenStripView(
          this.tokens.map(({ piece }) => piece),
          inside.position,
          texts.tokens,
          (position) => this.change({ position }),
        )}
      </div>
      <p class="hidden" role="status">${fill(texts.shown, { position: inside.position, token })}</p>
      <h3><bdi>${fill(texts.attention, { token })}</bdi></h3>
      <div class="beside">
        ${attentionMapView(inside, chosen)}
        <div>
          <div class="picks">
            ${this.pickView('layer', texts.layer, layers.length, chosen)}
            ${this.pickView('head', texts.head, layers[0]?.attention.length ?? 0, chosen)}
          </div>
          ${headView(inside, chosen)}
          <h3>${texts.rope}</h3>
          ${ropeView(inside)}
        </div>
      </div>
      <h3>${texts.stream}</h3>
      ${figureView(
        html`<vitrine-line-chart .chart=${residualChart(layers)}></vitrine-line-chart>`,
        residualConclusion(layers),
        residualTable(layers),
      )}
      <h3>${texts.lens}</h3>
      ${lensView(layers)}
    `;
  }

  private pickView(name: 'layer' | 'head', label: string, count: number, chosen: { layer: number; head: number }): TemplateResult {
    const { layer, head } = chosen;
    return html`
      <label part=${name}>
        ${label}
        <select
          @change=${(event: Event) => (this.chosen = { layer, head, [name]: Number((event.target as HTMLSelectElement).value) })}
        >
          ${Array.from({ length: count }, (_, index) => html`<option value=${index} .selected=${chosen[name] === index}>${index}</option>`)}
        </select>
      </label>
    `;
  }

  static override styles = [shared, panelStyles, sectionStyles, insideStyles];
}

customElements.define('vitrine-inside', VitrineInside);

declare global {
  interface HTMLElementTagNameMap {
    'vitrine-inside': VitrineInside;
  }
}
