// How one step grows with the length of the text, in both lanes: its chart, the conclusion, the table, and the choice of
// what is counted. Pure functions of the engine's own counts.

import { html, type TemplateResult } from 'lit';

import type { GrowthPoint } from '../engine/protocol';
import { fill, messages } from '../messages';
import { figureView, type FigureTable } from './figure';
import { bytes, count, magnitude, ratio } from './format';

export const growthMeasures = ['multiply_adds', 'bytes_read', 'cache_bytes'] as const;
export type GrowthMeasure = (typeof growthMeasures)[number];

const texts = messages('growth', {
  title: 'How one step grows with the text',
  measure: 'What to count',
  multiply_adds: 'Multiply-adds',
  bytes_read: 'Bytes read',
  cache_bytes: 'Bytes of the cache',
  logarithmic: '{measure} (log)',
  x: 'positions in the text',
  cached: 'cached',
  full: 'full prefix',
  label: '{measure} of one more token, by the length of the text.',
  two: 'At {n} positions one more token costs {cached} with the cache and {full} without: {factor} as much. With it, what grows is the attention alone.',
  bytes: 'At {n} positions one more token reads {cached} with the cache and {full} without: the weights, once in either lane, and the keys and values. A cache does not make a step read less; each step reads all of it, and that part grows.',
  cache: 'The cache grows by {each} with every position, always the same: at {n} it holds {bytes}.',
  table: '{measure}, by length',
});

const write = (measure: GrowthMeasure): ((value: number) => string) => (measure === 'multiply_adds' ? magnitude : bytes);

interface Series {
  label: string;
  lane: 'cached' | 'full';
  values: number[];
}

function seriesOf(points: readonly GrowthPoint[], measure: GrowthMeasure): Series[] {
  if (measure === 'cache_bytes') {
    return [{ label: texts.cached, lane: 'cached', values: points.map((point) => point.cache_bytes) }];
  }
  const lanes = ['cached', 'full'] as const;
  return lanes.map((lane) => ({ label: texts[lane], lane, values: points.map((point) => point[lane][measure]) }));
}

export function growthChart(points: readonly GrowthPoint[], measure: GrowthMeasure) {
  // The lanes lie apart by orders of magnitude there: on a linear scale the cached one would lie on the axis.
  const logarithmic = measure === 'multiply_adds';
  return {
    label: `${fill(texts.label, { measure: texts[measure] })} ${growthConclusion(points, measure)}`,
    xLabel: texts.x,
    yLabel: logarithmic ? fill(texts.logarithmic, { measure: texts[measure] }) : texts[measure],
    logarithmic,
    x: points.map(({ positions }) => positions),
    format: write(measure),
    lines: seriesOf(points, measure).map(({ label, lane, values }) => ({
      label,
      colour: `--${lane}`,
      ...(lane === 'full' ? { dash: [6, 4] } : {}),
      values,
    })),
  };
}

/** `points` holds at least two, of different lengths. */
export function growthConclusion(points: readonly GrowthPoint[], measure: GrowthMeasure): string {
  const first = points[0] as GrowthPoint;
  const last = points.at(-1) as GrowthPoint;
  const form = write(measure);
  if (measure === 'cache_bytes') {
    const each = (last.cache_bytes - first.cache_bytes) / (last.positions - first.positions);
    return fill(texts.cache, { each: form(each), n: count(last.positions), bytes: form(last.cache_bytes) });
  }
  const { cached, full } = last;
  return fill(measure === 'bytes_read' ? texts.bytes : texts.two, {
    n: count(last.positions),
    cached: form(cached[measure]),
    full: form(full[measure]),
    factor: ratio(full[measure] / cached[measure]),
  });
}

export function growthTable(points: readonly GrowthPoint[], measure: GrowthMeasure): FigureTable {
  const series = seriesOf(points, measure);
  return {
    caption: fill(texts.table, { measure: texts[measure] }),
    head: [texts.x, ...series.map(({ label }) => label)],
    rows: points.map(({ positions }, index) => [count(positions), ...series.map(({ values }) => count(values[index] ?? 0))]),
  };
}

/** `points` holds at least two; the element that shows it imports the line chart. */
export function growthView(points: readonly GrowthPoint[], measure: GrowthMeasure, choose: (measure: GrowthMeasure) => void): TemplateResult {
  return html`
    <div class="growth">
      <h3>${texts.title}</h3>
      <fieldset class="measures" part="measures">
        <legend class="hidden">${texts.measure}</legend>
        ${growthMeasures.map(
          (name) => html`
            <label class="choice">
              <input type="radio" name="measure" .checked=${name === measure} @change=${() => choose(name)} />
              ${texts[name]}
            </label>
          `,
        )}
      </fieldset>
      ${figureView(
        html`<vitrine-line-chart .chart=${growthChart(points, measure)}></vitrine-line-chart>`,
        growthConclusion(points, measure),
        growthTable(points, measure),
      )}
    </div>
  `;
}
