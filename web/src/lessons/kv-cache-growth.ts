// The lab "kv-cache-growth": what a decode step costs at each length, with and without a cache, and how large the cache is
// then. The engine counts, for the loaded model (LanguageModel.growth); here the counts are drawn.

import { html, nothing, type TemplateResult } from 'lit';

import { EngineController } from '../elements/engine-controller';
import { lesson } from '../elements/lesson';
import '../elements/line-chart';
import type { Chart } from '../elements/line-chart';
import { ModelElement } from '../elements/model-element';
import { toEngineError, type EngineError } from '../engine/errors';
import type { GrowthPoint } from '../engine/protocol';
import { fill, messages } from '../messages';
import { growthOverContext, growthPoints } from '../runs/growth';
import { lessonStyles } from '../styles/lesson';
import { shared } from '../styles/shared';
import { errorView } from '../views/error';
import { figureView, type FigureTable } from '../views/figure';
import { bytes, magnitude, ratio } from '../views/format';
import { idleView } from '../views/load-progress';
import { sliderView } from '../views/slider';

const text = messages('lab-kv-cache-growth-figure', {
  waiting: 'The engine is loading.',
  length: 'Length, in positions',
  cached: 'with the cache',
  full: 'without: the whole prefix',
  work: 'multiply-adds of a step',
  workLabel: 'Multiply-adds of one decode step by length, with and without the cache',
  workConclusion:
    'At {positions} positions a step costs {cached} multiply-adds with the cache and {full} without, {ratio} as many. From {least} to {positions} positions the cached step grew {cachedGrowth}, the other {fullGrowth}.',
  memory: 'bytes',
  cacheBytes: 'the cache holds',
  read: 'a cached step reads',
  memoryLabel: 'Bytes of the cache, and bytes that a cached step reads, by length',
  memoryConclusion:
    'At {positions} positions the cache holds {cache}, {growth} what it held at {least}; each step reads all of it, {read} in all with the weights.',
  table: 'Counted by the engine for the loaded model',
  positions: 'Positions',
  workCached: 'Multiply-adds, cached',
  workFull: 'Multiply-adds, whole prefix',
  held: 'Cache holds',
  readCached: 'Cached step reads',
});

export class GrowthFigure extends ModelElement {
  static override properties = {
    growth: { state: true },
    chosen: { state: true },
    error: { state: true },
  };
  declare growth: GrowthPoint[];
  /** Index of the length that the captions speak of. */
  declare chosen: number;
  declare error: EngineError | null;

  private readonly engine = new EngineController(this, () => this.engine.ready && void this.ask());

  constructor() {
    super();
    this.growth = [];
    this.chosen = growthPoints - 1;
    this.error = null;
  }

  private async ask(): Promise<void> {
    const { model, load } = this.engine;
    if (model === null || load.kind !== 'ready') return;
    this.error = null;
    try {
      this.growth = await growthOverContext(model, load.description);
    } catch (error) {
      this.error = toEngineError(error);
    }
  }

  override render(): TemplateResult | typeof nothing {
    const { load } = this.engine;
    if (load.kind === 'failed') return idleView(load.error, () => this.engine.retry());
    if (this.error) return errorView(this.error);
    const [first, at] = [this.growth[0], this.growth[this.chosen]];
    if (!first || !at) return html`<p class="soft">${text.waiting}</p>`;
    return html`
      <div class="controls">
        ${sliderView({
          id: 'length',
          label: text.length,
          min: 1,
          max: this.growth.length - 1,
          step: 1,
          value: this.chosen,
          text: String(at.positions),
          onInput: (value) => (this.chosen = value),
        })}
      </div>
      ${figureView(html`<vitrine-line-chart .chart=${this.workChart()}></vitrine-line-chart>`, this.workConclusion(first, at), this.workTable())}
      ${figureView(html`<vitrine-line-chart .chart=${this.memoryChart()}></vitrine-line-chart>`, this.memoryConclusion(first, at), this.memoryTable())}
    `;
  }

  private workConclusion(first: GrowthPoint, at: GrowthPoint): string {
    return fill(text.workConclusion, {
      positions: at.positions,
      least: first.positions,
      cached: magnitude(at.cached.multiply_adds),
      full: magnitude(at.full.multiply_adds),
      ratio: ratio(at.full.multiply_adds / at.cached.multiply_adds),
      cachedGrowth: ratio(at.cached.multiply_adds / first.cached.multiply_adds),
      fullGrowth: ratio(at.full.multiply_adds / first.full.multiply_adds),
    });
  }

  private memoryConclusion(first: GrowthPoint, at: GrowthPoint): string {
    return fill(text.memoryConclusion, {
      positions: at.positions,
      least: first.positions,
      cache: bytes(at.cache_bytes),
      growth: ratio(at.cache_bytes / first.cache_bytes),
      read: bytes(at.cached.bytes_read),
    });
  }

  private workChart(): Chart {
    return {
      label: text.workLabel,
      xLabel: text.length,
      yLabel: text.work,
      x: this.growth.map(({ positions }) => positions),
      lines: [
        { label: text.cached, colour: '--cached', values: this.growth.map(({ cached }) => cached.multiply_adds) },
        { label: text.full, colour: '--full', dash: [6, 4], values: this.growth.map(({ full }) => full.multiply_adds) },
      ],
      format: magnitude,
      logarithmic: true,
    };
  }

  private memoryChart(): Chart {
    return {
      label: text.memoryLabel,
      xLabel: text.length,
      yLabel: text.memory,
      x: this.growth.map(({ positions }) => positions),
      lines: [
        { label: text.cacheBytes, colour: '--cached', values: this.growth.map((point) => point.cache_bytes) },
        { label: text.read, colour: '--ink-soft', dash: [2, 3], values: this.growth.map(({ cached }) => cached.bytes_read) },
      ],
      format: bytes,
    };
  }

  private workTable(): FigureTable {
    const rows = this.growth.map(({ positions, cached, full }) => [
      String(positions),
      magnitude(cached.multiply_adds),
      magnitude(full.multiply_adds),
    ]);
    return { caption: text.table, head: [text.positions, text.workCached, text.workFull], rows };
  }

  private memoryTable(): FigureTable {
    const rows = this.growth.map(({ positions, cache_bytes: held, cached }) => [
      String(positions),
      bytes(held),
      bytes(cached.bytes_read),
    ]);
    return { caption: text.table, head: [text.positions, text.held, text.readCached], rows };
  }

  static override styles = [shared, lessonStyles];
}

customElements.define('vitrine-lab-growth', GrowthFigure);

export default lesson(
  'kv-cache-growth',
  {
    title: 'How the KV cache grows',
    question: 'Why does KV caching improve decode compute but not make attention memory constant?',
    hint: 'List what one new token must do in each layer: what it computes for itself, and what it has to read of the tokens before it.',
    task: 'Move the length. Compare the growth of the two lanes, and of the cache.',
    reasoning:
      'Without a cache each step runs the whole prefix through every weight again. With one, the new token alone goes through the weights: its query, key and value, and the MLP, cost the same at any length. What was computed for earlier tokens never changes, since the causal mask keeps later tokens from touching it, so it can be kept.\nBut attention still compares the new query with the key of every position and mixes the value of every position. So all keys and values have to be kept, 2 \u00b7 L \u00b7 Hkv \u00b7 D numbers a position: memory grows linearly with the length, and so does what each step reads. The cache trades recomputation for memory; it does not make the past smaller.\nWhat makes it smaller is another factor: fewer key/value heads (grouped-query attention), narrower numbers (f16, q8), fewer layers with full attention, or forgetting (a sliding window), which changes what the model computes.',
    q1: 'A decode step with a cache computes anew, in each layer:',
    q1a: 'the keys and values of all positions, and the query of the last.',
    q1b: 'query, key and value of the new token, and its scores against all cached keys.',
    q1c: 'nothing but the query of the new token.',
    q1why: 'The new token\u2019s key and value are computed too, and stored for the steps to come. Those of earlier tokens are read.',
    q2: 'The shell model has 6 layers, 4 query heads, 2 key/value heads and D = 40, in float32. How many bytes does its cache need for one position?',
    q2a: '1,920',
    q2b: '3,840',
    q2c: '7,680',
    q2why: '2 (key and value) \u00b7 6 layers \u00b7 2 key/value heads \u00b7 40 entries \u00b7 4 bytes = 3,840. With 1,920 the values are forgotten; with 7,680 the query heads are counted.',
    q3: 'Why are keys and values cached, but not queries?',
    q3a: 'A query is used once, by its own position; no later token asks for it.',
    q3b: 'Queries can be computed from the keys.',
    q3c: 'Queries are larger, so it would not pay.',
    q3why: 'A later token brings its own query and asks the earlier keys and values. What earlier queries had to say is in the residual stream of their own positions.',
    q4: 'A text grows from 1,000 to 2,000 positions. How does the attention part of one cached step grow?',
    q4a: 'Not at all: that is the point of the cache.',
    q4b: 'About twofold.',
    q4c: 'About fourfold.',
    q4why: 'One query against twice as many keys and values: linear in the length. Fourfold is the attention of the whole prefix, in which every query meets every key before it.',
    q5: 'Which change halves the cache and leaves the length, the layers and the number of query heads as they are?',
    q5a: 'Half as many key/value heads.',
    q5b: 'An MLP half as wide.',
    q5c: 'Prefill in chunks of half the size.',
    q5why: 'The cache holds keys and values of key/value heads. The MLP stores nothing between tokens, and chunks change when positions are stored, not how many.',
  },
  ['b', 'b', 'a', 'b', 'a'],
  ({ base, bundle }) => html`<vitrine-lab-growth base=${base ?? nothing} bundle=${bundle ?? nothing}></vitrine-lab-growth>`,
);
